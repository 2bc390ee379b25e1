import { type Locator, type Page, expect } from '@playwright/test';
import { rowsOnScreen, scrollTable } from './in-page';
import { type Cells, byName } from './table';

export interface Row {
  uid: string;
  /** Deleted a moment ago, still on its way out. */
  leaving: boolean;
  cells: Cells;
}

export interface ViewState {
  namespaces?: string[];
  query?: string;
}

export type Screen = 'loading' | 'empty' | 'forbidden' | 'failed';

/** The page of pods, by the parts that its markup promises to tests. */
export class PodsPage {
  readonly grid: Locator;
  readonly count: Locator;
  readonly query: Locator;
  readonly connection: Locator;
  readonly connectionDetails: Locator;
  readonly retryNow: Locator;
  readonly namespaces: Locator;
  readonly namespaceList: Locator;
  readonly namespaceSearch: Locator;
  readonly chips: Locator;
  readonly screens: Locator;
  readonly screenMessage: Locator;

  constructor(readonly page: Page) {
    this.grid = page.getByRole('grid');
    this.count = page.getByTestId('count');
    this.query = page.locator('#query');
    this.connection = page.getByTestId('connection');
    this.connectionDetails = page.getByTestId('connection-details');
    this.retryNow = page.getByTestId('retry-now');
    this.namespaces = page.getByTestId('namespaces');
    this.namespaceList = page.locator('[role=listbox][aria-multiselectable=true]');
    this.namespaceSearch = page.getByTestId('namespace-search');
    this.chips = page.getByTestId('namespace-chip');
    this.screens = page.locator('[data-screen]');
    this.screenMessage = page.getByTestId('screen-message');
  }

  async open(base: string, state: ViewState = {}): Promise<void> {
    await this.page.goto(base + hash(state));
  }

  /** Open, listed and watching. */
  async openConnected(base: string, state: ViewState = {}): Promise<void> {
    await this.open(base, state);
    await this.expectConnection('connected');
  }

  async expectConnection(state: 'connecting' | 'connected' | 'unwatched' | 'reconnecting' | 'stale'): Promise<void> {
    await expect(this.connection).toHaveAttribute('data-state', state, { timeout: 90_000 });
  }

  /** Not in touch with the server, whichever of the two words the page has for it by now. */
  async expectDisconnected(): Promise<void> {
    await expect(this.connection).toHaveAttribute('data-state', /^(reconnecting|stale)$/, { timeout: 90_000 });
  }

  /** Presses "Retry now" until the page is connected; it may be quicker by itself. The details must be open. */
  async retryUntilConnected(): Promise<void> {
    await expect(async () => {
      if (await this.retryNow.isVisible()) await this.retryNow.click({ timeout: 1_000 });
      await expect(this.connection).toHaveAttribute('data-state', 'connected', { timeout: 1_000 });
    }).toPass({ timeout: 90_000 });
  }

  screen(name: Screen): Locator {
    return this.page.locator(`[data-screen=${name}]`);
  }

  async expectScreen(name: Screen): Promise<void> {
    await expect(this.screen(name)).toBeVisible();
    await expect(this.screens).toHaveCount(1);
  }

  row(name: string): Locator {
    const cell = this.page.locator('[data-column=NAME]').getByText(name, { exact: true });
    return this.page.locator('[role=row][data-uid]:not([data-leaving])').filter({ has: cell });
  }

  option(namespace: string): Locator {
    return this.namespaceList.locator(`[role=option][data-namespace="${namespace}"]`);
  }

  chip(namespace: string): Locator {
    return this.page.locator(`[data-testid=namespace-chip][data-namespace="${namespace}"]`);
  }

  /** The rows that are in the document now. */
  async rows(): Promise<Row[]> {
    return this.page.evaluate(rowsOnScreen);
  }

  async scroll(to: 'top' | 'on' | 'end'): Promise<boolean> {
    return this.page.evaluate(scrollTable, to);
  }

  /** All rows, collected while scrolling from the top to the end. */
  async allRows(): Promise<Row[]> {
    const found = new Map<string, Row>();
    let isEnd = await this.scroll('top');
    for (;;) {
      for (const row of await this.rows()) found.set(row.uid, row);
      if (isEnd) return [...found.values()];
      isEnd = await this.scroll('on');
    }
  }

  /** The whole table as text, in the order of namespace and name. */
  async table(): Promise<Cells[]> {
    const rows = await this.allRows();
    return rows
      .filter((row) => !row.leaving)
      .map((row) => row.cells)
      .sort(byName);
  }

  async names(): Promise<string[]> {
    return (await this.table()).map((cells) => cells.NAME);
  }

  async uids(): Promise<string[]> {
    const rows = await this.allRows();
    return rows
      .filter((row) => !row.leaving)
      .map((row) => row.uid)
      .sort();
  }

  async expectNames(names: string[]): Promise<void> {
    await expect.poll(() => this.names(), { timeout: 60_000 }).toEqual([...names].sort());
  }

  /** What the link to this view holds. */
  viewState(): ViewState {
    const [, query = ''] = new URL(this.page.url()).hash.split('?');
    const values = new URLSearchParams(query);
    const namespaces = values.get('namespaces')?.split(',').filter(Boolean) ?? [];
    return { namespaces: namespaces.sort(), query: values.get('query') ?? '' };
  }
}

function hash({ namespaces = [], query = '' }: ViewState): string {
  return `#/pods?namespaces=${namespaces.join(',')}&query=${encodeURIComponent(query)}`;
}
