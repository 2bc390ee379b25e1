import type { Page } from '@playwright/test';

export interface Recording {
  /** The most `[role=row]` that were in the document at once. */
  mostRows: number;
  /** Rows of the beginning that were missing at some moment, by uid. */
  lost: string[];
  /** Uids in the order in which they came, those of the beginning apart. */
  appeared: string[];
  /** Uids in the order in which they went. */
  disappeared: string[];
  /** Screens that stood in place of the table at some moment. */
  screens: string[];
}

/** Looks at every change of the document from now on, so that nothing between two looks of a test is missed. */
export class Recorder {
  private constructor(private readonly page: Page) {}

  static async start(page: Page): Promise<Recorder> {
    await page.evaluate(record);
    return new Recorder(page);
  }

  /** Reads it for the last time: looking at every change costs the page time. */
  async stop(): Promise<Recording> {
    await this.page.evaluate(() => (window as unknown as { observer?: MutationObserver }).observer?.disconnect());
    return this.read();
  }

  /** Fails when the page was loaded again since the start: the recording went with it. */
  async read(): Promise<Recording> {
    return this.page.evaluate(() => {
      const held = (window as unknown as { recording?: Recording }).recording;
      if (!held) throw new Error('the page was loaded again');
      return held;
    });
  }
}

function record(): void {
  const living = () => {
    const rows = document.querySelectorAll<HTMLElement>('[role=row][data-uid]:not([data-leaving])');
    return new Set([...rows].map((row) => row.dataset.uid ?? ''));
  };
  const beginning = living();
  let before = beginning;
  const recording: Recording = { mostRows: 0, lost: [], appeared: [], disappeared: [], screens: [] };
  const look = () => {
    const now = living();
    recording.mostRows = Math.max(recording.mostRows, document.querySelectorAll('[role=row]').length);
    recording.lost.push(...[...beginning].filter((uid) => !now.has(uid) && !recording.lost.includes(uid)));
    recording.appeared.push(...[...now].filter((uid) => !before.has(uid)));
    recording.disappeared.push(...[...before].filter((uid) => !now.has(uid)));
    for (const screen of document.querySelectorAll<HTMLElement>('[data-screen]')) {
      const name = screen.dataset.screen ?? '';
      if (recording.screens.at(-1) !== name) recording.screens.push(name);
    }
    before = now;
  };
  look();
  const observer = new MutationObserver(look);
  observer.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['data-uid', 'data-leaving', 'data-screen'],
  });
  Object.assign(window, { recording, observer });
}
