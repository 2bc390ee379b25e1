import { randomBytes } from 'node:crypto';
import { KubectlProxy } from './support/proxy';
import { SuitePage } from './support/suite-page';
import { expect, leavePages, test } from './support/test';
import { clientSuite } from './support/where';

// Many cases ask for what is refused.
test.use({ expectedErrors: [/^Failed to load resource|^WebSocket connection|panicked at|^RuntimeError/] });
test.setTimeout(900_000);

test('every case of the client suite passes in the page', async ({ cluster, context, page }) => {
  const { kubectl, admin } = cluster.file;
  // Without its filter, which refuses exec.
  const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig, '/suite/', clientSuite, ['--reject-paths=^$']);
  try {
    const suite = new SuitePage(page);
    await suite.open(proxy.url);
    const names = (await suite.cases()).filter((name) => name.includes(process.env.CASE ?? ''));
    for (const line of await suite.absent()) console.log(`real, kubectl proxy in Chromium: not ${line}`);
    const run = randomBytes(3).toString('hex');
    const failed: string[] = [];
    for (const name of names) {
      const message = await test.step(name, () => suite.failure(name, run));
      if (message === undefined) continue;
      failed.push(`${name}: ${message}`);
      await suite.open(proxy.url);
    }
    expect(failed, 'cases that failed').toEqual([]);
    console.log(`real, kubectl proxy in Chromium: ${names.length} cases`);
  } finally {
    await leavePages(context).finally(() => proxy.stop());
  }
});
