// Functions that run inside the page: each must stand alone, without anything from outside it.

export interface Loading {
  /** Milliseconds since the navigation began, like all times here. */
  firstRow?: number;
  /** The rows fill the screen. */
  firstScreen?: number;
  /** Connected, and the count of all pods stands on the page. */
  synced?: number;
  longTasks: { start: number; duration: number }[];
}

export interface Probe {
  loading: Loading;
  /** The memory of the page's program, once it is there. */
  memory?: WebAssembly.Memory;
  /**
   * Calls back with the time at which what changed just now is painted: in the first task after the frame that has
   * it. The compositor shows it up to one refresh of the screen later, as with every page.
   */
  painted(told: (at: number) => void): void;
}

export type Probed = typeof globalThis & { probe: Probe };

/** Stands in the page before its first script, and looks on until `expected` pods are there. */
export function probe(expected: number): void {
  const loading: Loading = { longTasks: [] };

  const afterTask = (then: () => void) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      then();
    };
    port2.postMessage(null);
  };
  // A change that is made while a frame is prepared is in that frame, any other in the next one.
  let isInFrame = false;
  const requestFrame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    requestFrame((time) => {
      if (!isInFrame) {
        isInFrame = true;
        afterTask(() => (isInFrame = false));
      }
      callback(time);
    });
  const painted = (told: (at: number) => void) => {
    const tell = () => afterTask(() => told(performance.now()));
    if (isInFrame) tell();
    else requestFrame(tell);
  };

  const held: Probe = { loading, painted };
  (globalThis as Probed).probe = held;

  const keepMemory = (instance: WebAssembly.Instance) => {
    const { memory } = instance.exports;
    if (memory instanceof WebAssembly.Memory) held.memory = memory;
  };
  const { instantiate, instantiateStreaming } = WebAssembly;
  WebAssembly.instantiateStreaming = async (...args) => {
    const made = await instantiateStreaming(...args);
    keepMemory(made.instance);
    return made;
  };
  WebAssembly.instantiate = (async (...args: Parameters<typeof instantiate>) => {
    const made = (await instantiate(...args)) as WebAssembly.Instance | WebAssembly.WebAssemblyInstantiatedSource;
    keepMemory(made instanceof WebAssembly.Instance ? made : made.instance);
    return made;
  }) as typeof instantiate;

  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) loading.longTasks.push({ start: startTime, duration });
  }).observe({ type: 'longtask', buffered: true });

  const once = (name: 'firstRow' | 'firstScreen' | 'synced') => {
    if (seen.has(name)) return;
    seen.add(name);
    painted((at) => (loading[name] = at));
  };
  const seen = new Set<string>();
  const isSynced = () => {
    const state = document.querySelector<HTMLElement>('[data-testid=connection]')?.dataset.state;
    const count = document.querySelector('[data-testid=count]')?.textContent?.replace(/\D/g, '');
    return state === 'connected' && (Number(count) === expected || expected === 0);
  };
  let rowsOfScreen = 0;
  const observer = new MutationObserver(() => {
    if (!seen.has('firstScreen')) {
      const rows = document.querySelectorAll<HTMLElement>('[role=row][data-uid]');
      if (rows[0]) once('firstRow');
      if (rows[0] && rowsOfScreen === 0) {
        const height = document.querySelector('[data-testid=table-scroll]')?.clientHeight ?? 0;
        rowsOfScreen = Math.min(expected, Math.floor(height / rows[0].offsetHeight) - 1);
      }
      if (rowsOfScreen > 0 && rows.length >= rowsOfScreen) once('firstScreen');
    }
    if (!isSynced()) return;
    once('synced');
    if (expected === 0 || seen.has('firstScreen')) observer.disconnect();
  });
  observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
}

export interface Loaded extends Loading {
  firstPaint: number;
  /** When the request for the list of pods was sent, and when its last byte came. */
  listSent: number;
  listEnd: number;
  listUrl: string;
  /** What the page marked itself. */
  marks: Record<string, number>;
}

/** What the probe and the browser noted until all pods were there. */
export function readLoaded(): Loaded {
  const { loading } = (globalThis as Probed).probe;
  const requests = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
  const lists = requests.filter(({ name }) => /\/api\/v1\/pods\?/.test(name) && !/[?&]watch=/.test(name));
  const [first, last] = [lists[0], lists.at(-1)];
  return {
    ...loading,
    firstPaint: performance.getEntriesByName('first-paint')[0]?.startTime ?? NaN,
    listSent: first?.startTime ?? NaN,
    listEnd: last?.responseEnd ?? NaN,
    listUrl: first?.name ?? '',
    marks: Object.fromEntries(performance.getEntriesByType('mark').map((mark) => [mark.name, mark.startTime])),
  };
}

/** Fetches as the page does, and does nothing with what comes. */
export async function download(url: string): Promise<{ time: number; bytes: number }> {
  const begin = performance.now();
  const response = await fetch(url, { headers: { Accept: 'application/json' } });
  const reader = response.body?.getReader();
  if (!response.ok || !reader) throw new Error(`${url}: ${response.status}`);
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { time: performance.now() - begin, bytes };
    bytes += value.byteLength;
  }
}

/** Milliseconds since 1970 at which the page's own clock began, by the ticks of the system's. */
export function clockOrigin(): number {
  let origin = -Infinity;
  for (let ticks = 0, last = Date.now(); ticks < 50;) {
    const [now, at] = [Date.now(), performance.now()];
    if (now === last) continue;
    // In the moment of its tick the system's clock has no fraction that is cut off.
    origin = Math.max(origin, now - at);
    last = now;
    ticks++;
  }
  return origin;
}

/** A number that a cell showed, and when it was painted. */
export interface Shown {
  uid: string;
  value: number;
  at: number;
}

export type Following = Probed & { shown: Shown[]; stopFollowing: () => void };

/** Notes each new number of restarts that stands in a row; answers the uids of the rows that are in view. */
export function followRestarts(): string[] {
  const following = globalThis as Following;
  const shown: Shown[] = (following.shown = []);
  const table = document.querySelector('[role=rowgroup]');
  const screen = document.querySelector('[data-testid=table-scroll]')?.getBoundingClientRect();
  if (!table || !screen) throw new Error('there is no table');
  const rowSelector = '[role=row][data-uid]';
  const numberIn = (row: Element) => parseInt(row.querySelector('[data-column=RESTARTS]')?.textContent ?? '', 10);
  const last = new Map<string, number>();
  const changed = (row: HTMLElement) => {
    const [uid, value] = [row.dataset.uid ?? '', numberIn(row)];
    if (last.get(uid) === value || Number.isNaN(value)) return [];
    last.set(uid, value);
    return [{ uid, value }];
  };
  const rows = [...table.querySelectorAll<HTMLElement>(rowSelector)];
  rows.forEach(changed);
  const observer = new MutationObserver((records) => {
    const touched = new Set<HTMLElement>();
    for (const { target, addedNodes } of records) {
      for (const node of [target, ...addedNodes]) {
        const element = node instanceof Element ? node : node.parentElement;
        const row = element?.closest<HTMLElement>(rowSelector);
        if (row) touched.add(row);
      }
    }
    const news = [...touched].flatMap(changed);
    if (news.length > 0) following.probe.painted((at) => shown.push(...news.map((one) => ({ ...one, at }))));
  });
  observer.observe(table, { subtree: true, childList: true, characterData: true });
  following.stopFollowing = () => observer.disconnect();
  const inView = rows.filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return top >= screen.top && bottom <= screen.bottom;
  });
  return inView.map((row) => row.dataset.uid ?? '');
}

/** Ends `followRestarts`, which leaves nothing in the page's memory. */
export function takeShown(): Shown[] {
  const following = globalThis as Following;
  following.stopFollowing();
  return following.shown.splice(0);
}

/** Changes a cell of the rows in turn, and its light, again and again. */
export function changeCells(everyMs: number): void {
  const cells = [...document.querySelectorAll('[role=row] [data-column=RESTARTS]')].slice(0, 25);
  let times = 0;
  setInterval(() => {
    const cell = cells[times % cells.length];
    if (cell?.firstChild) cell.firstChild.nodeValue = String(++times);
    cell?.classList.toggle('lit');
  }, everyMs);
}

/** What a person's action cost: until the page had changed its rows, and until they were painted. */
export interface Answered {
  work: number;
  painted: number;
}

/** Presses a column's header, and waits until the rows stand in the new order. */
export function sortBy(column: string): Promise<Answered> {
  const head = document.querySelector(`[role=columnheader][data-column="${column}"]`);
  const button = head?.querySelector('button');
  const table = document.querySelector('[role=grid]');
  if (!head || !button || !table) throw new Error(`there is no column ${column}`);
  const order = () => head.getAttribute('aria-sort');
  const uids = () =>
    [...table.querySelectorAll<HTMLElement>('[role=row][data-uid]')].map((row) => row.dataset.uid).join();
  const [oldOrder, oldUids] = [order(), uids()];
  return new Promise((resolve) => {
    const begin = performance.now();
    const observer = new MutationObserver(() => {
      if (order() === oldOrder || uids() === oldUids) return;
      observer.disconnect();
      const work = performance.now() - begin;
      (globalThis as Probed).probe.painted((at) => resolve({ work, painted: at - begin }));
    });
    observer.observe(table, { subtree: true, childList: true, attributes: true });
    button.click();
  });
}

/** Puts a text into the query, and waits until the count of what it finds is there. */
export function ask(text: string): Promise<Answered & { count: string }> {
  const box = document.querySelector<HTMLInputElement>('#query');
  const count = document.querySelector('[data-testid=count]');
  if (!box || !count) throw new Error('there is no query');
  const before = count.textContent;
  return new Promise((resolve) => {
    const begin = performance.now();
    const observer = new MutationObserver(() => {
      if (count.textContent === before) return;
      observer.disconnect();
      const work = performance.now() - begin;
      const told = (at: number) => resolve({ work, painted: at - begin, count: count.textContent ?? '' });
      (globalThis as Probed).probe.painted(told);
    });
    observer.observe(count, { subtree: true, childList: true, characterData: true });
    box.focus();
    box.value = text;
    box.dispatchEvent(new InputEvent('input', { bubbles: true }));
  });
}
