import type { Chromium, Memory, Tab } from './chromium';
import { withoutPods } from './empty';
import { type Figures, mb, median, medians, ms, report } from './figures';
import { bench } from './fixtures';
import { named, options } from './options';
import { type Loaded, download } from './probe';
import { turnsOfList } from './trace';

/** The browser writes compiled WebAssembly into its cache some seconds after it was compiled. */
export const CACHED_AFTER_MS = 5_000;

type Start = () => Promise<Chromium>;

/** From nothing to all pods. */
export function list(pods: number): void {
  bench(`list of ${named(pods)}`, async ({ startChromium, target }) => {
    const total = await target.load(pods);
    const memory = await printMemory(startChromium, target.url, total, `list of ${total}`);
    const pageList = await timeVisits(startChromium, target.url, total, memory);
    await timeDownload(startChromium, pageList, total);
    await printTurns(startChromium, target.url, total);
  });
}

/** Answers the address of the page's list. */
async function timeVisits(start: Start, url: string, pods: number, memory: Figures): Promise<string> {
  const visits: Record<string, Loaded[]> = { cold: [], warm: [] };
  for (let run = 0; run < options.runs; run++) {
    const chromium = await start();
    for (const cache of ['cold', 'warm']) {
      const tab = await chromium.open(url, pods);
      visits[cache]?.push(await tab.loaded());
      if (cache === 'cold') await tab.page.waitForTimeout(CACHED_AFTER_MS);
      await tab.close();
    }
    await chromium.stop();
  }
  for (const [cache, all] of Object.entries(visits)) reportVisits(`list of ${pods}, ${cache} cache`, all, memory);
  return visits.cold?.[0]?.listUrl ?? '';
}

function reportVisits(mode: string, visits: Loaded[], memory: Figures): void {
  const all = medians(
    visits.map((it) => ({
      first_paint: it.firstPaint,
      list_sent: it.listSent,
      first_row: it.firstRow ?? NaN,
      first_screen: it.firstScreen ?? NaN,
      synced: it.synced ?? NaN,
      list_end: it.listEnd - it.listSent,
      first_screen_after_list: (it.firstScreen ?? NaN) - it.listSent,
      synced_after_list: (it.synced ?? NaN) - it.listSent,
      longest_task: Math.max(0, ...it.longTasks.map((task) => task.duration)),
    })),
  );
  const marks = visits[0]?.marks ?? {};
  report(
    mode,
    `first paint ${ms(all.first_paint)}, list sent ${ms(all.list_sent)}, first row ${ms(all.first_row)}, first screen ` +
      `${ms(all.first_screen)}, all synced ${ms(all.synced)} after the navigation; after the list was sent: first ` +
      `screen ${ms(all.first_screen_after_list)}, last byte ${ms(all.list_end)}, synced ${ms(all.synced_after_list)}; ` +
      `longest task ${ms(all.longest_task)} (0: none of 50 ms)`,
    {
      synced_ms: all.synced_after_list,
      ...memory,
      first_paint_ms: all.first_paint,
      list_sent_ms: all.list_sent,
      first_row_ms: all.first_row,
      first_screen_ms: all.first_screen,
      navigation_to_synced_ms: all.synced,
      list_to_first_screen_ms: all.first_screen_after_list,
      list_to_last_byte_ms: all.list_end,
      longest_task_ms: all.longest_task,
      ...Object.fromEntries(Object.entries(marks).map(([name, at]) => [`mark_${name}_ms`, at])),
    },
  );
}

/** The same list, in one part, in a page of the same origin that does nothing with it. */
async function timeDownload(start: Start, pageList: string, objects: number): Promise<void> {
  const chromium = await start();
  const page = await chromium.newPage();
  const list = new URL(pageList);
  list.searchParams.delete('limit');
  await page.goto(new URL('/version', list).href);
  const times: number[] = [];
  let bytes = 0;
  for (let run = 0; run < options.runs; run++) {
    const one = await page.evaluate(download, list.href);
    times.push(one.time);
    bytes = one.bytes;
  }
  await chromium.stop();
  const time = median(times);
  const what = list.pathname + list.search;
  report(`bare download of ${objects}`, `${ms(time)} for ${mb(bytes)} of ${what}`, { synced_ms: time, objects, bytes });
}

/** How long the page keeps its thread from the request of the list on; the tracing makes all of it slower. */
async function printTurns(start: Start, url: string, pods: number): Promise<void> {
  const chromium = await start();
  const turns = await turnsOfList(chromium, `list-${pods}`, () => chromium.open(url, pods));
  await chromium.stop();
  report(
    `turns of a list of ${pods}`,
    `longest ${turns.longest.map(ms).join(', ')}; ${turns.over8} above 8 ms, ${turns.over16} above 16 ms; ` +
      `${ms(turns.busy)} busy; the trace is ${turns.file}`,
    {
      objects: pods,
      longest_turn_ms: turns.longest[0],
      turns_over_8_ms: turns.over8,
      turns_over_16_ms: turns.over16,
      main_thread_busy_ms: turns.busy,
    },
  );
}

/** What the pods add to a page that has none. */
export async function printMemory(start: Start, url: string, pods: number, mode: string): Promise<Figures> {
  const [empty, full] = [await memoryOf(start, url, 0), await memoryOf(start, url, pods)];
  const grown = (name: keyof Memory) => full[name] - empty[name];
  const each = (grown('wasm') + grown('heap')) / pods;
  const figures: Figures = {
    objects: pods,
    heap_bytes_per_object: each,
    wasm_bytes: full.wasm,
    js_heap_bytes: full.heap,
    process_bytes: full.process,
    wasm_growth_bytes: grown('wasm'),
    js_heap_growth_bytes: grown('heap'),
    process_growth_bytes: grown('process'),
  };
  report(
    `memory, ${mode}`,
    `${each.toFixed(0)} bytes a pod: wasm ${mb(full.wasm)} (without pods ${mb(empty.wasm)}), JS heap ${mb(full.heap)} ` +
      `(${mb(empty.heap)}); the page's process ${mb(full.process)} (${mb(empty.process)})`,
    figures,
  );
  return figures;
}

async function memoryOf(start: Start, url: string, pods: number): Promise<Memory> {
  const chromium = await start();
  const tab: Tab = await chromium.open(url, pods, pods === 0 ? withoutPods : undefined);
  const memory = await tab.memory();
  await chromium.stop();
  return memory;
}
