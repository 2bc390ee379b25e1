import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chromium, Memory, Tab } from './chromium';
import { type Figures, mb, ms, reportBeside } from './figures';
import { bench } from './fixtures';
import { CACHED_AFTER_MS } from './list';
import { named, options } from './options';
import { CHURNED_PODS, measureFrames } from './scroll';
import type { Target } from './target';
import { measureUpdates } from './updates';

const OURS = 'watchglass';
const POLLING = 'a page that polls';

/** The page beside a plain one that lists all pods every five seconds, as dashboards do that do not watch. */
export function compare(pods: number): void {
  bench(`beside a page that polls, ${named(pods)}`, async ({ startChromium, target }) => {
    const total = await target.load(pods);
    const polling = await servePolling(target);
    const figures: Record<string, Figures> = {};
    for (const [peer, url] of [
      [OURS, target.url],
      [POLLING, polling.url],
    ] as const) {
      const chromium = await startChromium();
      await polling.serveTo(chromium);
      figures[peer] = await visit(chromium, target, url, total);
      await chromium.stop();
    }
    reportBeside(`${total} pods`, figures);
  });
}

/** Opens the page with a warm cache, lets the pods in view change, scrolls, and looks at the memory before and after. */
async function visit(chromium: Chromium, target: Target, url: string, pods: number): Promise<Figures> {
  const first = await chromium.open(url, pods);
  await first.page.waitForTimeout(CACHED_AFTER_MS);
  await first.close();
  const tab = await chromium.open(url, pods);
  const loaded = await tab.loaded();
  const before = await tab.memory();
  const rate = Math.max(...options.rates);
  const updates = await measureUpdates(tab, target, rate);
  const after = await tab.memory();
  const frames = await scrollWhileChurning(tab, target, rate);
  return {
    'first screen': ms(loaded.firstScreen ?? NaN),
    'all pods': ms(loaded.synced ?? NaN),
    [`updates a second`]: updates.rate.toFixed(0),
    'sent to painted p50': painted(updates.p50_ms),
    'sent to painted p99': painted(updates.p99_ms),
    'never painted': updates.updates_never_shown,
    'a bare watch heard, p99': ms(updates.heard_p99_ms),
    'from then to painted, p99': painted(updates.added_p99_ms),
    'core of the page': updates.cpu_cores.toFixed(3),
    'received meanwhile': mb(updates.bytes_received),
    'frames a second, scrolling': frames.toFixed(1),
    'wasm, JS heap at first': heap(before),
    'wasm, JS heap after the updates': heap(after),
    'memory of its process': mb(after.process),
  };
}

async function scrollWhileChurning(tab: Tab, target: Target, rate: number): Promise<number> {
  const churning = await target.churn(rate, CHURNED_PODS);
  const { frames_per_second } = await measureFrames(tab);
  await churning.stop();
  return frames_per_second;
}

const heap = ({ wasm, heap }: Memory) => `${mb(wasm)}, ${mb(heap)}`;
const painted = (time: number) => (Number.isNaN(time) ? 'none was' : ms(time));

/** On the origin of the API, so that it needs no rights of its own. */
async function servePolling(target: Target) {
  const body = await readFile(join(__dirname, 'polling/index.html'), 'utf8');
  const url = `${target.origin}/polling/`;
  const serveTo = ({ context }: Chromium) =>
    context.route(url, (route) => route.fulfill({ body, contentType: 'text/html' }));
  return { url, serveTo };
}
