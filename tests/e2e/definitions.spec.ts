import { expect, failedRequests, test } from './support/test';

test.use({ expectedErrors: failedRequests });

const columns = (json: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: lamps.rights.test }
spec:
  group: rights.test
  scope: Cluster
  names: { plural: lamps, singular: lamp, kind: Lamp }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
      additionalPrinterColumns: ${json}
`;
const lamp = `
apiVersion: rights.test/v1
kind: Lamp
metadata: { name: desk }
spec: { watts: 7, colour: amber }
`;

test.afterAll(async ({ cluster }) => {
  await cluster.kubectl('delete', 'crd', '--ignore-not-found', '--wait=false', 'lamps.rights.test');
});

test('a kind that comes while the page is open is shown, and its columns change with its definition', async ({
  cluster,
  kubectlProxy,
  page,
  pods,
}) => {
  await pods.openConnected(kubectlProxy.url);
  await expect(page.locator('.rail-entry[data-page="nodes"]')).toHaveCount(1);
  await cluster.apply(columns('[{ name: Watts, type: integer, jsonPath: .spec.watts }]'));
  await cluster.kubectl('wait', '--for=condition=Established', 'crd', 'lamps.rights.test');
  await cluster.apply(lamp);
  await expect(page.locator('.rail-entry[data-page="lamps.rights.test"]')).toHaveCount(1);
  await page.evaluate(() => (location.hash = '#/lamps.rights.test'));
  await expect(page.getByRole('columnheader')).toHaveText(['NAME', 'WATTS']);

  await cluster.apply(columns('[{ name: Colour, type: string, jsonPath: .spec.colour }]'));
  await expect(page.getByRole('columnheader')).toHaveText(['NAME', 'COLOUR']);
  await expect(page.getByRole('gridcell', { name: 'amber' })).toBeVisible();
});

test('a built-in kind is listed in the version that the server has', async ({ kubectlProxy, page, pods }) => {
  // A server of later days: apps are served as v9 only.
  await page.route(/\/apis(\?|$)/, async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replaceAll('apps/v1', 'apps/v9');
    const answer = JSON.parse(text) as { items?: { metadata: { name: string }; versions: { version: string }[] }[] };
    for (const group of answer.items ?? [])
      if (group.metadata.name === 'apps') group.versions = group.versions.map((it) => ({ ...it, version: 'v9' }));
    await route.fulfill({ response, json: answer, headers: { ...response.headers(), etag: '' } });
  });
  await page.route('**/apis/apps/v1/**', (route) => route.fulfill({ status: 404, body: '404 page not found' }));
  await page.route('**/apis/apps/v9/**', (route) =>
    route.continue({ url: route.request().url().replace('/v9/', '/v1/') }),
  );
  await page.goto(`${kubectlProxy.url}#/deployments.apps`);
  await pods.expectConnection('connected');
  await expect(page.getByRole('columnheader', { name: 'UP-TO-DATE' })).toBeVisible();
});

test('a table that nobody looks at is given up after a minute', async ({ kubectlProxy, page, pods }) => {
  await page.clock.install();
  const watches = new Set<string>();
  page.on('request', (request) => {
    if (request.url().includes('/services?') && request.url().includes('watch=true')) watches.add(request.url());
  });
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/services?'));
  await pods.openConnected(`${kubectlProxy.url}`);
  await page.evaluate(() => (location.hash = '#/services'));
  await expect(page.getByRole('columnheader', { name: 'CLUSTER-IP' })).toBeVisible();
  await expect.poll(() => watches.size).toBe(1);
  await page.evaluate(() => (location.hash = '#/pods'));
  await expect(page.getByRole('columnheader', { name: 'RESTARTS' })).toBeVisible();
  await expect(page.locator('.rail-entry[data-page="services"] .rail-count')).not.toBeEmpty();
  await page.clock.runFor(90_000);
  await ended;
  await expect(page.locator('.rail-entry[data-page="services"] .rail-count')).toBeEmpty();
});

test('a word is looked for in the columns that are shown', async ({ cluster, kubectlProxy, newNamespace, page, pods }) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'web');
  // Each pod has <none> for a nominated node, in a column that is hidden at first.
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace], query: '"<none>" name:web' });
  await pods.expectScreen('empty');
  await page.getByTestId('wide').click();
  await expect(pods.row('web')).toBeVisible();
  await page.getByTestId('wide').click();
  await pods.expectScreen('empty');
});
