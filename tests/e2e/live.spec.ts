import { Recorder } from './support/recorder';
import { agePattern, withoutAge } from './support/table';
import { expect, test } from './support/test';

test('a deployment scaled 0 → 5 → 2 appears and goes row by row, without a reload', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  const scale = (replicas: number) =>
    cluster.kubectl('scale', 'deployment/web', `--replicas=${replicas}`, '-n', namespace);
  await cluster.kubectl('create', 'deployment', 'web', '--image=nginx', '--replicas=0', '-n', namespace);
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
  await pods.expectScreen('empty');
  const recorder = await Recorder.start(page);

  await scale(5);
  await cluster.kubectl('rollout', 'status', 'deployment/web', '-n', namespace);
  await expect(async () => {
    const expected = await cluster.podTable(namespace);
    expect(expected).toHaveLength(5);
    expect(withoutAge(await pods.table())).toEqual(withoutAge(expected));
  }).toPass();
  await expect(pods.grid).toHaveAttribute('aria-rowcount', '6');
  await expect(pods.count).toContainText('5');
  const five = await pods.uids();

  await scale(2);
  await expect(async () => {
    const expected = await cluster.podTable(namespace);
    expect(expected).toHaveLength(2);
    expect(withoutAge(await pods.table())).toEqual(withoutAge(expected));
  }).toPass();
  await expect(pods.grid).toHaveAttribute('aria-rowcount', '3');
  for (const { AGE } of await pods.table()) expect(AGE).toMatch(agePattern);

  const { appeared, disappeared } = await recorder.read();
  const two = await pods.uids();
  expect([...appeared].sort(), 'each pod appeared once').toEqual(five);
  expect([...disappeared].sort(), 'three went, and none came back').toEqual(five.filter((uid) => !two.includes(uid)));
});

test('ages go on without any event', async ({ cluster, kubectlProxy, newNamespace, pods }) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'web');
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
  const age = pods.row('web').locator('[data-column=AGE]');
  await expect(age).toHaveText(agePattern);
  const before = await age.innerText();
  await expect(age).not.toHaveText(before);
  await expect(age).toHaveText(agePattern);
});

for (const hours of [1, -1]) {
  test(`a device whose clock is ${hours > 0 ? 'ahead' : 'behind'} by an hour shows ages by the server's clock`, async ({
    cluster,
    kubectlProxy,
    newNamespace,
    page,
    pods,
  }) => {
    const namespace = await newNamespace();
    await page.clock.install({ time: Date.now() + hours * 3_600_000 });
    await cluster.createPod(namespace, 'web');
    await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
    await expect(pods.row('web').locator('[data-column=AGE]')).toHaveText(/^(\d+s|[2-9]m(\d+s)?)$/);
  });
}

test('two namespaces with the same pod name are two rows', async ({ cluster, kubectlProxy, newNamespace, pods }) => {
  const namespaces = [await newNamespace(), await newNamespace()].sort();
  for (const namespace of namespaces) await cluster.createPod(namespace, 'twin');
  await pods.openConnected(kubectlProxy.url, { namespaces });
  await expect(pods.row('twin')).toHaveCount(2);
  expect((await pods.table()).map((cells) => cells.NAMESPACE)).toEqual(namespaces);
  expect(new Set(await pods.uids()).size).toBe(2);

  await cluster.deletePod(namespaces[0] ?? '', 'twin');
  await expect(pods.row('twin')).toHaveCount(1);
  expect((await pods.table()).map((cells) => cells.NAMESPACE)).toEqual(namespaces.slice(1));
});

test('a pod deleted and created again under the same name is another row', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'phoenix');
  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
  await expect(pods.row('phoenix')).toHaveCount(1);
  const [first] = await pods.uids();

  await cluster.deletePod(namespace, 'phoenix');
  await cluster.createPod(namespace, 'phoenix');
  await expect.poll(() => pods.uids()).toEqual(await cluster.podUids(namespace));
  await expect(pods.row('phoenix')).toHaveCount(1);
  expect(await pods.uids()).not.toContain(first);
});
