import { type Page, type Route } from '@playwright/test';
import type { Cluster } from './support/cluster';
import { definitionOf } from './support/definition';
import { expect, failedRequests, test } from './support/test';

const heads = (page: Page) => page.getByRole('columnheader');
const cell = (page: Page, name: string, column: string) =>
  page
    .locator('[role=row][data-uid]')
    .filter({ has: page.locator('[data-column=NAME]').getByText(name, { exact: true }) })
    .locator(`[data-column="${column}"]`);

/** A trust bundle with the cluster's own certificate. */
async function trust(cluster: Cluster, name: string, signer: string): Promise<void> {
  const path = 'jsonpath={.clusters[0].cluster.certificate-authority-data}';
  const certificate = atob(await cluster.kubectl('config', 'view', '--raw', '-o', path));
  const versions = await cluster.kubectl('api-resources', '--api-group=certificates.k8s.io', '--no-headers');
  const version = /certificates\.k8s\.io\/(\S+)\s+false\s+ClusterTrustBundle/.exec(versions)?.[1] ?? 'v1';
  const spec = { signerName: signer, trustBundle: certificate };
  const bundle = { apiVersion: `certificates.k8s.io/${version}`, kind: 'ClusterTrustBundle', metadata: { name }, spec };
  await cluster.apply(JSON.stringify(bundle));
}

test.describe('kinds that only the server can print', () => {
  const nameOf = (name: string) => `served.test:${name}:roots`;
  const names: [string, string, string] = [nameOf('a'), nameOf('b'), nameOf('c')];

  test.afterAll(async ({ cluster }) => {
    await cluster.kubectl('delete', 'clustertrustbundles', '--ignore-not-found', ...names);
  });

  test('have the columns of kubectl get -o wide, which are sorted, found and read anew', async ({
    cluster,
    kubectlProxy,
    page,
    pods,
  }) => {
    await trust(cluster, names[0], 'served.test/a');
    await trust(cluster, names[1], 'served.test/b');
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.headers().accept?.includes('as=Table')) asked.push(request.url());
    });
    const expected = await cluster.table('clustertrustbundles');
    await page.goto(`${kubectlProxy.url}#/clustertrustbundles.certificates.k8s.io?wide=true&sort=-SIGNERNAME`);
    await pods.expectConnection('connected');
    await expect(heads(page)).toHaveText(Object.keys(expected[0] ?? {}));
    await expect(cell(page, names[1], 'SIGNERNAME')).toHaveText('served.test/b');
    const withoutTimes = (rows: Record<string, string>[]) =>
      rows.map(({ AGE: _, ...row }) => row).sort((a, b) => ((a.NAME ?? '') < (b.NAME ?? '') ? -1 : 1));
    expect(withoutTimes((await pods.allRows()).map((row) => row.cells as Record<string, string>))).toEqual(
      withoutTimes(expected),
    );
    const shown = async () => (await pods.allRows()).map((row) => row.cells.NAME).filter((name) => names.includes(name));
    expect(await shown()).toEqual([names[1], names[0]]);
    const before = asked.length;

    await trust(cluster, names[2], 'served.test/c');
    await expect(cell(page, names[2], 'SIGNERNAME')).toHaveText('served.test/c');
    expect(asked.length).toBe(before + 1);
    await expect.poll(shown).toEqual([names[2], names[1], names[0]]);
    await pods.query.fill('signername=served.test/a');
    await expect.poll(shown).toEqual([names[0]]);

    await pods.row(names[0]).locator('[data-column=SIGNERNAME]').dblclick();
    const fact = page.locator('.object-summary [data-column=SIGNERNAME]');
    await expect(fact).toHaveText('served.test/a');
  });

  test.describe('where the server does not print them', () => {
    test.use({ expectedErrors: failedRequests });

    test('show names and ages, and say why', async ({ cluster, kubectlProxy, page, pods }) => {
      await trust(cluster, names[0], 'served.test/a');
      let answer: ((route: Route) => Promise<void>) | undefined = (route) => route.fulfill({ status: 503, body: 'away' });
      await page.route(/\/clustertrustbundles\?/, (route) => {
        const isTable = route.request().headers().accept?.includes('as=Table') === true;
        return isTable && answer ? answer(route) : route.continue();
      });
      await page.goto(`${kubectlProxy.url}#/clustertrustbundles.certificates.k8s.io`);
      await expect(pods.row(names[0])).toBeVisible();
      await expect(heads(page)).toHaveText(['NAME', 'AGE']);
      const again = page.getByTestId('list-again');
      await expect(async () => {
        await page.locator('.page-head h1').hover();
        await again.hover();
        await expect(again).toHaveAttribute('title', /The server's own columns did not come: .*away/, { timeout: 500 });
      }).toPass();

      // Who asks for a new list asks for the columns too; a server of old answers with a plain list.
      answer = undefined;
      await again.click();
      await expect(heads(page)).toHaveText(['NAME', 'SIGNERNAME']);
      answer = (route) => route.fulfill({ json: { kind: 'ClusterTrustBundleList', items: [] } });
      await page.reload();
      await expect(pods.row(names[0])).toBeVisible();
      await expect(async () => {
        await page.locator('.page-head h1').hover();
        await again.hover();
        await expect(again).toHaveAttribute('title', /The server tells no columns but names and ages/, { timeout: 500 });
      }).toPass();
      await expect(heads(page)).toHaveText(['NAME', 'AGE']);
    });
  });
});

test.describe('a definition that may not be read', () => {
  test.use({ expectedErrors: failedRequests });
  const definition = definitionOf({
    kind: 'Kettle',
    group: 'served.test',
    scope: 'Namespaced',
    columns:
      '[{ name: Litres, type: integer, jsonPath: .spec.litres },' +
      ' { name: Colour, type: string, jsonPath: .spec.colour, priority: 1 }]',
  });
  const kettle = (namespace: string, litres: number) => `
apiVersion: served.test/v1
kind: Kettle
metadata: { name: steel, namespace: ${namespace} }
spec: { litres: ${litres}, colour: grey }
`;

  test.afterAll(async ({ cluster }) => {
    await cluster.kubectl('delete', 'crd', '--ignore-not-found', '--wait=false', 'kettles.served.test');
  });

  test('has its columns from the server, and many changes are one question', async ({
    cluster,
    kubectlProxy,
    newNamespace,
    page,
    pods,
  }) => {
    const namespace = await newNamespace();
    await cluster.apply(definition);
    await cluster.kubectl('wait', '--for=condition=Established', 'crd', 'kettles.served.test');
    await cluster.apply(kettle(namespace, 1));
    await page.route(/\/customresourcedefinitions\?.*fieldSelector/, (route) => route.fulfill({ status: 403, body: 'no' }));
    let asked = 0;
    page.on('request', (request) => {
      if (request.headers().accept?.includes('as=Table')) asked++;
    });
    await page.goto(`${kubectlProxy.url}#/kettles.served.test?namespaces=${namespace}`);
    await expect(heads(page)).toHaveText(['NAMESPACE', 'NAME', 'LITRES']);
    await expect(cell(page, 'steel', 'LITRES')).toHaveText('1');
    await page.getByTestId('wide').click();
    await expect(cell(page, 'steel', 'COLOUR')).toHaveText('grey');

    const before = asked;
    const changes = 6;
    for (let litres = 2; litres < 2 + changes; litres++) await cluster.apply(kettle(namespace, litres));
    await expect(cell(page, 'steel', 'LITRES')).toHaveText(String(1 + changes));
    expect(asked - before).toBeLessThan(changes);
  });
});

test('an age that only the server prints goes on', async ({ cluster, kubectlProxy, page, pods }) => {
  const name = `ages-${Date.now().toString(36)}`;
  const rule = `
apiVersion: resource.k8s.io/v1
kind: DeviceTaintRule
metadata: { name: ${name} }
spec: { deviceSelector: { driver: none.ages.test }, taint: { key: ages.test/a, value: 30s, effect: NoSchedule } }
`;
  await cluster.apply(rule);
  try {
    await page.goto(`${kubectlProxy.url}#/devicetaintrules.resource.k8s.io?wide=true`);
    await pods.expectConnection('connected');
    const added = cell(page, name, 'TIMEADDED');
    await expect(added).toHaveText(/^\d+s$/);
    const first = await added.textContent();
    await expect(added).not.toHaveText(first ?? '');
    // Read at one moment. The server may have looked at its clock in one second for the taint, and in the next for the object.
    const cells = (await pods.allRows()).find((row) => row.cells.NAME === name)?.cells as Record<string, string> | undefined;
    const seconds = (column: string) => parseInt(cells?.[column] ?? '', 10);
    expect([0, 1]).toContain(seconds('TIMEADDED') - seconds('AGE'));
    await expect(cell(page, name, 'VALUE'), 'a length of time').toHaveText('30s');
  } finally {
    await cluster.remove(rule);
  }
});

test.describe('what pods and nodes use', () => {
  const group = { group: 'metrics.k8s.io', version: 'v1beta1', kind: '' };
  const resource = (name: string, kind: string, scope: string) => ({
    resource: name,
    responseKind: { ...group, kind },
    scope,
    singularResource: '',
    verbs: ['get', 'list'],
  });
  const resources = [resource('nodes', 'NodeMetrics', 'Cluster'), resource('pods', 'PodMetrics', 'Namespaced')];
  const served = { metadata: { name: 'metrics.k8s.io' }, versions: [{ version: 'v1beta1', resources, freshness: 'Current' }] };

  /** Has the server serve metrics.k8s.io, with these measurements. */
  async function measure(page: Page, items: () => Record<'pods' | 'nodes', unknown[]>): Promise<void> {
    await page.route(/\/apis(\?|$)/, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { items?: unknown[] };
      answer.items?.push(served);
      const { 'content-encoding': _encoding, 'content-length': _length, etag: _etag, ...headers } = response.headers();
      await route.fulfill({ status: response.status(), headers, body: JSON.stringify(answer) });
    });
    await page.route(/\/apis\/metrics\.k8s\.io\/v1beta1\/(pods|nodes)\?/, (route) => {
      const name = route.request().url().includes('/pods?') ? 'pods' : 'nodes';
      return route.fulfill({ json: { kind: 'List', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items: items()[name] } });
    });
  }

  const usage = (cpu: string, memory: string) => ({ cpu, memory });

  test('is a column of pods that can be chosen, sorts by value, and stays', async ({
    cluster,
    kubectlProxy,
    newNamespace,
    page,
    pods,
  }) => {
    const namespace = await newNamespace();
    for (const name of ['busy', 'idle', 'new']) await cluster.createPod(namespace, name);
    const pod = (name: string, cpu: string, memory: string) => ({
      metadata: { namespace, name },
      containers: [{ name, usage: usage(cpu, memory) }, { name: 'side', usage: usage('1', '1Mi') }],
    });
    let asked = 0;
    await measure(page, () => {
      asked++;
      return { pods: [pod('busy', '250500u', '2Gi'), pod('idle', '1n', '900Ki')], nodes: [] };
    });
    await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
    await expect(heads(page)).toHaveText(await usualHeads(cluster));
    expect(asked).toBe(0);
    await page.keyboard.press('c');
    for (const name of ['CPU', 'MEMORY']) await page.locator(`.columns-line[data-column="${name}"] input`).check();
    await page.keyboard.press('Escape');
    await expect(page).toHaveURL(/columns=[^&]*CPU(,|%2C)MEMORY/);
    await expect(cell(page, 'busy', 'CPU')).toHaveText('1251m');
    await expect(cell(page, 'busy', 'MEMORY')).toHaveText('2049Mi');
    await expect(cell(page, 'idle', 'CPU')).toHaveText('1001m');
    await expect(cell(page, 'idle', 'MEMORY')).toHaveText('1Mi');
    await expect(cell(page, 'new', 'CPU')).toHaveText('');

    const shown = async () => (await pods.allRows()).map((row) => row.cells.NAME);
    await heads(page).filter({ hasText: 'MEMORY' }).click();
    await expect.poll(shown).toEqual(['new', 'idle', 'busy']);
    await pods.query.fill('memory>1Gi');
    await expect.poll(shown).toEqual(['busy']);
    await page.reload();
    await expect(cell(page, 'busy', 'CPU')).toHaveText('1251m');

    await pods.query.fill('');
    await page.getByTestId('columns').click();
    await page.getByTestId('columns-reset').click();
    await expect(heads(page)).toHaveText(await usualHeads(cluster));
  });

  test('is a share of what a node has, and said to be missing where it cannot be read', async ({
    cluster,
    kubectlProxy,
    page,
    pods,
  }) => {
    const path = 'jsonpath={.items[0].metadata.name} {.items[0].status.allocatable.cpu}';
    const [name = '', cpu] = (await cluster.kubectl('get', 'nodes', '-o', path)).split(' ');
    await measure(page, () => ({ pods: [], nodes: [{ metadata: { name }, usage: usage(`${Number(cpu) * 125}m`, '3Mi') }] }));
    const columns = 'NAME,CPU,CPU%25,MEMORY,MEMORY%25';
    await page.goto(`${kubectlProxy.url}#/nodes?columns=${encodeURIComponent(columns)}`);
    await pods.expectConnection('connected');
    await expect(heads(page)).toHaveText(['NAME', 'CPU', 'CPU%', 'MEMORY', 'MEMORY%']);
    await expect(cell(page, name, 'CPU')).toHaveText(`${Number(cpu) * 125}m`);
    await expect(cell(page, name, 'CPU%')).toHaveText('12%');
    await expect(cell(page, name, 'MEMORY')).toHaveText('3Mi');
    await pods.query.fill('cpu%>=12%');
    await expect.poll(async () => (await pods.allRows()).map((row) => row.cells.NAME)).toEqual([name]);
    await pods.query.fill('cpu%>12');
    await expect.poll(async () => (await pods.allRows()).length).toBe(0);

    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.evaluate(() => localStorage.clear());
    await page.reload();
    await expect(page.getByTestId('scope')).toContainText('does not serve metrics.k8s.io', { timeout: 20_000 });
  });

  async function usualHeads(cluster: Cluster): Promise<string[]> {
    return Object.keys((await cluster.table('pods'))[0] ?? {}).filter((name) => !/GATES|NOMINATED/.test(name));
  }
});
