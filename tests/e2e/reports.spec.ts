import { expect, failedRequests, test } from './support/test';

// What users of other explorers reported, where no other file has it: see the list in README.md.

const namespace = 'load';

test.describe('against a server in trouble', () => {
  test.use({ expectedErrors: failedRequests, viewport: { width: 1440, height: 1600 } });

  test('after a night asleep with dead connections the rows are right at once', async ({
    memoryApiServer,
    page,
    pods,
  }) => {
    await page.clock.install();
    await pods.openConnected(memoryApiServer.url, { namespaces: [namespace] });
    const [doomed] = await memoryApiServer.pods(namespace);
    await memoryApiServer.inject({ fault: 'silence', path: 'api/v1/pods', count: 1 });
    await memoryApiServer.deletePod(namespace, doomed?.name ?? '');
    await memoryApiServer.createPod(namespace, 'made-at-night');
    await page.clock.fastForward('09:00:00');
    await expect.poll(() => pods.uids(), { timeout: 30_000 }).toEqual(await memoryApiServer.uids(namespace));
    await pods.expectConnection('connected');
  });

  test('rows come though nothing else that the page asks for is answered', async ({ memoryApiServer, page, pods }) => {
    const others = ['api/v1/namespaces?', 'apis', 'version', 'openapi'];
    await memoryApiServer.inject(...others.map((path) => ({ fault: { delay: { milliseconds: 3_600_000 } }, path })));
    await pods.open(memoryApiServer.url);
    await expect.poll(() => pods.uids()).toEqual(await memoryApiServer.uids(namespace));
    await expect(page.locator('.rail')).toContainText('Pods');
  });

  test('rows stand though the head of their watch never comes', async ({ memoryApiServer, pods }) => {
    await memoryApiServer.inject({ fault: { delay: { milliseconds: 3_600_000 } }, path: 'watch=true' });
    await pods.open(memoryApiServer.url);
    await expect.poll(() => pods.uids()).toEqual(await memoryApiServer.uids(namespace));
  });

  test('with a server that is down one can still go through the page, and rows come as soon as it is up', async ({
    memoryApiServer,
    page,
    pods,
  }) => {
    await memoryApiServer.inject({ fault: 'refuse' });
    await pods.open(memoryApiServer.url);
    await pods.expectScreen('failed');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await page.evaluate(() => (location.hash = '#/namespaces'));
    await expect(page.getByRole('heading', { name: 'Namespaces', exact: true })).toBeVisible();
    await pods.expectScreen('failed');
    await memoryApiServer.clearFaults();
    await pods.connection.click();
    await pods.retryUntilConnected();
    await expect.poll(() => pods.names()).toContain(namespace);
  });
});

test('a page watches what it shows and what its frame needs, and nothing else', async ({ kubectlProxy, page, pods }) => {
  const watched = new Set<string>();
  const note = (url: string) => {
    const { pathname, searchParams } = new URL(url);
    if (searchParams.get('watch') === 'true') watched.add(pathname);
  };
  page.on('request', (request) => note(request.url()));
  page.on('websocket', (socket) => note(socket.url()));
  const frame = ['customresourcedefinitions', 'apiservices', 'namespaces'];
  const names = () => [...watched].map((path) => path.split('/').pop()).sort();
  await pods.openConnected(kubectlProxy.url);
  await expect.poll(names).toEqual([...frame, 'pods'].sort());
  await page.evaluate(() => (location.hash = '#/deployments.apps'));
  await expect.poll(names).toEqual([...frame, 'pods', 'deployments'].sort());
});

test('an API service that points nowhere is named, and takes no other kind away', async ({
  cluster,
  kubectlProxy,
  page,
  pods,
}) => {
  const name = 'v1.nowhere.reports.test';
  await cluster.apply(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${name} }
spec:
  group: nowhere.reports.test
  version: v1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: { name: none, namespace: default }
`);
  try {
    await pods.openConnected(kubectlProxy.url);
    await expect(page.locator('.rail')).toContainText('nowhere.reports.test', { timeout: 30_000 });
    for (const kind of ['deployments.apps', 'nodes', 'customresourcedefinitions.apiextensions.k8s.io'])
      await expect(page.locator(`.rail-entry[data-page="${kind}"]`)).toHaveCount(1);
  } finally {
    await cluster.kubectl('delete', 'apiservice', name);
  }
});
