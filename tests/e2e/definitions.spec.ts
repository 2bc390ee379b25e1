import { definitionOf } from './support/definition';
import { expect, failedRequests, test } from './support/test';

test.use({ expectedErrors: failedRequests });

const columns = (columns: string) => definitionOf({ kind: 'Lamp', group: 'rights.test', scope: 'Cluster', columns });
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
    const answer = (await response.json()) as { items?: { metadata: { name: string }; versions: { version: string }[] }[] };
    for (const group of answer.items ?? [])
      if (group.metadata.name === 'apps') group.versions = group.versions.map((it) => ({ ...it, version: 'v9' }));
    // It is neither packed any more nor what the server's own tag is of.
    const { 'content-encoding': _encoding, 'content-length': _length, etag: _etag, ...headers } = response.headers();
    await route.fulfill({ status: response.status(), headers, body: JSON.stringify(answer) });
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
  // The count shall be the table's alone, and not that of a short list.
  await page.route(/\/services\?(.*&)?limit=1(&|$)/, (route) => route.fulfill({ status: 404, body: '404 page not found' }));
  let hasEnded = false;
  const isOfServices = (url: string) => url.includes('/services?');
  page.on('requestfailed', (request) => {
    if (isOfServices(request.url())) hasEnded = true;
  });
  page.on('websocket', (socket) => {
    if (isOfServices(socket.url())) socket.on('close', () => (hasEnded = true));
  });
  await pods.openConnected(kubectlProxy.url);
  await page.evaluate(() => (location.hash = '#/services'));
  await expect(page.getByRole('columnheader', { name: 'CLUSTER-IP' })).toBeVisible();
  await pods.expectConnection('connected');
  await page.evaluate(() => (location.hash = '#/pods'));
  await expect(page.getByRole('columnheader', { name: 'RESTARTS' })).toBeVisible();
  await expect(page.locator('.rail-entry[data-page="services"] .rail-count')).not.toBeEmpty();
  expect(hasEnded).toBe(false);
  for (let quarters = 0; quarters < 6; quarters++) await page.clock.runFor(15_000);
  await expect.poll(() => hasEnded).toBe(true);
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
