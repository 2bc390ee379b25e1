import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, failedRequests, test } from './support/test';

test.use({ expectedErrors: failedRequests });

/** What axe-core finds, as lines that say what and where. */
async function findings(page: Page): Promise<string[]> {
  // In the page alone, which has no frames, and without an account of all that is right: both take most of the time.
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await axe.analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary}`));
}

const failure = (code: number, reason: string) => ({
  status: code,
  json: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `${reason}: no pods for you` },
});
const none = { status: 200, json: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] } };

/** Colours are a matter of the theme, and what is cut off one of the width: both themes are looked at, and each width. */
const views = [
  { colorScheme: 'light', name: 'as wide as a laptop', use: { viewport: { width: 1440, height: 900 } } },
  { colorScheme: 'dark', name: 'at 200 % zoom', use: { viewport: { width: 720, height: 450 }, deviceScaleFactor: 2 } },
  { colorScheme: 'light', name: 'on a phone', use: { viewport: { width: 390, height: 844 } } },
] as const;

/** Looks at a page in each state that it is brought to, and collects what is found. */
class Looking {
  readonly found: string[] = [];

  constructor(
    private readonly page: Page,
    private readonly base: string,
  ) {}

  async open(hash: string): Promise<void> {
    await this.page.goto('about:blank');
    await this.page.goto(`${this.base}#/${hash}`);
  }

  async at(where: string): Promise<void> {
    for (const finding of await findings(this.page)) this.found.push(`${where}: ${finding}`);
  }
}

for (const { colorScheme, name, use } of views) {
    test.describe(`axe finds nothing, ${colorScheme}, ${name}`, () => {
      test.use({ ...use, colorScheme });
      const firstRow = (page: Page) => page.locator('[role=row][data-uid]').first();

      test('in a table, its menus and its question', async ({ cluster, kubectlProxy, newNamespace, page, pods }) => {
        const look = new Looking(page, kubectlProxy.url);
        const namespace = await newNamespace();
        await cluster.createPod(namespace, 'web');
        await look.open(`pods?namespaces=${namespace}`);
        await expect(pods.row('web')).toBeVisible();
        await look.at('pods');
        await page.keyboard.press('x');
        await expect(page.getByTestId('selection-bar')).toBeVisible();
        await page.keyboard.press('Shift+E');
        await expect(page.getByTestId('export-menu')).toBeVisible();
        await look.at('a selected row and the export');
        await page.keyboard.press('Escape');
        await page.keyboard.press('c');
        await expect(page.getByTestId('columns-menu')).toBeVisible();
        await look.at('the columns');
        await page.keyboard.press('Escape');
        await page.keyboard.press('Delete');
        await expect(page.getByTestId('delete-dialog')).toBeVisible();
        await look.at('the question before a deletion');
        expect(look.found).toEqual([]);
      });

      test('in a filter, the keys and the namespaces', async ({ kubectlProxy, page, pods }) => {
        const look = new Looking(page, kubectlProxy.url);
        await look.open('configmaps?namespaces=kube-system&query=name~kube&sort=NAME');
        await expect(firstRow(page)).toBeVisible();
        await look.at('a filter');
        await pods.query.fill('age>');
        await expect(page.getByTestId('query-errors')).not.toBeEmpty();
        await look.at('a wrong filter');
        await look.open('across?query=kind:ns,svc,nothing');
        await expect(firstRow(page)).toBeVisible();
        await look.at('several kinds');
        await pods.query.fill('');
        await page.keyboard.press('Escape');
        await page.keyboard.press('?');
        await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
        await look.at('the keys');
        await page.keyboard.press('Escape');
        await pods.namespaces.click();
        await expect(pods.namespaceList).toBeVisible();
        await look.at('the namespaces');
        expect(look.found).toEqual([]);
      });

      test('in an empty, a forbidden and a failed page', async ({ kubectlProxy, page, pods }) => {
        const look = new Looking(page, kubectlProxy.url);
        for (const [screen, answer] of Object.entries({
          empty: none,
          forbidden: failure(403, 'Forbidden'),
          failed: failure(500, 'InternalError'),
        })) {
          // Those of single namespaces too, which are asked for where all are refused.
          await page.route(/\/pods\?/, (route) =>
            route.request().url().includes('watch=true') ? undefined : route.fulfill(answer),
          );
          await look.open('pods');
          await pods.expectScreen(screen as 'empty' | 'forbidden' | 'failed');
          await look.at(screen);
          await page.unrouteAll({ behavior: 'ignoreErrors' });
        }
        expect(look.found).toEqual([]);
      });
    });
}
