import { type Page, type Request } from '@playwright/test';
import { KubectlProxy } from './support/proxy';
import { SuitePage } from './support/suite-page';
import { expect, leavePages, test as base } from './support/test';
import { clientSuite } from './support/where';

const resources = [
  'v1/pods',
  'v1/configmaps',
  'v1/secrets',
  'v1/services',
  'v1/serviceaccounts',
  'v1/events',
  'v1/persistentvolumeclaims',
  'apps/v1/deployments',
  'apps/v1/replicasets',
  'batch/v1/jobs',
];

const test = base.extend<{ suiteProxy: KubectlProxy }>({
  suiteProxy: async ({ cluster, context }, use) => {
    const { kubectl, admin } = cluster.file;
    const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig, '/suite/', clientSuite);
    await use(proxy);
    await leavePages(context).finally(() => proxy.stop());
  },
});

/** The watches that a page holds over fetch; the greatest number of them so far. */
class FetchWatches {
  most = 0;
  private readonly open = new Set<Request>();

  constructor(page: Page) {
    page.on('request', (request) => {
      if (request.resourceType() !== 'fetch' || !/[?&]watch=true/.test(request.url())) return;
      this.open.add(request);
      this.most = Math.max(this.most, this.open.size);
    });
    for (const event of ['requestfinished', 'requestfailed'] as const) {
      page.on(event as 'requestfinished', (request) => this.open.delete(request));
    }
  }

  get now(): number {
    return this.open.size;
  }
}

// Browser test 27.
for (const withSockets of [true, false]) {
  const title = withSockets ? 'with WebSockets beyond them' : 'and no WebSockets';
  test(`ten informers over four fetch watches ${title} leave room for a request`, async ({
    cluster,
    newNamespace,
    page,
    suiteProxy,
  }) => {
    const namespace = await newNamespace();
    await page.clock.install();
    const watches = new FetchWatches(page);
    let sockets = 0;
    page.on('websocket', () => sockets++);
    const suite = new SuitePage(page);
    await suite.open(suiteProxy.url);
    await suite.startInformers(resources, namespace, withSockets);
    await suite.synced();
    await expect.poll(() => watches.now).toBe(4);
    if (withSockets) await expect.poll(() => sockets).toBe(6);
    for (let tries = 0; tries < 5; tries++) {
      const answer = await suite.get(`api/v1/namespaces/${namespace}`);
      expect(answer.status).toBe(200);
      expect(answer.milliseconds, 'a plain GET while all watches are open').toBeLessThan(1000);
    }
    // The last of them is told too, over a socket or when its turn comes.
    await cluster.kubectl('create', 'job', 'once', '-n', namespace, '--image=registry.example/once:1');
    await cluster.kubectl('create', 'configmap', 'one', '-n', namespace);
    const keys = async (resource: string) => (await suite.store(resource)).map((line) => line.split(' ')[0]);
    await expect(async () => {
      // A turn's time in the page.
      await page.clock.runFor(10_000);
      expect(await keys('batch/v1/jobs')).toEqual([`${namespace}/once`]);
      expect(await keys('v1/configmaps')).toContain(`${namespace}/one`);
    }).toPass({ timeout: 60_000 });
    expect(watches.most, 'fetch watches at once').toBeLessThanOrEqual(4);
    expect(sockets > 0, 'sockets').toBe(withSockets);
  });
}

test('the policy of the page lets WebSockets to its own origin through', async ({ kubectlProxy, page, pods }) => {
  await pods.openConnected(kubectlProxy.url);
  const opened = await page.evaluate(() => {
    const socket = new WebSocket(new URL('../api/v1/pods?watch=true', location.href).href.replace(/^http/, 'ws'));
    return new Promise((resolve) => {
      socket.onopen = () => resolve('open');
      socket.onerror = () => resolve('refused');
    });
  });
  expect(opened).toBe('open');
});

// Browser test 40. Both tabs share the browser's connections: without sockets they also share the four watches.
for (const withSockets of [true, false]) {
  const title = withSockets ? 'with WebSockets' : 'without WebSockets';
  test(`two tabs ${title}: one is closed, and the other misses no deletion`, async ({
    cluster,
    context,
    newNamespace,
    page,
    suiteProxy,
  }) => {
    test.setTimeout(240_000);
    const namespace = await newNamespace();
    const names = Array.from({ length: 30 }, (_, number) => `map-${number}`);
    const maps = names.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace } }));
    const all = `${suiteProxy.origin}/api/v1/namespaces/${namespace}/configmaps`;
    const headers = { 'content-type': 'application/json' };
    for (const map of maps) {
      const answer = await fetch(all, { method: 'POST', headers, body: JSON.stringify(map) });
      expect(answer.status).toBe(201);
    }
    const remove = async (name: string) => {
      const answer = await fetch(`${all}/${name}`, { method: 'DELETE' });
      expect(answer.status).toBe(200);
    };
    const other = await context.newPage();
    const [first, second] = [new SuitePage(page), new SuitePage(other)];
    for (const suite of [first, second]) {
      await suite.open(suiteProxy.url);
      await suite.startInformers(resources.slice(0, 6), namespace, withSockets);
      await suite.synced();
    }
    for (const name of names.slice(0, 10)) await remove(name);
    const closing = page.close();
    for (const name of names.slice(10, 20)) await remove(name);
    await closing;
    for (const name of names.slice(20)) await remove(name);
    const deleted = async () => (await second.deleted()).filter((key) => key.includes('/map-')).sort();
    const expected = names.map((name) => `${namespace}/${name}`).sort();
    await expect.poll(deleted, { timeout: 120_000 }).toEqual(expected);
    await cluster.kubectl('create', 'configmap', 'late', '-n', namespace);
    const keys = async () => (await second.store('v1/configmaps')).map((line) => line.split(' ')[0]);
    await expect.poll(keys, { timeout: 60_000 }).toContain(`${namespace}/late`);
  });
}
