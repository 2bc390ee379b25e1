import { randomBytes } from 'node:crypto';
import { KubectlProxy } from './support/proxy';
import { SuitePage } from './support/suite-page';
import { consoleErrors, expect, test } from './support/test';
import { clientSuite } from './support/where';

// Many cases ask for what is refused.
test.use({ expectedErrors: [/^Failed to load resource|^WebSocket connection|panicked at|^RuntimeError/] });
test.setTimeout(900_000);

/** Cases wait for controllers most of the time. Each page is of a browser context of its own, as of a user alone. */
const PAGES = 4;

test('every case of the client suite passes in the page', async ({ browser, cluster, expectedErrors }) => {
  const { kubectl, admin } = cluster.file;
  // Without its filter, which refuses exec.
  const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig, '/suite/', clientSuite, ['--reject-paths=^$']);
  const contexts = await Promise.all(Array.from({ length: PAGES }, () => browser.newContext()));
  const errors = contexts.map(consoleErrors);
  try {
    const suites = await Promise.all(contexts.map(async (context) => new SuitePage(await context.newPage())));
    for (const suite of suites) await suite.open(proxy.url);
    const [first] = suites as [SuitePage];
    const names = (await first.cases()).filter((name) => name.includes(process.env.CASE ?? ''));
    for (const line of await first.absent()) console.log(`real, kubectl proxy in Chromium: not ${line}`);
    const run = randomBytes(3).toString('hex');
    const waiting = [...names];
    const failed: string[] = [];
    const work = async (suite: SuitePage) => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        const message = await suite.failure(name, run);
        if (message === undefined) continue;
        failed.push(`${name}: ${message}`);
        await suite.open(proxy.url);
      }
    };
    await Promise.all(suites.map(work));
    expect(failed, 'cases that failed').toEqual([]);
    const unexpected = errors.flat().filter((error) => !expectedErrors.some((pattern) => pattern.test(error)));
    expect(unexpected, 'errors in the consoles').toEqual([]);
    console.log(`real, kubectl proxy in Chromium: ${names.length} cases`);
  } finally {
    await Promise.all(contexts.map((context) => context.close()));
    await proxy.stop();
  }
});
