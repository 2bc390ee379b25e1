import type { Page } from '@playwright/test';
import { timeFrames } from './support/in-page';
import { Recorder } from './support/recorder';
import { createPods } from './support/many';
import { expect, test } from './support/test';

const total = 3000;
// The fake kubelet reports each pod as running; the API server takes some hundred such updates a second.
test.setTimeout(360_000);
// A trace takes a picture at each step, and frames with it.
test.use({ trace: 'off' });

test('3,000 pods scroll with under 80 rows in the document', async ({
  cluster,
  kubectlProxy,
  newNamespace,
  page,
  pods,
}) => {
  const namespace = await newNamespace();
  await cluster.kubectl('wait', '--for=create', 'serviceaccount/default', '-n', namespace, '--timeout=60s');
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
  // The control plane that starts the pods shares this machine's cores with the browser.
  await expect
    .poll(() => cluster.kubectl('get', 'pods', '-n', namespace, '--field-selector=status.phase!=Running', '-o', 'name'), {
      timeout: 180_000,
    })
    .toBe('');
  await printFrames(page);
});

/** The figures depend on the machine: printed, not asserted. */
async function printFrames(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const secondsOf = async (name: string) => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find((metric) => metric.name === name)?.value ?? 0;
  };
  const [script, tasks] = [await secondsOf('ScriptDuration'), await secondsOf('TaskDuration')];
  const frames = (await page.evaluate(timeFrames, { frames: 600, step: 60 })).sort((a, b) => a - b);
  const perFrame = (seconds: number) => ((1000 * seconds) / frames.length).toFixed(1);
  const at = (share: number) => (frames[Math.floor(share * (frames.length - 1))] ?? 0).toFixed(1);
  const fps = (1000 * frames.length) / frames.reduce((sum, time) => sum + time, 0);
  console.log(
    `bench: scrolling ${total} pods, ${frames.length} frames: ${fps.toFixed(1)} frames a second, ` +
      `frame p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms; ` +
      `of each frame ${perFrame((await secondsOf('TaskDuration')) - tasks)} ms busy, ` +
      `${perFrame((await secondsOf('ScriptDuration')) - script)} ms of it in scripts`,
  );
}
