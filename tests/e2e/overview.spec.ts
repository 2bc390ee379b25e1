import type { Locator, Page } from '@playwright/test';
import { ObjectPanel } from './support/object-panel';
import { KubectlProxy } from './support/proxy';
import { expect, failedRequests, test } from './support/test';

/** The line of a reason that names an object. */
function problem(page: Page, reason: string, object: string): Locator {
  const line = page.getByTestId('problem').filter({ has: page.locator('.status', { hasText: reason }) });
  return line.filter({ hasText: object });
}

test('what is wrong appears on the overview, leads to its table, and goes when it is mended', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.takesPods(namespace);
  await page.goto(`${kubectlProxy.url}#/overview?namespaces=${namespace}`);
  await pods.expectConnection('connected');
  await expect(page.getByTestId('overview-notes')).toBeEmpty();
  await expect(page.getByTestId('problem').filter({ hasText: namespace })).toHaveCount(0);
  await expect(pods.query).toBeDisabled();

  await cluster.apply(trouble(namespace));
  const lines = [
    { reason: 'Unschedulable', name: 'stuck', page: 'pods', kind: 'Pod' },
    { reason: 'Short of replicas', name: 'idle', page: 'deployments.apps', kind: 'Deployment' },
    { reason: 'Pending', name: 'empty', page: 'persistentvolumeclaims', kind: 'PersistentVolumeClaim' },
  ];
  for (const { reason, name } of lines)
    await expect(problem(page, reason, `${namespace}/${name}`)).toBeVisible({ timeout: 30_000 });
  await expect(problem(page, 'Short of replicas', namespace)).toContainText('0 of 2');
  await expect(problem(page, 'Unschedulable', namespace)).toContainText('3 pods');
  await expect(problem(page, 'FailedScheduling', `${namespace}/stuck`)).toBeVisible({ timeout: 30_000 });
  const object = new ObjectPanel(page);

  for (const { reason, name, kind, page: table } of lines) {
    for (const where of ['.problem-link', `.problem-names a:text-is("${namespace}/${name}")`]) {
      const link = problem(page, reason, `${namespace}/${name}`).locator(where);
      const alone = where !== '.problem-link' || !(await link.textContent())?.includes('3 pods');
      await link.click();
      const leads = alone ? `object=${namespace}/${name}` : 'query=';
      await expect(page).toHaveURL(new RegExp(`#/${table}\\?namespaces=${namespace}&${leads}`));
      if (alone) await object.expectOpen(kind, `${namespace}/${name}`);
      await expect(pods.row(name)).toBeVisible();
      await page.goBack();
    }
  }
  await problem(page, 'FailedScheduling', namespace).locator('.problem-link').click();
  await expect(page.getByTestId('event').filter({ hasText: 'pod/stuck' })).toBeVisible();
  await page.goBack();

  await cluster.kubectl('delete', 'pod/stuck', 'deployment/idle', 'pvc/empty', '-n', namespace);
  for (const { reason } of lines) await expect(problem(page, reason, namespace)).toHaveCount(0, { timeout: 30_000 });
  // The scheduler may have a last word about what is gone.
  await expect(async () => {
    await cluster.kubectl('delete', 'events', '--all', '-n', namespace);
    await expect(page.getByTestId('problem').filter({ hasText: namespace })).toHaveCount(0, { timeout: 5_000 });
  }).toPass();
});

test('the nodes tell what is asked of them, and each kind how many there are', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'web');
  await page.goto(kubectlProxy.url);
  await pods.expectConnection('connected');
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  const node = (await cluster.kubectl('get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}')).trim();
  await expect(page.getByTestId('node-load').filter({ hasText: node })).toContainText('requested');

  await page.evaluate((namespace) => (location.hash = `#/overview?namespaces=${namespace}`), namespace);
  const count = (name: string) => page.locator(`.counts-item[data-page="${name}"] .counts-number`);
  await expect(count('pods')).toHaveText('1');
  await expect(count('serviceaccounts')).toHaveText('1');

  // A pattern means the namespaces that it fits.
  await page.evaluate((pattern) => (location.hash = `#/overview?namespaces=${pattern}`), `*${namespace.slice(1)}`);
  await expect(page).toHaveURL(/\*/);
  await expect(count('pods')).toHaveText('1');
  await expect(count('serviceaccounts')).toHaveText('1');
  await page.locator('.counts-item[data-page="pods"] a').click();
  await expect(pods.row('web')).toBeVisible();
});

test('events about one object and reason are one row with their count, and a type can be chosen', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'web');
  const record = (name: string, reason: string, type: string, count: number) =>
    cluster.apply(event(namespace, name, reason, type, count));
  await record('a', 'Flaky', 'Warning', 3);
  await page.goto(`${kubectlProxy.url}#/grouped-events?namespaces=${namespace}`);
  await pods.expectConnection('connected');
  const rows = page.getByTestId('event');
  const flaky = rows.filter({ hasText: 'Flaky' });
  await expect(flaky.locator('.event-count')).toHaveText('3');

  await record('b', 'Flaky', 'Warning', 4);
  await record('c', 'Calm', 'Normal', 1);
  await expect(flaky.locator('.event-count')).toHaveText('7');
  await expect(flaky).toHaveCount(1);
  await expect(flaky.locator('.event-message')).toHaveText('Said by b');
  await record('b', 'Flaky', 'Warning', 6);
  await expect(flaky.locator('.event-count')).toHaveText('9');

  const calm = rows.filter({ hasText: 'Calm' });
  const types = page.getByTestId('event-type');
  await expect(calm).toBeVisible();
  await types.getByRole('button', { name: 'Warning' }).click();
  await expect(calm).toHaveCount(0);
  await expect(page).toHaveURL(/type=Warning/);
  await page.keyboard.press('t');
  await expect(calm).toBeVisible();
  await expect(flaky).toHaveCount(0);

  await types.getByRole('button', { name: 'All' }).click();
  await pods.query.fill('count>5 reason=Flaky');
  await expect(rows).toHaveCount(1);
  await page.keyboard.press('Enter');
  await page.keyboard.press('j');
  await expect(flaky).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await new ObjectPanel(page).expectOpen('Pod', `${namespace}/web`);
  await expect(pods.row('web')).toHaveAttribute('aria-selected', 'true');
  await page.goBack();

  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    flaky.getByRole('link', { name: 'pod/web' }).click({ button: 'middle' }),
  ]);
  await new ObjectPanel(tab).expectOpen('Pod', `${namespace}/web`);
  await tab.close();
  await expect(flaky).toBeVisible();
});

test.describe('with few rights', () => {
  test.use({ expectedErrors: failedRequests });

  test('who may not list nodes reads so on the overview', async ({ cluster, page }) => {
    const { kubectl, restricted } = cluster.file;
    const proxy = await KubectlProxy.start(kubectl, restricted.kubeconfig);
    try {
      await page.goto(`${proxy.url}#/overview`);
      const notes = page.getByTestId('overview-notes');
      await expect(notes).toContainText('You may not list nodes', { timeout: 30_000 });
      await expect(notes).toContainText('You may not list secrets');
      await expect(page.getByTestId('overview-nodes')).toContainText('You may not list nodes');
    } finally {
      await page.goto('about:blank');
      await proxy.stop();
    }
  });
});

/** A pod and a deployment that fit no node, and a claim that nothing provides for. */
function trouble(namespace: string): string {
  const nowhere = { nodeSelector: { nowhere: 'at-all' }, containers: [{ name: 'app', image: 'registry.example/app:1' }] };
  const labels = { app: 'idle' };
  const metadata = (name: string) => ({ name, namespace });
  const items = [
    { apiVersion: 'v1', kind: 'Pod', metadata: metadata('stuck'), spec: nowhere },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: metadata('idle'),
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: nowhere } },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: metadata('empty'),
      spec: {
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        storageClassName: 'no-such-class',
      },
    },
  ];
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

function event(namespace: string, name: string, reason: string, type: string, count: number): string {
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const involvedObject = { apiVersion: 'v1', kind: 'Pod', namespace, name: 'web' };
  const times = { firstTimestamp: now, lastTimestamp: now };
  const metadata = { name, namespace };
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Event', metadata, involvedObject, reason, type, count, ...times },
    ...{ message: `Said by ${name}`, source: { component: 'e2e' } },
  });
}
