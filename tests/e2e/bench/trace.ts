import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chromium } from './chromium';

const folder = join(__dirname, '../.artifacts/bench');
const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline', 'v8', 'blink.user_timing'];
const EIGHT_MS = 8;
const FRAME_MS = 16;

export interface Turns {
  /** The five longest tasks of the page's thread, in milliseconds. */
  longest: number[];
  over8: number;
  over16: number;
  busy: number;
  /** For chrome://tracing, or a performance panel. */
  file: string;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** In microseconds, as is `dur`. */
  ts: number;
  dur?: number;
  args?: { name?: string; data?: { url?: string } };
}

/** The tasks of the page since it asked for its list of pods, while something is done. */
export async function turnsOfList(chromium: Chromium, name: string, work: () => Promise<unknown>): Promise<Turns> {
  await chromium.browser.startTracing(undefined, { categories: CATEGORIES });
  await work();
  const trace = await chromium.browser.stopTracing();
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.trace.json`);
  await writeFile(file, trace);
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const durations = busiestMainThread(traceEvents);
  return {
    longest: durations.slice(0, 5),
    over8: durations.filter((duration) => duration > EIGHT_MS).length,
    over16: durations.filter((duration) => duration > FRAME_MS).length,
    busy: durations.reduce((sum, duration) => sum + duration, 0),
    file,
  };
}

/** Durations in milliseconds, the longest first. */
function busiestMainThread(events: TraceEvent[]): number[] {
  const isRequest = ({ name, args }: TraceEvent) =>
    name === 'ResourceSendRequest' && /\/api\/v1\/pods\?/.test(args?.data?.url ?? '');
  const begin = Math.min(...events.filter(isRequest).map(({ ts }) => ts));
  if (begin === Infinity) throw new Error('the trace has no list of pods');
  const thread = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`;
  const isMain = (event: TraceEvent) => event.name === 'thread_name' && event.args?.name === 'CrRendererMain';
  const tasks = new Map(events.filter(isMain).map((event) => [thread(event), [] as number[]]));
  for (const event of events) {
    if (event.name === 'RunTask' && event.ph === 'X' && event.ts >= begin) tasks.get(thread(event))?.push((event.dur ?? 0) / 1000);
  }
  const sum = (durations: number[]) => durations.reduce((sum, duration) => sum + duration, 0);
  const [busiest = []] = [...tasks.values()].sort((a, b) => sum(b) - sum(a));
  return busiest.sort((a, b) => b - a);
}
