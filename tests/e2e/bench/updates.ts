import { type Tab, Traffic } from './chromium';
import { cores, mb, ms, quantile, report } from './figures';
import { bench } from './fixtures';
import { named, options } from './options';
import { type Following, type Shown, changeCells, clockOrigin, followRestarts, takeShown } from './probe';
import type { Sent, Target } from './target';

const SETTLE_MS = 1_000;
const LOST_MS = 10_000;
/** As often as the page shows changes. */
const CHANGES_A_SECOND = 30;
const ONE_CELL = '<p role="row"><span data-column="RESTARTS">0</span></p>';

/** From the sending of an update to its cell being painted; and what a browser takes for the painting alone. */
export function updates(pods: number): void {
  bench(`updates of ${named(pods)}`, async ({ startChromium, target }) => {
    const total = await target.load(pods);
    const chromium = await startChromium();
    for (const rate of options.rates) {
      const tab = await chromium.open(target.url, total);
      await print(tab, target, rate, total);
      await tab.close();
    }
    const tab = await chromium.open(target.url, total);
    await chromium.withoutNetwork(() => printPainting(tab, `${total} pods`));
    await tab.close();
    const plain = await chromium.openPlain(ONE_CELL);
    await printPainting(plain, 'a page with one cell');
    await plain.close();
  });
}

/** One cell of the page is changed and lit at a time, by a script: no informer is at work. */
async function printPainting(tab: Tab, page: string): Promise<void> {
  await tab.page.evaluate(changeCells, 1_000 / CHANGES_A_SECOND);
  const busy = await tab.busy(() => tab.page.waitForTimeout(options.seconds * 1_000));
  report(
    `cells changed by a script ${CHANGES_A_SECOND} times a second, ${page}`,
    `page ${cores(busy.page)}, browser ${cores(busy.browser)}`,
    { cpu_cores: busy.page, browser_cpu_cores: busy.browser },
  );
}

async function print(tab: Tab, target: Target, rate: number, objects: number): Promise<void> {
  const { text, ...figures } = await measureUpdates(tab, target, rate);
  report(`updates at ${rate} a second, ${objects} pods`, text, { objects, ...figures });
}

/** Lets the pods in view change for as long as the options say. */
export async function measureUpdates(tab: Tab, target: Target, rate: number) {
  const inView = await tab.page.evaluate(followRestarts);
  const origin = await tab.page.evaluate(clockOrigin);
  const traffic = await Traffic.start(tab);
  const followed = await target.follow();
  const churning = await target.churn(rate, inView.length, options.seconds);
  let churned = '';
  const busy = await tab.busy(async () => (churned = await churning.succeeds()));
  // The last ones are still under way.
  await tab.page.waitForTimeout(SETTLE_MS);
  const sent = (await followed()).filter(({ uid }) => inView.includes(uid));
  const shown = await shownAtLast(tab, sent);
  const { times, added, missing } = delays(sent, shown, origin);
  const heard = sent.map(({ at, heard }) => heard - at);
  const watches = traffic.watches();
  const figures = {
    rate: sent.length / options.seconds,
    p50_ms: quantile(times, 0.5),
    p95_ms: quantile(times, 0.95),
    p99_ms: quantile(times, 0.99),
    added_p50_ms: quantile(added, 0.5),
    added_p99_ms: quantile(added, 0.99),
    heard_p50_ms: quantile(heard, 0.5),
    heard_p95_ms: quantile(heard, 0.95),
    heard_p99_ms: quantile(heard, 0.99),
    cpu_cores: busy.page,
    browser_cpu_cores: busy.browser,
    cpu_seconds_per_1000_events: (busy.page * options.seconds * 1000) / sent.length,
    bytes_received: traffic.bytes,
    watches_opened: Object.values(watches).reduce((sum, count) => sum + count, 0),
    updates_never_shown: missing.length,
  };
  const text =
    `${times.length} of ${sent.length} updates painted (${figures.rate.toFixed(0)} a second; ` +
    `never shown: ${missing.length}, of ${new Set(missing.map(({ uid }) => uid)).size} pods); sent to painted p50 ` +
    `${ms(figures.p50_ms)}, p95 ${ms(figures.p95_ms)}, p99 ${ms(figures.p99_ms)}, longest ${ms(Math.max(...times))}; ` +
    `a bare watch heard of them p50 ${ms(figures.heard_p50_ms)}, p95 ${ms(figures.heard_p95_ms)}, p99 ` +
    `${ms(figures.heard_p99_ms)}, longest ${ms(Math.max(...heard))}; from then to painted p50 ` +
    `${ms(figures.added_p50_ms)}, p99 ${ms(figures.added_p99_ms)}; page ${cores(busy.page)}, browser ` +
    `${cores(busy.browser)}; received ${mb(traffic.bytes)}, watches opened: ${JSON.stringify(watches)}; ` +
    `load: ${churned.trim().split('\n').at(-1)}`;
  return { text, ...figures };
}

/** All that the page showed, once it shows the last update of each pod; what takes longer than the limit is lost. */
async function shownAtLast({ page }: Tab, sent: Sent[]): Promise<Shown[]> {
  const last = sent.map(({ uid, value }) => ({ uid, value }));
  const isShown = (last: { uid: string; value: number }[]) => {
    const { shown } = globalThis as Following;
    return last.every(({ uid, value }) => shown.some((one) => one.uid === uid && one.value >= value));
  };
  await page.waitForFunction(isShown, last, { timeout: LOST_MS, polling: 500 }).catch(() => undefined);
  return page.evaluate(takeShown);
}

/** An update is there as soon as its number, or a later one that took its place, is painted. */
function delays(sent: Sent[], shown: Shown[], origin: number) {
  const byPod = new Map<string, Shown[]>();
  for (const one of shown) byPod.set(one.uid, [...(byPod.get(one.uid) ?? []), one]);
  const missing: Sent[] = [];
  const painted = sent.flatMap((update) => {
    const first = byPod.get(update.uid)?.find((one) => one.value >= update.value);
    if (!first) missing.push(update);
    return first ? [{ ...update, painted: origin + first.at }] : [];
  });
  const times = painted.map(({ at, painted }) => painted - at);
  const added = painted.map(({ heard, painted }) => painted - heard);
  return { times, added, missing };
}
