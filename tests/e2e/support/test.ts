import { type BrowserContext, test as base, expect } from '@playwright/test';
import { randomBytes } from 'node:crypto';
import { MemoryApiServer, buildApiServer } from './apiserver';
import { Cluster } from './cluster';
import { PodsPage } from './pods-page';
import { KubectlProxy } from './proxy';
import { StaticHost } from './static-host';
import { distDemo } from './where';

interface Options {
  /** Messages of the browser's console that the test provokes; any other error there fails it. */
  expectedErrors: RegExp[];
}

interface Fixtures {
  cleanConsole: void;
  pods: PodsPage;
  /** The same as `kubectlProxy`, of this test alone, which may stop it. */
  ownKubectlProxy: KubectlProxy;
  /** Makes an empty namespace of the real cluster; it is deleted when the test ends. */
  newNamespace: () => Promise<string>;
  /** An in-memory API server of this test alone, with 30 pods in the namespace `load`. */
  memoryApiServer: MemoryApiServer;
}

interface WorkerFixtures {
  cluster: Cluster;
  /** `kubectl proxy` as the administrator of the real cluster. */
  kubectlProxy: KubectlProxy;
  apiServerBinary: string;
  /** The demo page on a static host, below a prefix. */
  demoHost: StaticHost;
}

/** What Chromium itself writes when a request fails, whatever the page does about it. */
export const failedRequests = [/^(Failed to load resource|WebSocket connection to '[^']*' failed)/];

export const test = base.extend<Options & Fixtures, WorkerFixtures>({
  expectedErrors: [[], { option: true }],

  cleanConsole: [
    async ({ context, expectedErrors }, use) => {
      const errors = consoleErrors(context);
      await use();
      // A request that the page sends as the test ends is no fault of the next one.
      for (const page of context.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      const unexpected = errors.filter((error) => !expectedErrors.some((pattern) => pattern.test(error)));
      expect([...new Set(unexpected)], 'errors in the console').toEqual([]);
    },
    { auto: true },
  ],

  pods: async ({ page }, use) => use(new PodsPage(page)),

  cluster: [async ({}, use) => use(Cluster.running()), { scope: 'worker' }],

  kubectlProxy: [
    async ({ cluster }, use) => {
      const { kubectl, admin } = cluster.file;
      const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig);
      await use(proxy);
      await proxy.stop();
    },
    { scope: 'worker' },
  ],

  ownKubectlProxy: async ({ cluster, context }, use) => {
    const { kubectl, admin } = cluster.file;
    const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig);
    await use(proxy);
    await leavePages(context).finally(() => proxy.stop());
  },

  apiServerBinary: [async ({}, use) => use(await buildApiServer()), { scope: 'worker', timeout: 900_000 }],

  memoryApiServer: async ({ apiServerBinary, context }, use) => {
    const server = await MemoryApiServer.start(apiServerBinary, 30);
    await use(server);
    await leavePages(context).finally(() => server.stop());
  },

  demoHost: [
    async ({}, use) => {
      const host = await StaticHost.start(distDemo, '/some/prefix/');
      await use(host);
      await host.stop();
    },
    { scope: 'worker' },
  ],

  newNamespace: async ({ cluster }, use) => {
    const names: string[] = [];
    await use(async () => {
      const name = `e2e-${randomBytes(4).toString('hex')}`;
      await cluster.kubectl('create', 'namespace', name);
      names.push(name);
      return name;
    });
    if (names.length > 0) await cluster.kubectl('delete', 'namespace', '--wait=false', ...names);
  },
});

/** Grows with each error in the consoles of a context's pages. */
export function consoleErrors(context: BrowserContext): string[] {
  const errors: string[] = [];
  context.on('weberror', (error) => errors.push(String(error.error())));
  // Violations of the Content-Security-Policy come as errors of the console too.
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

/** Before their server stops: pages that are open would report in the console that it is gone. */
export async function leavePages(context: BrowserContext): Promise<void> {
  for (const page of context.pages()) await page.goto('about:blank');
}

export { expect };
