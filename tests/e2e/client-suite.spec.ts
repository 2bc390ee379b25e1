import { type Page } from '@playwright/test';
import { randomBytes } from 'node:crypto';
import { KubectlProxy } from './support/proxy';
import { expect, leavePages, test } from './support/test';
import { clientSuite } from './support/where';

/** What tests/client_suite/page/main.rs exports. */
interface Suite {
  cases(): string;
  absent(): string;
  run(name: string, run: string): Promise<void>;
}

const inPage = { suite: undefined as unknown as Suite };
type InPage = typeof globalThis & typeof inPage;

// Some cases end watches before the server does, and many ask for what is refused.
test.use({ expectedErrors: [/^Failed to load resource|panicked at/] });
test.setTimeout(900_000);

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForFunction(() => 'suite' in globalThis);
}

/** The message of the case's failure, or nothing: a panic ends the page's program, and the console tells of it. */
async function failure(page: Page, name: string, run: string): Promise<string | undefined> {
  let told: (message: string) => void = () => {};
  const panicked = new Promise<string>((resolve) => (told = resolve));
  const listener = (message: { type(): string; text(): string }) => {
    if (message.type() === 'error' && /panicked at/.test(message.text())) told(message.text());
  };
  page.on('console', listener);
  const ended = page
    .evaluate(([name, run]) => (globalThis as InPage).suite.run(name as string, run as string), [name, run])
    .then(() => undefined, String);
  const result = await Promise.race([ended, panicked]);
  page.off('console', listener);
  return result;
}

test('every case of the client suite passes in the page', async ({ cluster, context, page }) => {
  const { kubectl, admin } = cluster.file;
  // Without its filter, which refuses exec.
  const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig, '/suite/', clientSuite, ['--reject-paths=^$']);
  try {
    await open(page, proxy.url);
    const names = await page.evaluate(() => (globalThis as InPage).suite.cases().split('\n'));
    const chosen = names.filter((name) => name.includes(process.env.CASE ?? ''));
    const absent = await page.evaluate(() => (globalThis as InPage).suite.absent());
    const run = randomBytes(3).toString('hex');
    const failed: string[] = [];
    for (const name of chosen) {
      const message = await test.step(name, () => failure(page, name, run));
      if (message === undefined) continue;
      failed.push(`${name}: ${message}`);
      await open(page, proxy.url);
    }
    expect(failed, 'cases that failed').toEqual([]);
    if (absent !== '') console.log(absent.replaceAll(/^/gm, 'real, kubectl proxy in Chromium: not '));
    console.log(`real, kubectl proxy in Chromium: ${chosen.length} cases`);
  } finally {
    await leavePages(context).finally(() => proxy.stop());
  }
});
