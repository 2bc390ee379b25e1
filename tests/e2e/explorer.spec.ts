import { type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './support/cluster';
import { Moments } from './support/moments';
import type { PodsPage } from './support/pods-page';
import { expect, test } from './support/test';

const read = (name: string) => readFileSync(join(__dirname, 'support', name), 'utf8');
const definitions = ['gauges', 'valves', 'pipes'].map((name) => `${name}.explorer.test`);

type Row = Record<string, string>;

/** What the test made outside of its namespace. */
let manifest = '';

test.afterAll(async ({ cluster }) => {
  await cluster.kubectl('delete', 'crd', '--ignore-not-found', '--wait=false', ...definitions);
  if (manifest) await cluster.remove(manifest);
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
  const of = (name: string) => read(name).replaceAll('{{namespace}}', namespace);
  await cluster.apply(of('definitions.yaml'));
  manifest = of('cluster-kinds.yaml');
  await cluster.apply(manifest);
  await cluster.kubectl('wait', '--for=condition=Established', 'crd', ...definitions);
  for (const name of ['kinds.yaml', 'custom-objects.yaml']) await cluster.apply(of(name));
  const clock = await Moments.of(page);
  await pods.openConnected(kubectlProxy.url);
  const served = (await cluster.kubectl('api-resources', '--verbs=list,watch', '-o', 'name'))
    .split('\n')
    .filter(Boolean);
  await expect.poll(() => pagesInRail(page), { timeout: 30_000 }).toEqual(served.sort());

  const open = async (name: string) => {
    await clock.goOn();
    await page.evaluate((name) => (location.hash = `#/${name}?wide=true`), name);
    await expect(page.locator(`.rail-entry[data-page="${name}"]`)).toHaveAttribute('aria-current', 'page');
    await pods.expectConnection('connected');
  };
  const differing: string[] = [];
  for (const name of served) {
    await open(name);
    await expect(async () => {
      const { expected, shown } = await tables(name, cluster, pods, clock);
      expect(expected.length, 'objects of the kind').toBeGreaterThanOrEqual(2);
      expect(shown).toEqual(expected);
    })
      .toPass({ timeout: 30_000 })
      .catch((error: Error) => differing.push(`${name}: ${error.message}`));
  }
  expect(differing.join('\n')).toBe('');

  // What the three definitions are there for, lest an empty cell equals an empty cell.
  await open('gauges.explorer.test');
  await expect(pods.row('a').locator('[data-column=OWNER]'), 'of a path with an escaped dot').toHaveText('ann');
  await open('valves.explorer.test');
  await expect(page.getByRole('columnheader'), 'of the version that the server prefers').toHaveText(['NAME', 'TURNS']);
  await page.keyboard.press(':');
  await page.keyboard.type('po');
  const options = page.getByRole('dialog', { name: 'Go to' }).getByRole('option');
  await expect(options.nth(0), 'of two kinds with one short name').toContainText('Pods');
  await expect(options.nth(1)).toContainText('explorer.test');
});

async function pagesInRail(page: Page): Promise<string[]> {
  const entries = page.locator('.rail-group .rail-entry');
  return (await entries.evaluateAll((all) => all.map((entry) => (entry as HTMLElement).dataset.page ?? ''))).sort();
}

/**
 * A kind's rows as kubectl prints them, and as the page shows them when its clock stands where the server's stood.
 * The server writes each row at some moment of the request: a row of the page counts at the first moment of it at which
 * it equals one of kubectl's, else at the last.
 */
async function tables(name: string, cluster: Cluster, pods: PodsPage, clock: Moments) {
  const { answer, moments } = await Moments.during(() => cluster.table(name));
  const expected = answer.map((row) => line(row)).sort();
  const shown = new Map<string, string>();
  const unmatched = new Set<string>();
  for (const moment of moments) {
    await clock.stopAt(moment);
    const rows = (await pods.allRows()).filter((row) => !row.leaving);
    for (const { uid, cells } of rows) {
      if (shown.has(uid) && !unmatched.has(uid)) continue;
      const text = line(cells);
      shown.set(uid, text);
      if (expected.includes(text)) unmatched.delete(uid);
      else unmatched.add(uid);
    }
    if (unmatched.size === 0) break;
  }
  return { expected, shown: [...shown.values()].sort() };
}

/** A row as text, whose columns may stand in any order; kubectl pads with spaces. */
function line(row: Row): string {
  const cells = Object.entries(row).map(([name, text]) => `${name}=${text.replace(/\s+/g, ' ').trim()}`);
  return cells.sort().join(' | ');
}
