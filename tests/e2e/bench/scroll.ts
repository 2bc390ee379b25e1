import { timeFrames } from '../support/in-page';
import type { Tab } from './chromium';
import { ms, quantile, report } from './figures';
import { bench } from './fixtures';
import { named, options } from './options';

const FRAMES = 600;
/** A frame of 60 a second that came late. */
const LATE_MS = 25;
/** More than a screen scrolls by in the time. */
export const CHURNED_PODS = 1_000;

/**
 * Frames while the table scrolls, quiet and while pods change; and with as much to do for the server and another
 * client, but none of it for the page: how many frames the machine leaves it.
 */
export function scroll(pods: number): void {
  bench(`scroll ${named(pods)}`, async ({ startChromium, target }) => {
    const total = await target.load(pods);
    const chromium = await startChromium();
    const tab = await chromium.open(target.url, total);
    await printFrames(tab, total, 'nothing changes');
    for (const rate of options.rates) {
      const churning = await target.churn(rate, CHURNED_PODS);
      await printFrames(tab, total, `${rate} updates a second`);
      await churning.stop();
    }
    await chromium.withoutNetwork(async () => {
      for (const rate of options.rates) {
        const [churning, followed] = [await target.churn(rate, CHURNED_PODS), await target.follow()];
        await printFrames(tab, total, `${rate} updates a second that only another client hears of`);
        await followed();
        await churning.stop();
      }
    });
    await tab.close();
  });
}

export async function printFrames(tab: Tab, objects: number, meanwhile: string): Promise<void> {
  const all = await measureFrames(tab);
  report(
    `scrolling ${objects} pods, ${meanwhile}`,
    `${all.frames_per_second.toFixed(1)} frames a second, frame p50 ${ms(all.frame_p50_ms)}, p95 ` +
      `${ms(all.frame_p95_ms)}, longest ${ms(all.frame_longest_ms)}, ${all.late_frames} of ${FRAMES} late`,
    { objects, ...all },
  );
}

export async function measureFrames(tab: Tab) {
  const frames = await tab.page.evaluate(timeFrames, { frames: FRAMES, step: 60 });
  return {
    frames_per_second: (1000 * frames.length) / frames.reduce((sum, time) => sum + time, 0),
    frame_p50_ms: quantile(frames, 0.5),
    frame_p95_ms: quantile(frames, 0.95),
    frame_longest_ms: Math.max(...frames),
    late_frames: frames.filter((time) => time > LATE_MS).length,
  };
}
