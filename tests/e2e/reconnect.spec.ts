import { Recorder } from './support/recorder';
import { withoutAge } from './support/table';
import { expect, failedRequests, test } from './support/test';

test.use({ expectedErrors: failedRequests });
// The page waits longer with each failure, as client-go does; a busy machine adds its own.
test.setTimeout(240_000);

test('a pod deleted while kubectl proxy is stopped is gone once it is back', async ({
  cluster,
  ownKubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  for (const name of ['alpha', 'beta', 'gamma']) await cluster.createPod(namespace, name);
  await pods.openConnected(ownKubectlProxy.url, { namespaces: [namespace] });
  await pods.expectNames(['alpha', 'beta', 'gamma']);
  const recorder = await Recorder.start(page);

  await ownKubectlProxy.stop();
  await pods.expectDisconnected();
  await pods.connection.click();
  await expect(pods.connectionDetails).toContainText(/\w+ \w+ \w+/);
  await cluster.deletePod(namespace, 'beta');
  await cluster.createPod(namespace, 'delta');
  await pods.expectNames(['alpha', 'beta', 'gamma']);
  const during = await recorder.read();
  expect(during.lost, 'rows lost during the outage').toEqual([]);
  expect(during.screens, 'screens in place of the table').toEqual([]);

  await ownKubectlProxy.start();
  await pods.expectConnection('connected');
  await pods.expectNames(['alpha', 'delta', 'gamma']);
  await expect(async () => {
    expect(withoutAge(await pods.table())).toEqual(withoutAge(await cluster.podTable(namespace)));
  }).toPass();
  expect(await pods.uids()).toEqual(await cluster.podUids(namespace));
  expect((await recorder.read()).disappeared, 'only the deleted one went').toHaveLength(1);
});

test('an API server killed and started again is caught up with', async ({
  cluster,
  ownKubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  for (const name of ['alpha', 'beta', 'gamma']) await cluster.createPod(namespace, name);
  await pods.openConnected(ownKubectlProxy.url, { namespaces: [namespace] });
  await pods.expectNames(['alpha', 'beta', 'gamma']);
  const recorder = await Recorder.start(page);

  try {
    await cluster.killApiServer();
    await pods.expectDisconnected();
    await pods.connection.click();
    await expect(pods.connectionDetails).toContainText(/\w+ \w+ \w+/);
    await pods.expectNames(['alpha', 'beta', 'gamma']);
    const during = await recorder.read();
    expect(during.lost, 'rows lost during the outage').toEqual([]);
    expect(during.screens, 'screens in place of the table').toEqual([]);
  } finally {
    await cluster.startApiServer();
  }
  // Forced: the fake kubelet, which would end it in good order, has to come back as well.
  await cluster.kubectl('delete', 'pod', 'beta', '-n', namespace, '--force', '--grace-period=0');
  await cluster.createPod(namespace, 'delta');

  await pods.expectConnection('connected');
  await pods.expectNames(['alpha', 'delta', 'gamma']);
  await expect(async () => {
    expect(withoutAge(await pods.table())).toEqual(withoutAge(await cluster.podTable(namespace)));
  }).toPass();
  expect(await pods.uids()).toEqual(await cluster.podUids(namespace));
  expect((await recorder.read()).disappeared, 'only the deleted one went').toHaveLength(1);
});

test('without a network the page says so, and goes on as soon as it is back', async ({
  cluster,
  context,
  ownKubectlProxy,
  newNamespace,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'alpha');
  await pods.openConnected(ownKubectlProxy.url, { namespaces: [namespace] });
  await pods.expectNames(['alpha']);

  await context.setOffline(true);
  // The browser leaves open what it pretends to have lost.
  await ownKubectlProxy.stop();
  await pods.expectDisconnected();
  await expect(pods.connection).toContainText('Offline');
  await pods.connection.click();
  await expect(pods.connectionDetails).toContainText('when this device is online');
  await cluster.createPod(namespace, 'beta');
  await ownKubectlProxy.start();
  await pods.expectNames(['alpha']);

  await context.setOffline(false);
  await pods.expectConnection('connected');
  await pods.expectNames(['alpha', 'beta']);
});
