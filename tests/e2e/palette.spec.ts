import { type Page } from '@playwright/test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ObjectPanel } from './support/object-panel';
import { expect, test } from './support/test';

const definitions = ['gauges', 'valves', 'pipes'].map((name) => `${name}.explorer.test`);

test.beforeAll(async ({ cluster }) => {
  await cluster.apply(readFileSync(join(__dirname, 'support/definitions.yaml'), 'utf8'));
  await cluster.kubectl('wait', '--for=condition=Established', 'crd', ...definitions);
});

test.afterAll(async ({ cluster }) => {
  await cluster.kubectl('delete', 'crd', '--ignore-not-found', '--wait=false', ...definitions);
});

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const text = (page: Page) => page.getByTestId('palette-text');
const options = (page: Page) => page.getByRole('dialog', { name: 'Go to' }).getByRole('option');
const title = (page: Page) => page.getByRole('heading', { level: 1 });
const favourite = (page: Page, name: string) => page.locator(`.rail-favourites [data-favourite="${name}"]`);

async function kindsAreKnown(page: Page): Promise<void> {
  await expect(page.locator('.rail-entry[data-page="gauges.explorer.test"]')).toBeAttached();
}

test('the palette leads to kinds, namespaces and objects, and gives the keyboard back', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'palette-finds-me');
  await pods.openConnected(kubectlProxy.url);
  await kindsAreKnown(page);
  await expect(pods.grid).toBeVisible();

  await pods.query.focus();
  await page.keyboard.press('Control+k');
  await expect(text(page)).toBeFocused();
  await expect(options(page).first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Escape');
  await expect(text(page)).toBeHidden();
  await expect(pods.query).toBeFocused();
  await page.keyboard.press('Enter');

  await page.keyboard.press(':');
  await page.keyboard.type('po');
  await expect(options(page).nth(0)).toContainText('Pods');
  await expect(options(page).nth(1)).toContainText('Gauges');
  await expect(options(page).nth(1)).toContainText('explorer.test');
  await expect(page.getByTestId('palette-results')).toHaveText(/^\d+ results$/);
  await page.keyboard.press('ArrowDown');
  await expect(text(page)).toHaveAttribute('aria-activedescendant', 'palette-option-1');
  await page.keyboard.press('Enter');
  await expect(title(page)).toHaveText('Gauges');

  await page.keyboard.press('Control+k');
  await page.keyboard.type('deploy');
  await expect(options(page).first()).toContainText('Deployments');
  await page.keyboard.press('Enter');
  await expect(title(page)).toHaveText('Deployments');

  await page.keyboard.press(':');
  await page.keyboard.type(`pods ${namespace} /finds`);
  await expect(options(page).first()).toContainText(`Pods in ${namespace} with finds`);
  await page.keyboard.press('Enter');
  await expect(title(page)).toHaveText('Pods');
  await expect(pods.chip(namespace)).toBeVisible();
  await expect(pods.query).toHaveValue('finds');

  await page.keyboard.press(':');
  await page.keyboard.type('all namespaces');
  await page.keyboard.press('Enter');
  await expect(pods.chips).toHaveCount(0);
  await page.getByTestId('palette').click();
  // What was chosen last stands first.
  await expect(options(page).first()).toContainText('All namespaces');
  await page.keyboard.type(namespace);
  await page.keyboard.press('Shift+Enter');
  await expect(text(page)).toBeVisible();
  await text(page).fill('kube-system');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Escape');
  await expect(pods.chips).toHaveCount(2);

  await page.keyboard.press(':');
  await page.keyboard.type('palette-finds');
  await expect(page.locator('.palette-note')).toContainText('pods');
  await expect(options(page).first()).toContainText(`pod in ${namespace}`);
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    options(page).first().click({ button: 'middle' }),
  ]);
  await new ObjectPanel(tab).expectOpen('Pod', `${namespace}/palette-finds-me`);
  await tab.close();
  await options(page).first().click();
  await new ObjectPanel(page).expectOpen('Pod', `${namespace}/palette-finds-me`);
  await expect(pods.row('palette-finds-me')).toBeVisible();
});

test('favourites stand above all groups and survive a reload', async ({ kubectlProxy, page, pods }) => {
  await pods.openConnected(kubectlProxy.url);
  await kindsAreKnown(page);
  await page.keyboard.press('f');
  await expect(favourite(page, 'pods')).toBeVisible();
  const jobs = page.locator('.rail-entry[data-page="jobs.batch"]');
  await jobs.focus();
  await page.keyboard.press('f');
  await expect(page.locator('[data-favourite]')).toHaveText([/^poPods/, /^jobJobs/]);
  await favourite(page, 'jobs.batch').focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect(page.locator('[data-favourite]')).toHaveText([/Jobs/, /Pods/]);
  await expect(favourite(page, 'jobs.batch')).toBeFocused();
  await page.keyboard.press('b');
  await expect(page.locator('.rail')).toHaveClass(/collapsed/);

  await page.reload();
  await expect(page.locator('[data-favourite]')).toHaveText([/Jobs/, /Pods/]);
  await expect(page.locator('.rail')).toHaveClass(/collapsed/);
  await page.getByTestId('collapse').click();
  await favourite(page, 'pods').hover();
  await page.locator('.rail-favourites .rail-star[aria-label^="Pods"]').click();
  await expect(page.locator('[data-favourite]')).toHaveText([/Jobs/]);
});

test('a group that is opened counts its kinds by one short list each', async ({ cluster, kubectlProxy, page, pods }) => {
  const counted: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.searchParams.get('limit') === '1') counted.push(url.pathname.replace(/^.*\//, ''));
  });
  await pods.openConnected(kubectlProxy.url);
  await kindsAreKnown(page);
  const group = page.locator('[data-group=Access]');
  await expect(group.locator('.rail-entry').first()).toBeHidden();
  const names = ['roles', 'clusterroles', 'clusterrolebindings'];
  expect(counted).not.toContain('roles');
  await group.locator('summary').click();
  for (const name of names) {
    const expected = (await cluster.kubectl('get', name, '--all-namespaces', '-o', 'name')).trim().split('\n').length;
    const count = group.locator(`[data-page="${name}.rbac.authorization.k8s.io"] .rail-count`);
    await expect(count).toHaveText(expected.toLocaleString('en'));
  }
  await group.locator('summary').click();
  await group.locator('summary').click();
  await expect(group.locator('.rail-entry').first()).toBeVisible();
  for (const name of names) expect(counted.filter((other) => other === name)).toEqual([name]);

  await page.getByLabel('Find a kind').fill('gau');
  await expect(page.locator('.rail-entry:visible')).toHaveText([/Gauges/]);
  await page.reload();
  await expect(group.locator('.rail-entry').first()).toBeVisible();
});

test('the page of informers tells what runs, pauses it, and lets it go after its minute', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'no-name-of-mine');
  await page.clock.install();
  await pods.openConnected(kubectlProxy.url);
  await kindsAreKnown(page);
  await page.keyboard.press(':');
  await page.keyboard.type('informers');
  await page.keyboard.press('Enter');
  await expect(title(page)).toHaveText('Informers');
  await pods.expectConnection('connected');
  const line = (kind: string) => page.locator(`[data-informer*="/${kind} "]`);
  const cell = (kind: string, column: string) => line(kind).locator(`[data-column="${column}"]`);
  await expect(cell('pods', 'State')).toHaveText('Connected');
  await expect(cell('pods', 'Scope')).toHaveText('all namespaces');
  await expect(cell('pods', 'Transport')).toHaveText(/fetch|WebSocket/);
  await expect(cell('pods', 'Lists')).toHaveText('1');
  await expect(cell('pods', 'Used by')).toHaveText(/^nobody, ends in \d+ s$/);
  await expect(cell('namespaces', 'Used by')).toHaveText('table');
  await expect(line('customresourcedefinitions')).toContainText('kinds');

  const queue = page.getByTestId('queues').locator('[data-queue="pods"] [data-column]');
  await cluster.kubectl('label', 'pod/no-name-of-mine', '-n', namespace, 'tier=gold');
  await expect(queue.nth(2)).toHaveText(/^[1-9]\d*$/);
  await expect(queue.nth(3)).toHaveText(/^\d+\.\d ms, at most \d+\.\d ms$/);
  await expect(page.getByTestId('facts')).toContainText(/Long frames: (none|\d+) since the page was loaded/);

  await page.getByTestId('copy-report').click();
  const report = await page.evaluate(() => navigator.clipboard.readText());
  expect(report).toContain('| pods | all namespaces | Connected |');
  expect(report).toMatch(/\| name \| workqueue_depth \|[^]*\| pods \| 0 \| \d+ \|/);
  expect(report).toContain('- Long frames: ');
  for (const name of [namespace, 'no-name-of-mine', 'kube-system']) expect(report).not.toContain(name);

  await line('pods').focus();
  await page.keyboard.press('l');
  await expect(cell('pods', 'Lists')).toHaveText('2');
  await page.keyboard.press('p');
  await expect(cell('pods', 'State')).toHaveText('Paused');
  await page.goBack();
  await expect(title(page)).toHaveText('Pods');
  await pods.expectConnection('stale');
  await expect(pods.connection).toContainText('Paused since');
  await pods.connection.click();
  await pods.retryNow.click();
  await pods.expectConnection('connected');
  await page.goForward();
  await expect(cell('pods', 'State')).toHaveText('Connected');

  await page.clock.runFor('02:00');
  await expect(line('pods')).toHaveCount(0);
  await expect(line('namespaces')).toHaveCount(1);
});
