import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, failedRequests, test } from './support/test';

test.use({ expectedErrors: failedRequests });

/** What axe-core finds, as lines that say what and where. */
async function findings(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`));
}

const failure = (code: number, reason: string) => ({
  status: code,
  json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `${reason}: no pods for you` },
});
const none = { status: 200, json: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] } };

const views = [
  { name: 'as wide as a laptop', use: { viewport: { width: 1440, height: 900 } } },
  { name: 'at 200 % zoom', use: { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 } },
  { name: 'on a phone', use: { viewport: { width: 390, height: 844 } } },
];

for (const colorScheme of ['light', 'dark'] as const)
  for (const { name, use } of views)
    test.describe(`${colorScheme}, ${name}`, () => {
      test.use({ ...use, colorScheme });

      test('axe finds nothing on any page', async ({ cluster, kubectlProxy, newNamespace, page, pods }) => {
        const found: string[] = [];
        const look = async (where: string) => {
          for (const finding of await findings(page)) found.push(`${where}: ${finding}`);
        };
        const open = async (hash: string) => {
          await page.goto('about:blank');
          await page.goto(`${kubectlProxy.url}#/${hash}`);
        };
        const namespace = await newNamespace();
        await cluster.createPod(namespace, 'web');
        await open(`pods?namespaces=${namespace}`);
        await pods.expectConnection('connected');
        await expect(pods.row('web')).toBeVisible();
        await look('pods');
        await page.keyboard.press('x');
        await expect(page.getByTestId('selection-bar')).toBeVisible();
        await look('a selected row');
        await page.keyboard.press('Shift+E');
        await expect(page.getByTestId('export-menu')).toBeVisible();
        await look('the export menu');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Delete');
        await expect(page.getByTestId('delete-dialog')).toBeVisible();
        await look('the question before a deletion');
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.keyboard.press('c');
        await expect(page.getByTestId('columns-menu')).toBeVisible();
        await look('the columns');

        await open('configmaps?query=kube%20namespace:kube-system&sort=NAME');
        await expect(page.locator('[role=row][data-uid]').first()).toBeVisible();
        await look('a filter');
        await pods.query.fill('a>');
        await expect(page.getByTestId('query-errors')).not.toBeEmpty();
        await look('a wrong filter');
        await pods.query.fill('');
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
        await look('the keys');
        await page.keyboard.press('Escape');
        await pods.namespaces.click();
        await expect(pods.namespaceList).toBeVisible();
        await look('the namespaces');

        for (const [screen, answer] of Object.entries({
          empty: none,
          forbidden: failure(403, 'Forbidden'),
          failed: failure(500, 'InternalError'),
        })) {
          await page.route('**/api/v1/pods?*', (route) =>
            route.request().url().includes('watch=true') ? undefined : route.fulfill(answer),
          );
          await open('pods');
          await pods.expectScreen(screen as 'empty' | 'forbidden' | 'failed');
          await look(screen);
          await page.unrouteAll({ behavior: 'ignoreErrors' });
        }
        expect(found).toEqual([]);
      });
    });
