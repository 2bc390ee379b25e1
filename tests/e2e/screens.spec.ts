import { holdPods } from './support/gate';
import { KubectlProxy } from './support/proxy';
import { expect, failedRequests, test } from './support/test';

test.use({ expectedErrors: failedRequests });

test('a list that is on its way shows loading, and rows as soon as it is there', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'web');
  const letGo = await holdPods(page);
  await pods.open(kubectlProxy.url, { namespaces: [namespace] });
  await pods.expectScreen('loading');
  await expect(pods.connection).toHaveAttribute('data-state', 'connecting');

  letGo();
  await expect(pods.row('web')).toBeVisible();
  await expect(pods.screens).toHaveCount(0);
});

test('a namespace without pods is empty, and says so otherwise than a filter that hides all', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  pods,
}) => {
  const namespace = await newNamespace();
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
  await pods.expectScreen('empty');
  const noneThere = await pods.screen('empty').innerText();

  await cluster.createPod(namespace, 'web');
  await expect(pods.row('web')).toBeVisible();
  await pods.query.fill('no such pod');
  await pods.expectScreen('empty');
  expect(await pods.screen('empty').innerText()).not.toBe(noneThere);
  await expect(pods.screen('empty')).toContainText('1');

  await pods.query.fill('');
  await expect(pods.row('web')).toBeVisible();
});

test('a user without the right to list sees forbidden, with the verb, the resource and the user', async ({
  cluster,
  pods,
}) => {
  const { kubectl, restricted } = cluster.file;
  const restrictedProxy = await KubectlProxy.start(kubectl, restricted.kubeconfig);
  try {
    await pods.open(restrictedProxy.url);
    await pods.expectScreen('forbidden');
    await expect(pods.screenMessage).toContainText('list');
    await expect(pods.screenMessage).toContainText('pods');
    await expect(pods.screenMessage).toContainText('restricted');
  } finally {
    await restrictedProxy.stop();
  }
});

test('a server that cannot be reached shows failed with the reason, and a retry brings the rows', async ({
  cluster,
  ownKubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'web');
  const letGo = await holdPods(page);
  await pods.open(ownKubectlProxy.url, { namespaces: [namespace] });
  await pods.expectScreen('loading');
  await ownKubectlProxy.stop();
  letGo();
  await pods.expectScreen('failed');
  await expect(pods.screenMessage).toContainText(/\w+ \w+ \w+/);

  await ownKubectlProxy.start();
  await pods.connection.click();
  await pods.retryUntilConnected();
  await expect(pods.row('web')).toBeVisible();
  await expect(pods.screens).toHaveCount(0);
});

test('loading, empty, forbidden and failed are four different screens', async ({ kubectlProxy, page, pods }) => {
  const answers = {
    loading: undefined,
    empty: { status: 200, json: { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] } },
    forbidden: {
      status: 403,
      json: failure(403, 'Forbidden', 'pods is forbidden: User "eve" cannot list resource "pods"'),
    },
    failed: { status: 500, json: failure(500, 'InternalError', 'etcd is on fire') },
  } as const;
  const texts = new Set<string>();
  for (const [screen, answer] of Object.entries(answers)) {
    // In each namespace too: where not all may be listed, they are asked for one by one.
    await page.route(/\/api\/v1\/(namespaces\/[^/]+\/)?pods\?/, (route) => {
      const isWatch = route.request().url().includes('watch=true');
      return answer && !isWatch ? route.fulfill(answer) : undefined;
    });
    await page.goto('about:blank');
    await pods.open(kubectlProxy.url);
    await pods.expectScreen(screen as keyof typeof answers);
    texts.add(await pods.screen(screen as keyof typeof answers).innerText());
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  }
  expect(texts.size).toBe(4);
});

function failure(code: number, reason: string, message: string) {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}
