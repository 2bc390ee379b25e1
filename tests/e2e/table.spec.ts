import { type Page } from '@playwright/test';
import { readFile } from 'node:fs/promises';
import { expect, failedRequests, test } from './support/test';

const heads = (page: Page) =>
  page.locator('[role=columnheader]').evaluateAll((all) => all.map((head) => (head as HTMLElement).dataset.column));
const width = async (page: Page, column: string) =>
  (await page.locator(`[role=columnheader][data-column="${column}"]`).boundingBox())?.width;
const columnsInLink = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('columns');
const deployment = (name: string, namespace: string, replicas: number) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} }, annotations: { note: "=1+2, said" } }
    spec: { containers: [{ name: web, image: registry.example/web:1 }] }
`;

test('columns are hidden, moved and sized by keyboard; a reload and the link keep them', async ({
  context,
  kubectlProxy,
  page,
  pods,
}) => {
  await pods.openConnected(kubectlProxy.url, { namespaces: ['kube-system'] });
  expect(columnsInLink(page)).toBeNull();
  await page.keyboard.press('c');
  const menu = page.getByTestId('columns-menu');
  await expect(menu.getByLabel('NAMESPACE')).toBeFocused().catch(() => expect(menu).toBeVisible());
  await menu.getByLabel('RESTARTS').focus();
  await page.keyboard.press('Space');
  await expect(menu.getByLabel('RESTARTS')).not.toBeChecked();
  await menu.getByLabel('NODE', { exact: true }).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(menu.getByLabel('NODE', { exact: true })).toBeFocused();
  await page.keyboard.press('Alt+ArrowUp');
  const expected = ['NAMESPACE', 'NAME', 'READY', 'STATUS', 'NODE', 'AGE', 'IP'];
  await expect.poll(() => heads(page)).toEqual(expected);
  await page.keyboard.press('Escape');
  await expect(menu).toBeHidden();

  const head = page.locator('[role=columnheader][data-column=STATUS] button');
  await head.focus();
  const before = (await width(page, 'STATUS')) ?? 0;
  await page.keyboard.press('Alt+ArrowRight');
  await page.keyboard.press('Alt+ArrowRight');
  await expect(head).toBeFocused();
  const sized = Math.round(before + 32);
  await expect.poll(() => width(page, 'STATUS')).toBe(sized);
  await expect.poll(() => columnsInLink(page)).toBe(expected.join(',').replace('STATUS', `STATUS:${sized}`));

  await page.reload();
  await expect.poll(() => heads(page)).toEqual(expected);
  expect(await width(page, 'STATUS')).toBe(sized);

  // Kept for the kind, also where the link says nothing; and a link wins over what is kept.
  const other = await context.newPage();
  await other.goto(`${kubectlProxy.url}#/pods`);
  await expect.poll(() => heads(other)).toEqual(expected);
  await other.goto(`${kubectlProxy.url}#/pods?columns=NAME,AGE`);
  await expect.poll(() => heads(other)).toEqual(['NAME', 'AGE']);
  await other.close();

  await page.keyboard.press('c');
  await page.getByTestId('columns-reset').click();
  await expect.poll(() => heads(page)).toHaveLength(8);
  expect(columnsInLink(page)).toBeNull();
});

test('a column of a label equals that of kubectl get -L, and a wrong path is told at its place', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'plain');
  await cluster.apply(deployment('web', namespace, 2));
  await cluster.kubectl('rollout', 'status', 'deployment/web', '-n', namespace);
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
  await page.keyboard.press('c');
  const extra = page.getByTestId('columns-extra');
  await extra.fill('.spec[');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('columns-error').locator('mark')).toHaveText('[');
  await extra.fill('label:app');
  await page.keyboard.press('Enter');
  await expect(page.locator('[role=columnheader][data-column="label:app"]')).toHaveText('APP');
  await expect(extra, 'the menu stays open for the next one').toBeFocused();
  await extra.fill('spec.serviceAccountName');
  await page.keyboard.press('Enter');
  await expect(page.locator('[role=columnheader][data-column=".spec.serviceAccountName"]')).toBeVisible();
  expect(columnsInLink(page)).toMatch(/,label:app,\.spec\.serviceAccountName$/);

  const text = await cluster.kubectl('get', 'pods', '-n', namespace, '-L', 'app', '--no-headers');
  const lines = text.trim().split('\n').map((line) => line.split(/\s+/));
  await expect(async () => {
    const shown = (await pods.table()) as unknown as Record<string, string>[];
    const labels = Object.fromEntries(shown.map((row) => [row.NAME, row['label:app']]));
    expect(labels).toEqual(Object.fromEntries(lines.map((cells) => [cells[0], cells.at(-1)])));
    expect(shown.every((row) => row['.spec.serviceAccountName'] === 'default')).toBe(true);
  }).toPass();
  await page.keyboard.press('Escape');
  await page.getByTestId('columns').click();
  await page.getByTestId('columns-reset').click();
});

test('the terms of a filter are chips, taken away one by one', async ({ kubectlProxy, newNamespace, cluster, page, pods }) => {
  const namespace = await newNamespace();
  for (const name of ['api', 'web']) await cluster.createPod(namespace, name);
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace], query: 'name:web !status:Nothing' });
  const chips = page.getByTestId('filter-chip');
  await expect(chips).toHaveText(['name:web', '!status:Nothing']);
  await expect(pods.count).toHaveText(/^1 of \d/);
  await chips.first().getByRole('button').focus();
  await page.keyboard.press('Delete');
  await expect(chips).toHaveText(['!status:Nothing']);
  await expect(chips.first().getByRole('button')).toBeFocused();
  await expect.poll(() => pods.viewState().query).toBe('!status:Nothing');
  await expect.poll(() => pods.names()).toEqual(['api', 'web']);
  await chips.first().getByRole('button').click();
  await expect(chips).toHaveCount(0);
  await expect(pods.query).toHaveValue('');
});

test('marked pods are deleted after a question that says what happens', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.apply(deployment('web', namespace, 4));
  await cluster.kubectl('rollout', 'status', 'deployment/web', '-n', namespace);
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
  await expect(pods.grid).toHaveAttribute('aria-rowcount', '5');
  const uids = (await pods.rows()).map((row) => row.uid);
  await page.keyboard.press('x');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Shift+X');
  await expect(page.getByTestId('selection-count')).toHaveText('3 selected');
  await expect(page.locator('[role=row][aria-selected=true]')).toHaveCount(3);
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('selection-bar')).toBeHidden();
  await page.keyboard.press('Control+a');
  await expect(page.getByTestId('selection-count')).toHaveText('4 selected');
  await page.keyboard.press('x');
  await expect(page.getByTestId('selection-count')).toHaveText('3 selected');
  const marked = await page
    .locator('[role=row][aria-selected=true]')
    .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.uid));

  // They stay marked when the filter keeps them back.
  await pods.query.fill('nothing');
  await pods.expectScreen('empty');
  await expect(page.getByTestId('selection-count')).toHaveText('3 selected');
  await pods.query.fill('');
  await expect(page.locator('[role=row][aria-selected=true]')).toHaveCount(3);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+d');
  const dialog = page.getByTestId('delete-dialog');
  await expect(dialog).toContainText('Delete 3 pods in');
  await expect(page.getByTestId('delete-effect')).toHaveText('Their ReplicaSet starts new ones');
  await page.getByTestId('delete-confirm').click();
  await expect(page.locator('.notice')).toHaveText('Deleted 3 pods');
  await expect(async () => {
    const left = await cluster.podUids(namespace);
    expect(left).toHaveLength(4);
    expect(left.filter((uid) => marked.includes(uid))).toEqual([]);
    expect(left.filter((uid) => uids.includes(uid))).toHaveLength(1);
    expect(await pods.uids()).toEqual(left);
  }).toPass();
  await expect(page.getByTestId('selection-bar')).toBeHidden();
});

test.describe('of a pod that was made anew', () => {
  test.use({ expectedErrors: failedRequests });

  test('nothing is deleted', async ({ cluster, kubectlProxy, newNamespace, page, pods }) => {
    const namespace = await newNamespace();
    await cluster.createPod(namespace, 'web');
    await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
    await pods.row('web').click();
    await page.keyboard.press('Delete');
    await expect(page.getByTestId('delete-dialog')).toContainText(`Delete pod ${namespace}/web in`);
    await cluster.kubectl('delete', 'pod', 'web', '-n', namespace, '--grace-period=0', '--force');
    await cluster.createPod(namespace, 'web');
    const [uid] = await cluster.podUids(namespace);
    await page.getByTestId('delete-confirm').click();
    await expect(page.locator('.notice.error')).toContainText('web was kept: it is another pod by now');
    expect(await cluster.podUids(namespace)).toEqual([uid]);
    await expect(pods.row('web')).toBeVisible();
  });
});

test('the CSV that is saved holds what the table shows', async ({ cluster, kubectlProxy, newNamespace, page, pods }) => {
  const namespace = await newNamespace();
  await cluster.apply(deployment('web', namespace, 2));
  await cluster.kubectl('rollout', 'status', 'deployment/web', '-n', namespace);
  const columns = 'NAME,STATUS,IP,.metadata.annotations.note';
  await page.goto(`${kubectlProxy.url}#/pods?namespaces=${namespace}&sort=-NAME&columns=${columns}`);
  await expect(pods.grid).toHaveAttribute('aria-rowcount', '3');
  await page.keyboard.press('Shift+E');
  const saving = page.waitForEvent('download');
  await page.locator('[data-export=save-csv]').click();
  const download = await saving;
  expect(download.suggestedFilename()).toBe('pods.csv');
  const text = await readFile(await download.path(), 'utf8');
  const shown = await page
    .locator('[role=row]')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => (cell as HTMLElement).innerText.trim())));
  expect(shown[1]?.[3]).toBe('=1+2, said');
  // No text may be a formula in a spreadsheet, and a comma stands within quotes.
  const written = (text: string) => (text.startsWith('=') ? `"'${text}"` : text);
  const expected = shown.map((cells) => cells.map(written).join(',') + '\r\n');
  expect(text).toBe(expected.join(''));
});

test.describe('at phone width', () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

  test('a row is a card that holds what the row holds, and all is done by touch', async ({
    cluster,
    kubectlProxy,
    newNamespace,
    page,
    pods,
  }) => {
    const namespace = await newNamespace();
    for (const name of ['api', 'web']) await cluster.createPod(namespace, name);
    await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
    await expect(pods.grid).toHaveAttribute('aria-rowcount', '3');
    await expect(async () => {
      const [card] = await pods.rows();
      const [row] = await cluster.podTable(namespace);
      expect({ ...card?.cells, AGE: '' }).toEqual({ ...row, AGE: '', 'NOMINATED NODE': undefined, 'READINESS GATES': undefined });
    }).toPass();
    const overflow = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('[data-testid=table-scroll], main, .page-head')].map(
        (it) => it.scrollWidth - it.clientWidth,
      ),
    );
    expect(Math.max(...overflow)).toBe(0);
    const boxes = await page.locator('[role=row][data-uid]').evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().height));
    expect(new Set(boxes).size, 'all cards are as high').toBe(1);
    const cut = await page.locator('[role=row][data-uid]').evaluateAll((cards) =>
      cards.flatMap((card) => {
        const { bottom } = card.getBoundingClientRect();
        return [...card.children].filter((cell) => cell.getBoundingClientRect().bottom > bottom + 1).map((cell) => cell.textContent);
      }),
    );
    expect(cut, 'each cell lies within its card').toEqual([]);

    await pods.row('web').getByRole('button', { name: 'Select' }).tap();
    await expect(page.getByTestId('selection-count')).toHaveText('1 selected');
    await page.getByTestId('delete').tap();
    await expect(page.getByTestId('delete-effect')).toHaveText('Nothing starts it again');
    await page.getByTestId('delete-confirm').tap();
    await expect(pods.row('web')).toHaveCount(0);
    await expect(pods.row('api')).toBeVisible();
    await page.locator('[role=columnheader][data-column=AGE] button').tap();
    await expect(page.locator('[role=columnheader][data-column=AGE]')).toHaveAttribute('aria-sort', 'ascending');
  });
});
