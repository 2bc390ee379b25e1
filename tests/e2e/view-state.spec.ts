import { randomBytes } from 'node:crypto';
import { expect, test } from './support/test';
import type { PodsPage } from './support/pods-page';

/** With the same two pods in each; no test changes anything there. */
let namespaces: string[];

test.beforeAll(async ({ cluster }) => {
  namespaces = ['a', 'b', 'c'].map((letter) => `e2e-view-${letter}-${randomBytes(4).toString('hex')}`);
  const fill = async (namespace: string) => {
    await cluster.kubectl('create', 'namespace', namespace);
    for (const name of ['api', 'web']) await cluster.createPod(namespace, name);
  };
  await Promise.all(namespaces.map(fill));
});

test.afterAll(({ cluster }) => cluster.kubectl('delete', 'namespace', '--wait=false', ...namespaces));

async function shownNamespaces(pods: PodsPage): Promise<string[]> {
  return [...new Set((await pods.table()).map((cells) => cells.NAMESPACE))];
}

test('several namespaces are picked, and their chips removed one by one', async ({ kubectlProxy, page, pods }) => {
  const [a = '', b = ''] = namespaces;
  await pods.openConnected(kubectlProxy.url);
  await pods.namespaces.click();
  await expect(pods.namespaceList).toBeVisible();
  for (const namespace of [a, b]) {
    await pods.namespaceSearch.fill(namespace);
    await expect(pods.namespaceList.getByRole('option')).toHaveCount(1);
    await pods.option(namespace).click();
    await expect(pods.option(namespace)).toHaveAttribute('aria-selected', 'true');
  }
  await page.keyboard.press('Escape');
  await expect(pods.namespaceList).toBeHidden();

  await expect(pods.chips).toHaveCount(2);
  await expect.poll(() => shownNamespaces(pods)).toEqual([a, b]);
  await expect(pods.count).toContainText('4');
  expect(pods.viewState().namespaces).toEqual([a, b]);

  await pods.chip(a).getByRole('button').click();
  await expect(pods.chips).toHaveCount(1);
  await expect.poll(() => shownNamespaces(pods)).toEqual([b]);
  expect(pods.viewState().namespaces).toEqual([b]);

  await pods.chip(b).getByRole('button').click();
  await expect(pods.chips).toHaveCount(0);
  await expect.poll(() => shownNamespaces(pods)).toEqual(expect.arrayContaining(namespaces));
  expect(pods.viewState().namespaces).toEqual([]);
});

test('the text filter narrows the rows, and the count tells of how many', async ({ kubectlProxy, page, pods }) => {
  await pods.openConnected(kubectlProxy.url, { namespaces });
  await expect(pods.grid).toHaveAttribute('aria-rowcount', '7');
  await expect(pods.count).toHaveText(/^6\b/);

  await page.keyboard.press('/');
  await expect(pods.query).toBeFocused();
  await page.keyboard.type('web');
  await expect(pods.grid).toHaveAttribute('aria-rowcount', '4');
  expect(await pods.names()).toEqual(['web', 'web', 'web']);
  await expect(pods.count).toHaveText(/^3 of \d/);
  await expect.poll(() => pods.viewState().query).toBe('web');
});

test('the link to a view restores it', async ({ context, kubectlProxy, page, pods }) => {
  const [a = '', , c = ''] = namespaces;
  await pods.openConnected(kubectlProxy.url, { namespaces: [a, c], query: 'api' });
  await expect(pods.chips).toHaveCount(2);
  await expect(pods.query).toHaveValue('api');
  await expect.poll(() => shownNamespaces(pods)).toEqual([a, c]);
  await expect(pods.grid).toHaveAttribute('aria-rowcount', '3');

  await page.reload();
  await expect(pods.query).toHaveValue('api');
  await expect(pods.chips).toHaveCount(2);
  await expect.poll(() => shownNamespaces(pods)).toEqual([a, c]);

  await pods.query.fill('web');
  await expect.poll(() => pods.viewState().query).toBe('web');
  const other = await context.newPage();
  await other.goto(page.url());
  await expect(other.locator('#query')).toHaveValue('web');
  await expect(other.getByTestId('namespace-chip')).toHaveCount(2);
});

test('a link typed into the open page changes the view, and back undoes it', async ({ kubectlProxy, page, pods }) => {
  const [a = '', b = ''] = namespaces;
  await pods.openConnected(kubectlProxy.url, { namespaces: [a, b] });
  await expect.poll(() => shownNamespaces(pods)).toEqual([a, b]);
  await pods.open(kubectlProxy.url, { namespaces: [b], query: 'web' });
  await expect(pods.chips).toHaveCount(1);
  await expect(pods.query).toHaveValue('web');
  await expect.poll(() => pods.names()).toEqual(['web']);

  await page.goBack();
  await expect(pods.chips).toHaveCount(2);
  await expect(pods.query).toHaveValue('');
  await expect.poll(() => shownNamespaces(pods)).toEqual([a, b]);
});

test('selected rows are copied as tab-separated text', async ({ kubectlProxy, page, pods }) => {
  await pods.openConnected(kubectlProxy.url, { namespaces });
  await expect(pods.grid).toHaveAttribute('aria-rowcount', '7');
  const copied = await page.evaluate(() => {
    const rows = [...document.querySelectorAll('[role=row][data-uid]')];
    const [first, last] = [rows[0], rows[5]];
    if (!first || !last) throw new Error('there are six rows');
    getSelection()?.setBaseAndExtent(first, 0, last, last.childNodes.length);
    const event = new ClipboardEvent('copy', {
      bubbles: true,
      cancelable: true,
      clipboardData: new DataTransfer(),
    });
    first.dispatchEvent(event);
    return event.clipboardData?.getData('text/plain') ?? '';
  });
  const lines = copied.split('\n').map((line) => line.split('\t'));
  expect(lines.map(([namespace, name]) => [namespace, name])).toEqual(
    namespaces.flatMap((namespace) => [
      [namespace, 'api'],
      [namespace, 'web'],
    ]),
  );
  expect(lines.every((cells) => cells.length === 8)).toBe(true);
});
