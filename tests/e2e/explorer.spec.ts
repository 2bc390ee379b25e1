import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTable } from './support/cluster';
import { expect, test } from './support/test';

const manifest = readFileSync(join(__dirname, 'support', 'kinds.yaml'), 'utf8');

test('the rail leads to each kind that the server has, and its page shows what kubectl shows', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  test.setTimeout(600_000);
  const namespace = await newNamespace();
  await cluster.apply(manifest.replaceAll('{{namespace}}', namespace));
  await pods.openConnected(kubectlProxy.url);
  const entries = page.locator('.rail-entry');
  await expect(entries.nth(20)).toBeAttached();
  const pages = await entries.evaluateAll((all) => all.map((entry) => (entry as HTMLElement).dataset.page ?? ''));
  const served = (await cluster.kubectl('api-resources', '--verbs=list,watch', '-o', 'name')).split('\n').filter(Boolean);
  expect(pages.sort()).toEqual(served.sort());

  for (const name of pages) {
    await test.step(name, async () => {
      await page.evaluate((name) => (location.hash = `#/${name}`), name);
      await expect(page).toHaveTitle(/^\w+ · /);
      await pods.expectConnection('connected');
      await expect(async () => {
        const expected = keys(parseTable(await cluster.kubectl('get', name, '--all-namespaces', '-o', 'wide')));
        expect(keys(await pods.table()), name).toEqual(expected);
      }).toPass({ timeout: 30_000 });
    });
  }
});

function keys(rows: { NAMESPACE?: string; NAME: string }[]): string[] {
  return rows.map(({ NAMESPACE, NAME }) => `${NAMESPACE ?? ''}/${NAME}`).sort();
}
