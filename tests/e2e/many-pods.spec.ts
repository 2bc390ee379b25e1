import { Recorder } from './support/recorder';
import { createPods } from './support/many';
import { expect, test } from './support/test';

const total = 3000;
// The API server makes some hundred pods a second.
test.setTimeout(360_000);

test('3,000 pods scroll with under 80 rows in the document', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.takesPods(namespace);
  const names = await createPods(kubectlProxy.origin, namespace, total);

  await pods.openConnected(kubectlProxy.url, { namespaces: [namespace] });
  await expect(pods.count).toContainText('3,000');
  await expect(pods.grid).toHaveAttribute('aria-rowcount', String(total + 1));
  const recorder = await Recorder.start(page);

  await pods.scroll('end');
  await expect(pods.row(names.at(-1) ?? '')).toBeInViewport();
  await pods.scroll('top');
  await expect(pods.row(names[0] ?? '')).toBeInViewport();
  const seen = await pods.names();
  expect(seen, 'every pod has its row').toEqual(names);

  const { mostRows } = await recorder.stop();
  console.log(`bench: at most ${mostRows} rows in the document`);
  expect(mostRows).toBeGreaterThan(10);
  expect(mostRows).toBeLessThan(80);
});
