import type { Tab } from './chromium';
import { median, ms, report } from './figures';
import { bench } from './fixtures';
import { printMemory } from './list';
import { options } from './options';
import { type Answered, ask, sortBy } from './probe';
import { printFrames } from './scroll';

/** Columns by which the loaded pods stand in another order than at first. */
const SORTED = ['AGE', 'IP'];
/** Up, down, and as at first. */
const PRESSES = 3;
const QUERY = 'worker';

/** Far more pods than the real API server of a test takes, from the in-memory one. */
export function large(pods: number): void {
  bench(`${pods} pods in memory`, async ({ startChromium, startMemory }) => {
    const server = await startMemory(pods);
    const url = `${server.url}#/pods`;
    await printMemory(startChromium, url, pods, `${pods} in-memory pods`);
    const chromium = await startChromium();
    const tab = await chromium.open(url, pods);
    await printFrames(tab, pods, 'in memory, nothing changes');
    await printSorts(tab, pods);
    await printQueries(tab, pods);
    await tab.close();
  });
}

async function printSorts(tab: Tab, objects: number): Promise<void> {
  const sorts: Answered[] = [];
  for (const column of SORTED) {
    for (let press = 0; press < PRESSES; press++) sorts.push(await tab.page.evaluate(sortBy, column));
  }
  print(`sort of ${objects} pods`, sorts, objects);
}

/** Each beginning of a word from nothing, and back: the count on the page differs each time. */
async function printQueries(tab: Tab, objects: number): Promise<void> {
  const answers: Answered[] = [];
  for (let run = 0; run < options.runs; run++) {
    for (let length = 1; length <= QUERY.length; length++) {
      for (const text of [QUERY.slice(0, length), '']) answers.push(await tab.page.evaluate(ask, text));
    }
  }
  print(`query of ${objects} pods`, answers, objects);
}

function print(mode: string, answers: Answered[], objects: number): void {
  const [work, painted] = [answers.map((one) => one.work), answers.map((one) => one.painted)];
  const figures = {
    objects,
    work_p50_ms: median(work),
    work_longest_ms: Math.max(...work),
    painted_p50_ms: median(painted),
    painted_longest_ms: Math.max(...painted),
  };
  report(
    mode,
    `rows changed after ${ms(figures.work_p50_ms)} (longest ${ms(figures.work_longest_ms)}), painted after ` +
      `${ms(figures.painted_p50_ms)} (longest ${ms(figures.painted_longest_ms)}), of ${answers.length}`,
    figures,
  );
}
