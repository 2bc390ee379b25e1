import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './support/cluster';
import { ObjectPanel } from './support/object-panel';
import { KubectlProxy } from './support/proxy';
import { expect, failedRequests, test } from './support/test';

const definitions = ['gauges', 'valves', 'pipes'].map((name) => `${name}.explorer.test`);

test.beforeAll(async ({ cluster }) => {
  await cluster.apply(readFileSync(join(__dirname, 'support/definitions.yaml'), 'utf8'));
  await cluster.kubectl('wait', '--for=condition=Established', 'crd', ...definitions);
});

test.afterAll(async ({ cluster }) => {
  await cluster.kubectl('delete', 'crd', '--ignore-not-found', '--wait=false', ...definitions);
});

const custom = (kind: string, name: string, namespace?: string) => `
apiVersion: explorer.test/v1
kind: ${kind}
metadata: { name: ${name}${namespace ? `, namespace: ${namespace}` : ''} }
`;

/** Owned by a custom resource, which is in a namespace or in none. */
async function own(cluster: Cluster, kind: string, owner: string, owned: string, namespace: string): Promise<void> {
  const place = kind === 'Valve' ? [] : ['-n', namespace];
  const uid = await cluster.kubectl('get', kind, owner, ...place, '-o', 'jsonpath={.metadata.uid}');
  const references = [{ apiVersion: 'explorer.test/v1', kind, name: owner, uid }];
  const patch = JSON.stringify({ metadata: { ownerReferences: references } });
  await cluster.kubectl('patch', owned, '-n', namespace, '--type=merge', '-p', patch);
}

test('what a custom resource owns is listed, whatever kind it is of, and followed', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
}) => {
  const namespace = await newNamespace();
  const object = new ObjectPanel(page);
  await cluster.apply(custom('Gauge', 'boiler', namespace) + '---' + custom('Pipe', 'hot', namespace));
  await cluster.apply(custom('Valve', 'links-main'));
  await cluster.createPod(namespace, 'worker');
  await cluster.kubectl('create', 'configmap', 'settings', '-n', namespace);
  await own(cluster, 'Gauge', 'boiler', 'pipes.explorer.test/hot', namespace);
  await own(cluster, 'Gauge', 'boiler', 'pod/worker', namespace);
  await own(cluster, 'Valve', 'links-main', 'configmap/settings', namespace);

  await page.goto(`${kubectlProxy.url}#/gauges.explorer.test?object=${namespace}/boiler&tab=related`);
  await object.expectOpen('Gauge', `${namespace}/boiler`);
  await expect(object.related('pipes.explorer.test').getByRole('link')).toHaveText(['hot']);
  await expect(object.related('pods').getByRole('listitem')).toContainText('worker');
  await expect(object.related('others')).toContainText(/It owns nothing else among \d+ other kinds/);
  await expect(object.related('configmaps')).toHaveCount(0);

  await cluster.kubectl('delete', 'pod/worker', '-n', namespace, '--wait=false', '--grace-period=0', '--force');
  await expect(object.related('pods')).toContainText('None');
  await own(cluster, 'Gauge', 'boiler', 'configmap/settings', namespace);
  await object.panel.focus();
  await page.keyboard.press('o');
  await expect(object.related('configmaps').getByRole('link')).toHaveText(['settings']);

  await object.related('configmaps').getByRole('link').click();
  await object.expectOpen('ConfigMap', `${namespace}/settings`);
  await object.tab('Related').click();
  await expect(object.related('owners').getByRole('link')).toHaveText(['boiler']);
  await object.related('others').getByRole('button').click();
  await expect(object.related('others')).toContainText('It owns nothing among');

  await own(cluster, 'Valve', 'links-main', 'configmap/settings', namespace);
  await page.goto(`${kubectlProxy.url}#/valves.explorer.test?object=links-main&tab=related`);
  await object.expectOpen('Valve', 'links-main');
  await expect(object.related('configmaps').getByRole('link')).toHaveText([`${namespace}/settings`]);
  await cluster.kubectl('delete', 'valve', 'links-main');
});

test.describe('with few rights', () => {
  test.use({ expectedErrors: failedRequests });

  test('kinds that may not be listed are named, and not asked for', async ({ cluster, newNamespace, page }) => {
    const namespace = await newNamespace();
    await cluster.apply(custom('Gauge', 'boiler', namespace) + '---' + custom('Pipe', 'hot', namespace));
    await own(cluster, 'Gauge', 'boiler', 'pipes.explorer.test/hot', namespace);
    const name = `links-${namespace}`;
    const rules = "--resource=gauges.explorer.test,pipes.explorer.test";
    await cluster.kubectl('create', 'role', name, '-n', namespace, '--verb=get,list,watch', rules);
    await cluster.kubectl('create', 'rolebinding', name, '-n', namespace, `--role=${name}`, `--user=${name}`);
    const { kubectl, admin } = cluster.file;
    const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig, undefined, undefined, [`--as=${name}`]);
    try {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const table = `#/gauges.explorer.test?namespaces=${namespace}`;
      await page.goto(`${proxy.url}${table}&object=${namespace}/boiler&tab=related`);
      const object = new ObjectPanel(page);
      await object.expectOpen('Gauge', `${namespace}/boiler`);
      await expect(object.related('pipes.explorer.test').getByRole('link')).toHaveText(['hot']);
      await expect(object.related('others')).toContainText(/You may not list .*ConfigMaps/);
      expect(asked.filter((path) => path.endsWith(`/namespaces/${namespace}/configmaps`))).toEqual([]);
      await page.close();
    } finally {
      await proxy.stop();
    }
  });
});
