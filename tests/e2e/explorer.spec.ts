import { type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agePattern } from './support/table';
import { expect, test } from './support/test';

const read = (name: string) => readFileSync(join(__dirname, 'support', name), 'utf8');
const definitions = ['gauges', 'valves', 'pipes'].map((name) => `${name}.explorer.test`);

/** Kinds for which the page has names and ages only. */
const withoutColumns = /^(clustertrustbundles|podcertificaterequests)\.certificates\.k8s\.io$/;

type Row = Record<string, string>;

test.afterAll(async ({ cluster }) => {
  await cluster.kubectl('delete', 'crd', '--ignore-not-found', '--wait=false', ...definitions);
});

test('each kind that the server has is in the rail, and its table equals that of kubectl get -o wide', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  test.setTimeout(900_000);
  const namespace = await newNamespace();
  await cluster.apply(read('definitions.yaml'));
  await cluster.kubectl('wait', '--for=condition=Established', 'crd', ...definitions);
  for (const name of ['kinds.yaml', 'custom-objects.yaml'])
    await cluster.apply(read(name).replaceAll('{{namespace}}', namespace));
  await pods.openConnected(kubectlProxy.url);
  const served = (await cluster.kubectl('api-resources', '--verbs=list,watch', '-o', 'name'))
    .split('\n')
    .filter(Boolean);
  await expect.poll(() => pagesInRail(page), { timeout: 30_000 }).toEqual(served.sort());

  const differing: string[] = [];
  for (const name of served) {
    await page.evaluate((name) => (location.hash = `#/${name}?wide=true`), name);
    await expect(page.locator(`.rail-entry[data-page="${name}"]`)).toHaveAttribute('aria-current', 'page');
    await pods.expectConnection('connected');
    await expect(async () => {
      const expected = await cluster.table(name);
      const shown = (await pods.allRows()).filter((row) => !row.leaving).map((row) => row.cells as Row);
      expect(comparable(shown, name)).toEqual(comparable(expected, name));
    })
      .toPass({ timeout: 30_000 })
      .catch((error: Error) => differing.push(`${name}: ${error.message}`));
  }
  expect(differing.join('\n')).toBe('');
});

async function pagesInRail(page: Page): Promise<string[]> {
  const entries = page.locator('.rail-group .rail-entry');
  return (await entries.evaluateAll((all) => all.map((entry) => (entry as HTMLElement).dataset.page ?? ''))).sort();
}

/** Times differ by the moment of the reading, and events have no order: rows by what they say. */
function comparable(rows: Row[], kind: string): string[] {
  if (withoutColumns.test(kind)) return rows.map(({ NAMESPACE, NAME }) => `${NAMESPACE ?? ''}/${NAME}`).sort();
  const isTime = (text: string) => agePattern.test(text) && text !== '';
  const cells = (row: Row) =>
    Object.entries(row).map(([name, text]) => `${name}=${isTime(text) ? '<time>' : text.replace(/\s+/g, ' ').trim()}`);
  return rows.map((row) => cells(row).sort().join(' | ')).sort();
}
