import { type Page } from '@playwright/test';
import { randomBytes } from 'node:crypto';
import { ObjectPanel } from './support/object-panel';
import { KubectlProxy } from './support/proxy';
import { expect, failedRequests, leavePages, test } from './support/test';

const app = (namespace: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: ${namespace}, labels: { app: web } }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: 'registry.example/web:1' }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: ${namespace} }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: ${namespace} }
`;

const title = (page: Page) => page.getByRole('heading', { level: 1 });
const kind = (page: Page, name: string) => page.getByTestId('kinds').locator(`[data-kind="${name}"]`);
const faults = (page: Page) => page.getByTestId('query-errors').getByRole('listitem');
const current = (page: Page) => page.locator('[role=row][data-current]');

/** Kind and name of the rows, without what a deployment's name is followed by. */
async function rows(page: Page): Promise<string[]> {
  const all = await page.locator('[role=row][data-uid]:not([data-leaving])').evaluateAll((rows) =>
    rows
      .sort((a, b) => Number(a.ariaRowIndex) - Number(b.ariaRowIndex))
      .map((row) => {
        const cell = (name: string) => row.querySelector(`[data-column=${name}]`)?.textContent ?? '';
        return `${cell('KIND')} ${cell('NAME').replace(/-[0-9a-z-]+$/, '')}`;
      }),
  );
  return all;
}

test('a query that names kinds turns the page into one live table, whose rows open beside it', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.apply(app(namespace));
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
  await expect(page.locator('.rail-entry[data-page="deployments.apps"]')).toBeAttached();

  // A name that is none yet leaves the page as it is, and says what may be meant.
  await pods.query.fill('kind:deplo');
  await expect(faults(page)).toContainText('This server has no kind deplo; near to it are deployments.apps');
  await expect(title(page)).toHaveText('Pods');
  await pods.query.fill('web kind:deploy,svc,po');
  await expect(title(page)).toHaveText('Objects');
  await expect(pods.query).toBeFocused();
  await expect.poll(() => rows(page)).toEqual(['Deployment web', 'Service web', 'Pod web']);
  await expect(kind(page, 'services')).toContainText(/Services\s*1 of /);
  await expect(pods.chip(namespace)).toBeVisible();

  // It is live: what comes is in its place, what goes is gone.
  await cluster.kubectl('create', 'service', 'clusterip', 'web-admin', '--tcp=81', '-n', namespace);
  await expect(pods.row('web-admin')).toContainText(/Service.*type ClusterIP/);
  await cluster.kubectl('delete', 'service', 'web-admin', '-n', namespace);
  await expect(pods.row('web-admin')).toHaveCount(0);

  // A column of one kind asks the others for nothing they have.
  await pods.query.fill('kind:deploy,svc,po type:ClusterIP');
  await expect.poll(() => rows(page)).toEqual(['Service web']);
  await pods.query.fill('kind:deploy,svc,nothing colour:red');
  await expect(faults(page)).toHaveText([/no kind nothing/, /None of the kinds has a column colour/]);
  await pods.query.fill('kind:deploy,svc,cm !kube-root');
  await expect.poll(() => rows(page)).toEqual(['ConfigMap settings', 'Deployment web', 'Service web']);
  await page.getByRole('columnheader', { name: 'KIND' }).click();
  await page.getByRole('columnheader', { name: 'KIND' }).click();
  await expect.poll(() => rows(page)).toEqual(['Service web', 'Deployment web', 'ConfigMap settings']);

  // By keyboard, from row to row, whatever kind they are of.
  const panel = new ObjectPanel(page);
  await pods.query.press('Enter');
  await page.keyboard.press('g');
  await page.keyboard.press('Enter');
  await panel.expectOpen('Service', `${namespace}/web`);
  await page.keyboard.press(']');
  await panel.expectOpen('Deployment', `${namespace}/web`);
  await expect(current(page)).toContainText('Deployment');
  await page.keyboard.press('Y');
  await expect(panel.yaml).toContainText('kind: Deployment');
  await page.reload();
  await panel.expectOpen('Deployment', `${namespace}/web`);
  await expect.poll(() => rows(page)).toEqual(['Service web', 'Deployment web', 'ConfigMap settings']);
  await page.keyboard.press('Escape');
  await expect(panel.panel).toHaveCount(0);

  // The filter goes before the kinds, and back leads to the page before.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(pods.query).toHaveValue('kind:deploy,svc,cm');
  await page.goBack();
  await expect(title(page)).toHaveText('Pods');
  await page.goForward();
  await expect(title(page)).toHaveText('Objects');
});

test.describe('marked rows', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('rows of several kinds are copied together, and deleted where they are of one', async ({
    cluster,
    kubectlProxy,
    newNamespace,
    page,
    pods,
  }) => {
    const namespace = await newNamespace();
    await cluster.apply(app(namespace));
    await page.goto(`${kubectlProxy.url}#/pods`);
    await expect(page.locator('.rail-entry[data-page="deployments.apps"]')).toBeAttached();

    // The palette leads there too, and completes the last name.
    await page.keyboard.press(':');
    await page.keyboard.type('kind:cm,serv');
    const options = page.getByRole('dialog', { name: 'Go to' }).getByRole('option');
    await expect(options.nth(0)).toContainText('kind:cm,serv');
    await options.filter({ hasText: 'kind:cm,services' }).click();
    await expect(pods.query).toHaveValue('kind:cm,services');
    await pods.query.fill(`kind:cm,services ns=${namespace} name:(web|settings)`);
    await expect.poll(() => rows(page)).toEqual(['ConfigMap settings', 'Service web']);

    await pods.query.press('Enter');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('y');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('settings\nweb');
    const remove = page.getByTestId('delete');
    await expect(remove).toHaveAttribute('title', 'Select objects of one kind to delete them');
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('x');
    await expect(page.getByTestId('selection-count')).toHaveText('1 selected');
    await page.keyboard.press('Control+d');
    const question = page.getByTestId('delete-dialog');
    await expect(question).toContainText(`Delete ConfigMap ${namespace}/settings`);
    await question.getByRole('button', { name: 'Delete' }).click();
    await expect(question).toHaveCount(0);
    await expect(pods.row('settings')).toHaveCount(0);
  });
});

test.describe('with few rights', () => {
  test.use({ expectedErrors: failedRequests });

  test('a kind that may not be listed is named, and the others are shown', async ({ cluster, context, page, pods }) => {
    const name = `across-${randomBytes(4).toString('hex')}`;
    const { kubectl, admin } = cluster.file;
    const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig, undefined, undefined, [`--as=${name}`]);
    try {
      await cluster.kubectl('create', 'clusterrole', name, '--verb=get,list,watch', '--resource=namespaces,services');
      await cluster.kubectl('create', 'clusterrolebinding', name, `--clusterrole=${name}`, `--user=${name}`);
      await page.goto(`${proxy.url}#/across?query=kind:svc,no,ns%20name:(kubernetes|default)`);
      await expect.poll(() => rows(page)).toEqual(['Namespace default', 'Service kubernetes']);
      await expect(kind(page, 'nodes')).toHaveAttribute('data-state', 'refused');
      await expect(page.getByTestId('scope')).toHaveText('You may not list nodes');
      await pods.expectConnection('connected');
    } finally {
      await leavePages(context).finally(() => proxy.stop());
      await cluster.kubectl('delete', 'clusterrole,clusterrolebinding', '--ignore-not-found', name);
    }
  });
});
