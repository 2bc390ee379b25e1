import type {
  Browser,
  BrowserContext,
  CDPSession,
  LaunchOptions,
  Page,
  PlaywrightWorkerArgs,
  Request,
} from '@playwright/test';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Loaded, type Probed, probe, readLoaded } from './probe';

const VIEWPORT = { width: 1440, height: 900 };
/** Of utime and stime in /proc: USER_HZ, which is 100 on every Linux. */
const TICKS_A_SECOND = 100;

export type Playwright = Pick<PlaywrightWorkerArgs['playwright'], 'chromium'>;

/** A browser with a profile of its own, so that its caches are empty at first and kept from page to page. */
export class Chromium {
  private constructor(
    readonly context: BrowserContext,
    readonly browser: Browser,
    private readonly profile: string,
  ) {}

  static async start({ chromium }: Playwright, launch: LaunchOptions): Promise<Chromium> {
    const profile = await mkdtemp(join(tmpdir(), 'watchglass-bench-'));
    const context = await chromium.launchPersistentContext(profile, { ...launch, headless: true, viewport: VIEWPORT });
    // It begins with a page for new tabs, which is a program of its own.
    for (const page of context.pages()) await page.goto('about:blank');
    const browser = context.browser();
    if (!browser) throw new Error('the browser cannot be asked for its processes');
    return new Chromium(context, browser, profile);
  }

  async stop(): Promise<void> {
    await this.context.close();
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Pages keep what they show, and follow nothing while it is away. */
  async withoutNetwork(work: () => Promise<void>): Promise<void> {
    await this.context.setOffline(true);
    await work().finally(() => this.context.setOffline(false));
  }

  /** A page in which nothing is open yet. */
  newPage(): Promise<Page> {
    return this.context.newPage();
  }

  /** Opens Watchglass in a new page; `pods` is how many it must show to be synced. */
  async open(url: string, pods: number, prepare: (page: Page) => Promise<void> = async () => {}): Promise<Tab> {
    const page = await this.newPage();
    await page.addInitScript(probe, pods);
    await prepare(page);
    const tab = new Tab(this, page, await this.context.newCDPSession(page));
    await page.goto(new URL('#/pods', url).href, { waitUntil: 'commit' });
    const isLoaded = (pods: number) => {
      const { loading } = (globalThis as Probed).probe;
      return loading.synced !== undefined && (pods === 0 || loading.firstScreen !== undefined);
    };
    await page.waitForFunction(isLoaded, pods, { timeout: 300_000, polling: 100 });
    // Now, because to find it keeps the page busy.
    await tab.process();
    return tab;
  }

  /** Opens a page that has nothing but this. */
  async openPlain(html: string): Promise<Tab> {
    const page = await this.newPage();
    await page.setContent(html);
    return new Tab(this, page, await this.context.newCDPSession(page));
  }

  /** CPU seconds of each of the browser's processes so far. */
  async cpu(): Promise<Map<number, { type: string; seconds: number }>> {
    const session = await this.browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    await session.detach();
    return new Map(processInfo.map(({ id, type }) => [id, { type, seconds: cpuSeconds(id) }]));
  }
}

function cpuSeconds(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name, in parentheses, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

export interface Memory {
  /** Of the page's program: never gives back. */
  wasm: number;
  /** Of JavaScript, after a collection. */
  heap: number;
  /** Of the whole process, as far as no other shares it. */
  process: number;
}

export interface Busy {
  /** Cores that the page's process used. */
  page: number;
  /** Cores of all of the browser's processes. */
  browser: number;
}

/** A page with Watchglass. */
export class Tab {
  private pid?: number;

  constructor(
    private readonly chromium: Chromium,
    readonly page: Page,
    readonly session: CDPSession,
  ) {}

  loaded(): Promise<Loaded> {
    return this.page.evaluate(readLoaded);
  }

  async memory(): Promise<Memory> {
    const pid = await this.process();
    // A second collection takes what the first one's finalizers let go.
    for (let times = 0; times < 2; times++) await this.session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await this.session.send('Runtime.getHeapUsage');
    const wasm = await this.page.evaluate(() => (globalThis as Probed).probe.memory?.buffer.byteLength ?? 0);
    return { wasm, heap: usedSize, process: privateBytes(pid) };
  }

  /** What a while costs. */
  async busy(work: () => Promise<unknown>): Promise<Busy> {
    const pid = await this.process();
    const [before, begin] = [await this.chromium.cpu(), Date.now()];
    await work();
    const [after, seconds] = [await this.chromium.cpu(), (Date.now() - begin) / 1000];
    const used = (pid: number) => (after.get(pid)?.seconds ?? 0) - (before.get(pid)?.seconds ?? 0);
    const all = [...after.keys()].reduce((sum, pid) => sum + used(pid), 0);
    return { page: used(pid) / seconds, browser: all / seconds };
  }

  /** Leaves the page, so that its server may stop, and its connections are free. */
  async close(): Promise<void> {
    await this.page.goto('about:blank');
    await this.page.close();
  }

  /** The page's process: the one that works while the page does, twice running. */
  async process(): Promise<number> {
    for (let last; this.pid === undefined;) {
      const busiest = await this.busiestProcess();
      if (busiest === last) this.pid = busiest;
      last = busiest;
    }
    return this.pid;
  }

  private async busiestProcess(): Promise<number> {
    const before = await this.chromium.cpu();
    await this.page.evaluate(() => {
      for (const end = performance.now() + 200; performance.now() < end;) continue;
    });
    const after = [...(await this.chromium.cpu())].filter(([, { type }]) => type === 'renderer');
    const used = after.map(([pid, { seconds }]) => ({ pid, seconds: seconds - (before.get(pid)?.seconds ?? 0) }));
    const [most] = used.sort((a, b) => b.seconds - a.seconds);
    if (!most) throw new Error('the page has no process');
    return most.pid;
  }
}

/** What the process alone has written to; pages of files that happen to be mapped once are not counted. */
function privateBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return 1024 * Number(text.match(/^Private_Dirty:\s+(\d+) kB/m)?.[1] ?? NaN);
}

/** Requests and bytes of a page from now on. */
export class Traffic {
  bytes = 0;
  readonly requests: string[] = [];

  constructor(page: Page, session: CDPSession) {
    page.on('request', (request: Request) => this.requests.push(request.url()));
    page.on('websocket', (socket) => {
      this.requests.push(socket.url());
      socket.on('framereceived', ({ payload }) => (this.bytes += payload.length));
    });
    session.on('Network.dataReceived', ({ dataLength }) => (this.bytes += dataLength));
  }

  static async start({ page, session }: Tab): Promise<Traffic> {
    await session.send('Network.enable');
    return new Traffic(page, session);
  }

  /** How many watches were opened of each kind. */
  watches(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const url of this.requests.filter((url) => /[?&]watch=(1|true)/.test(url))) {
      const name = new URL(url).pathname;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}
