import { test as base } from '@playwright/test';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cluster } from '../support/cluster';
import { Program } from '../support/process';
import { KubectlProxy } from '../support/proxy';
import { SuitePage } from '../support/suite-page';
import { expect } from '../support/test';
import { clientSuite, needs } from '../support/where';
import { Writers } from './writers';

/** `scripts/soak MINUTES` sets them. */
const minutes = Number(process.env.WATCHGLASS_SOAK);
const faultProxy = process.env.WATCHGLASS_FAULT_PROXY ?? '';

const MINUTE = 60_000;
const resources = [
  'v1/pods',
  'v1/configmaps',
  'v1/secrets',
  'v1/services',
  'v1/serviceaccounts',
  'v1/namespaces',
  'v1/nodes',
  'v1/events',
  'apps/v1/deployments',
  'apps/v1/replicasets',
  'discovery.k8s.io/v1/endpointslices',
  'rbac.authorization.k8s.io/v1/roles',
];

const megabytes = (bytes: number) => (bytes / (1 << 20)).toFixed(1).padStart(6);
const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** kubectl's configuration with the fault proxy in the place of the API server. */
async function throughFaults(kubeconfig: string, server: string, port: number): Promise<string> {
  const text = (await readFile(kubeconfig, 'utf8')).replace(server, `https://127.0.0.1:${port}`);
  const path = join(tmpdir(), `watchglass-soak-${process.pid}.kubeconfig`);
  await writeFile(path, text, { mode: 0o600 });
  return path;
}

function path(resource: string): string {
  const [version = '', name = '', more] = resource.split('/');
  return more === undefined ? `api/${version}/${name}` : `apis/${version}/${name}/${more}`;
}

/** Key and resourceVersion of each object that the server has. */
async function onServer(cluster: Cluster, resource: string): Promise<string[]> {
  const list = JSON.parse(await cluster.kubectl('get', '--raw', `/${path(resource)}`)) as {
    items: { metadata: { name: string; namespace?: string; resourceVersion: string } }[];
  };
  const lines = list.items.map(({ metadata: { name, namespace, resourceVersion } }) => {
    return `${namespace === undefined ? name : `${namespace}/${name}`} ${resourceVersion}`;
  });
  return lines.sort();
}

base('every store equals the server after a soak', async ({ page }) => {
  base.setTimeout((minutes + 15) * MINUTE);
  const cluster = Cluster.running();
  const { kubectl, admin, server } = cluster.file;
  const address = new URL(server).host;
  const faults = Program.start(needs(faultProxy, 'scripts/soak builds it'), ['--server', address], { stdin: true });
  const port = Number((await faults.prints(/"port":(\d+)/))[1]);
  const kubeconfig = await throughFaults(admin.kubeconfig, server, port);
  const proxy = await KubectlProxy.start(kubectl, kubeconfig, '/suite/', clientSuite);
  const writers = await Writers.start(kubectl, admin.kubeconfig);
  const suite = new SuitePage(page);
  const errors: string[] = [];
  page.on('console', (message) => {
    if (/panicked at/.test(message.text())) errors.push(message.text());
  });
  await suite.open(proxy.url);
  await suite.startInformers(resources, '', true);
  await suite.synced();
  faults.write('random\n');

  const samples: { heap: number; wasm: number }[] = [];
  const begin = Date.now();
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(begin + minute * MINUTE - Date.now() - 5_000);
    await proxy.kill();
    await sleep(5_000);
    await proxy.start();
    const [memory, count, objects] = [await suite.memory(), await suite.count(), await suite.objects(resources)];
    samples.push(memory);
    console.log(
      `minute ${String(minute).padStart(3)}: JS heap ${megabytes(memory.heap)} MB, wasm ${megabytes(memory.wasm)} MB, ` +
        `${objects} objects, ${writers.count} writes, ${count} notifications, kubectl proxy killed ${minute} times`,
    );
    expect(errors, 'panics').toEqual([]);
  }

  await writers.stop();
  faults.write('calm\n');
  faults.write('state\n');
  const state = await faults.prints(/\{"accepted.*\}/);
  console.log(`fault proxy: ${state[0]}`);
  for (const resource of resources) {
    await expect
      .poll(async () => {
        const [server, store, told] = [await onServer(cluster, resource), await suite.store(resource), await suite.told(resource)];
        return { store, told, of: server.length, isEqual: `${server}` === `${store}` && `${server}` === `${told}` };
      }, { message: resource, timeout: 5 * MINUTE, intervals: [1_000] })
      .toMatchObject({ isEqual: true });
    console.log(`${resource}: ${(await suite.store(resource)).length} objects, equal to the server's`);
  }
  // The first minutes fill the caches of the browser.
  const steady = samples.slice(Math.min(5, samples.length - 1));
  const of = (part: typeof samples, key: 'heap' | 'wasm') => part.reduce((sum, it) => sum + it[key], 0) / part.length;
  const third = Math.max(1, Math.floor(steady.length / 3));
  for (const key of ['heap', 'wasm'] as const) {
    const [early, late] = [of(steady.slice(0, third), key), of(steady.slice(-third), key)];
    console.log(`${key}: ${megabytes(early)} MB in the first third, ${megabytes(late)} MB in the last`);
    // A shorter soak is still filling up.
    if (minutes >= 20) expect(late, `${key} is flat`).toBeLessThan(early * 1.1);
  }
  await page.goto('about:blank');
  await proxy.stop();
  await faults.closeInput();
});
