import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from './support/cluster';
import { ObjectPanel } from './support/object-panel';
import { KubectlProxy } from './support/proxy';
import { expect, failedRequests, test } from './support/test';

const deployment = (namespace: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: ${namespace}, labels: { app: web }, annotations: { note: '${'long '.repeat(40)}' } }
spec:
  replicas: 1
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: registry.example/web:1, args: ['yes', '1', "a: 'b'"] }] }
`;
const secret = (namespace: string) => `
apiVersion: v1
kind: Secret
metadata: { name: keys, namespace: ${namespace} }
stringData: { password: open-sesame, token: other-value }
`;

let namespace: string;
let object: ObjectPanel;

test.beforeEach(async ({ newNamespace, page }) => {
  namespace = await newNamespace();
  object = new ObjectPanel(page);
});

/** As the API server's JSON, whatever wrote it. */
async function parsed(cluster: Cluster, yaml: string): Promise<unknown> {
  const file = join(await mkdtemp(join(tmpdir(), 'watchglass-e2e-')), 'object.yaml');
  await writeFile(file, yaml);
  return JSON.parse(await cluster.kubectl('create', '--dry-run=client', '--validate=false', '-o', 'json', '-f', file));
}

test('a deployment opens by keyboard, follows the cluster, and says when it is gone and when it is back', async ({
  cluster,
  kubectlProxy,
  page,
  pods,
}) => {
  await cluster.apply(deployment(namespace));
  const path = ['deployment', 'web', '-n', namespace] as const;
  await cluster.kubectl('wait', '--for=condition=Available', ...path, '--timeout=60s');
  await page.goto(`${kubectlProxy.url}#/deployments.apps?namespaces=${namespace}`);
  await expect(pods.row('web')).toBeVisible();

  await test.step('Enter opens the selected row, and the keyboard goes with it', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await object.expectOpen('Deployment', `${namespace}/web`);
    await expect(object.panel).toBeFocused();
    await expect(page.getByRole('complementary', { name: `${namespace}/web` })).toBeVisible();
    await expect(object.panel.locator('.object-state')).toContainText('Available');
    await expect(object.field('READY')).toHaveText('1/1');
    await expect(object.field('IMAGES')).toHaveText('registry.example/web:1');
    await expect(object.section('Conditions').getByRole('row', { name: /^Available True/ })).toBeVisible();
    await expect(object.section('Annotations').locator('details').first()).not.toHaveAttribute('open');
  });

  await test.step('its YAML is what kubectl has', async () => {
    await page.keyboard.press('2');
    await expect(object.tab('YAML')).toHaveAttribute('aria-selected', 'true');
    await expect(object.yaml.locator('.yaml-line').first()).toHaveText('apiVersion: apps/v1');
    const shown = await parsed(cluster, await object.yamlText());
    expect(shown).toEqual(JSON.parse(await cluster.kubectl('get', ...path, '-o', 'json')));
  });

  await test.step('what is looked for is found', async () => {
    await page.keyboard.press('/');
    await expect(object.find).toBeFocused();
    await page.keyboard.type('registry.example');
    await expect(page.getByTestId('yaml-found')).toHaveText('1 of 1');
    await expect(object.yaml.locator('.yaml-line.current')).toContainText('image: registry.example/web:1');
    await expect(object.yaml.locator('mark')).toHaveText(['registry.example']);
    await object.find.fill('WEB');
    await expect(page.getByTestId('yaml-found')).toHaveText(/^1 of \d+$/);
    const current = object.yaml.locator('mark.current');
    await expect(current).toHaveText('web');
    await expect(current).toBeInViewport();
    const first = await current.evaluate((mark) => mark.closest('.yaml-line')?.textContent);
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('yaml-found')).toHaveText(/^2 of/);
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.press('Escape');
    await expect(object.panel).toBeFocused();
    await page.keyboard.press('n');
    await page.keyboard.press('n');
    await expect(page.getByTestId('yaml-found')).toHaveText(/^3 of/);
    await page.keyboard.press('N');
    await page.keyboard.press('N');
    await expect(page.getByTestId('yaml-found')).toHaveText(/^1 of/);
    expect(await current.evaluate((mark) => mark.closest('.yaml-line')?.textContent)).toBe(first);
    await object.find.fill('/image: .*/');
    await expect(current).toHaveText(['image', ': ', 'registry.example/web:1']);
    await object.find.fill('/(/');
    await expect(object.find).toHaveAttribute('aria-invalid', 'true');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await expect(object.find).toHaveValue('');
    await expect(object.yaml.locator('mark')).toHaveCount(0);
    await expect(object.panel).toBeFocused();
  });

  await test.step('a change is shown where it is made', async () => {
    await cluster.kubectl('label', ...path, 'tier=gold');
    await expect(object.yaml.getByText('tier: gold', { exact: true })).toBeVisible();
    await page.keyboard.press('1');
    await expect(object.section('Labels')).toContainText('tier=gold');
  });

  await test.step('an address restores it', async () => {
    await page.keyboard.press('Y');
    await page.reload();
    await object.expectOpen('Deployment', `${namespace}/web`);
    await expect(object.yaml).toContainText('tier: gold');
    await expect(pods.row('web')).toHaveAttribute('aria-selected', 'true');
  });

  await test.step('deleted, it stays with its last state; created again, it is the new one', async () => {
    await cluster.kubectl('delete', ...path, '--cascade=orphan');
    await expect(object.told).toHaveText(/^Deleted \d\d:\d\d:\d\d/);
    await expect(object.yaml).toContainText('tier: gold');
    await cluster.apply(deployment(namespace));
    await expect(object.told).toHaveText(/^Created again \d\d:\d\d:\d\d/);
    await expect(object.yaml).not.toContainText('tier: gold');
  });
});

test('what belongs to a deployment is listed, and leads there; events are told', async ({
  cluster,
  kubectlProxy,
  page,
}) => {
  await cluster.apply(deployment(namespace));
  await page.goto(`${kubectlProxy.url}#/deployments.apps?object=${namespace}/web&tab=related`);
  await object.expectOpen('Deployment', `${namespace}/web`);
  const sets = object.related('replicasets.apps').getByRole('link');
  await expect(sets).toHaveCount(1);
  const pods = object.related('pods').getByRole('link');
  await expect(pods).toHaveCount(1);
  const [set = '', pod = ''] = [await sets.textContent(), await pods.textContent()];

  await page.goto(`${kubectlProxy.url}#/pods?object=${namespace}/${pod}&tab=related`);
  await expect(object.related('owners').getByRole('listitem')).toHaveText([`ReplicaSet ${set}`, 'Deployment web']);
  await object.related('owners').getByRole('link', { name: 'web', exact: true }).click();
  await object.expectOpen('Deployment', `${namespace}/web`);

  await object.tab('Events').click();
  const events = page.getByTestId('object-events');
  await expect(events).toContainText('ScalingReplicaSet');
  await expect(events.locator('.status.ok').first()).toHaveText('Normal');

  await object.tab('Related').click();
  await expect(sets).toHaveCount(1);
  await cluster.kubectl('set', 'image', 'deployment/web', '-n', namespace, 'web=registry.example/web:2');
  await expect(sets).toHaveCount(2);
  await sets.getByText(set ?? '', { exact: true }).click();
  await object.expectOpen('ReplicaSet', `${namespace}/${set}`);
  await expect(page).toHaveURL(/#\/replicasets\.apps\?/);
  await expect(object.section('Owners').getByRole('link')).toHaveText('web');
});

test('a secret keeps its values to itself until they are revealed, one by one', async ({
  cluster,
  kubectlProxy,
  page,
}) => {
  await cluster.apply(secret(namespace));
  const values = ['open-sesame', 'other-value'].flatMap((text) => [text, Buffer.from(text).toString('base64')]);
  const stands = async () => {
    const html = await page.content();
    return values.filter((value) => html.includes(value));
  };
  await page.goto(`${kubectlProxy.url}#/secrets?object=${namespace}/keys`);
  await object.expectOpen('Secret', `${namespace}/keys`);
  await expect(object.section('Data')).toContainText('11 bytes');
  expect(await stands()).toEqual([]);
  await object.tab('YAML').click();
  await expect(object.yaml).toContainText('password: ••••••••');
  expect(await stands()).toEqual([]);

  await object.yaml.getByRole('button', { name: 'Reveal password' }).click();
  await expect(object.yaml).toContainText('password: open-sesame');
  expect(await stands()).toEqual(['open-sesame']);
  await object.yaml.getByRole('button', { name: 'Hide password' }).click();
  await expect(object.yaml).not.toContainText('open-sesame');
  expect(await stands()).toEqual([]);
});

test('rows open by pointer and close by key; the next and the previous come without closing; back closes', async ({
  cluster,
  kubectlProxy,
  page,
  pods,
}) => {
  for (const name of ['a', 'b', 'c'])
    await cluster.kubectl('create', 'configmap', name, '-n', namespace, '--from-literal=key=value');
  await page.goto(`${kubectlProxy.url}#/configmaps?namespaces=${namespace}`);
  await pods.row('a').locator('[data-column=NAME]').click();
  await object.expectOpen('ConfigMap', `${namespace}/a`);
  await page.keyboard.press(']');
  await object.expectOpen('ConfigMap', `${namespace}/b`);
  await expect(pods.row('b')).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press(']');
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await object.expectOpen('ConfigMap', `${namespace}/a`);

  await page.goBack();
  await expect(object.panel).toBeHidden();
  await page.goForward();
  await object.expectOpen('ConfigMap', `${namespace}/a`);
  await page.keyboard.press('Escape');
  await expect(object.panel).toBeHidden();
  await expect(pods.grid).toBeFocused();
  await expect(pods.row('a')).toHaveAttribute('aria-selected', 'true');

  await pods.row('c').locator('[data-column=DATA]').dblclick();
  await object.expectOpen('ConfigMap', `${namespace}/c`);
  const edge = object.panel.getByRole('separator');
  const before = Number(await edge.getAttribute('aria-valuenow'));
  await edge.press('ArrowLeft');
  await expect(edge).toHaveAttribute('aria-valuenow', String(before + 2));
  await page.reload();
  await expect(edge).toHaveAttribute('aria-valuenow', String(before + 2));
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByRole('dialog', { name: `${namespace}/c` })).toBeVisible();
  expect(await object.panel.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 });
});

test.describe('without the right', () => {
  test.use({ expectedErrors: failedRequests });

  test('a part that may not be listed says so, with the verb and the resource', async ({ cluster, page }) => {
    const { kubectl, admin, restricted } = cluster.file;
    await cluster.kubectl('create', 'configmap', 'a', '-n', namespace, '--from-literal=key=value');
    const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig);
    const restrictedProxy = await KubectlProxy.start(kubectl, restricted.kubeconfig);
    try {
      // The administrator, but for what only the restricted user is asked for.
      await page.route(/\/api\/v1\/namespaces\/[^/]*\/events/, (route) =>
        route.continue({ url: route.request().url().replace(proxy.origin, restrictedProxy.origin) }),
      );
      await page.goto(`${proxy.url}#/configmaps?object=${namespace}/a&tab=events`);
      await expect(page.getByTestId('object-events')).toContainText(`You may not list events in ${namespace}`);
    } finally {
      await page.goto('about:blank');
      await restrictedProxy.stop();
      await proxy.stop();
    }
  });
});
