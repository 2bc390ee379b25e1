import { type Locator, type Page, expect } from '@playwright/test';
import { readFile } from 'node:fs/promises';

/** A container's log in the side panel. */
export class LogView {
  readonly log: Locator;
  readonly scroller: Locator;
  readonly lines: Locator;
  readonly status: Locator;
  readonly counts: Locator;
  readonly search: Locator;
  readonly found: Locator;
  readonly current: Locator;
  readonly jump: Locator;

  constructor(readonly page: Page) {
    this.log = page.getByTestId('log');
    this.scroller = page.getByRole('log');
    this.lines = this.scroller.locator('[data-line]');
    this.status = page.getByTestId('log-status');
    this.counts = page.getByTestId('log-counts');
    this.search = page.getByTestId('log-search');
    this.found = page.getByTestId('log-found');
    this.current = this.scroller.locator('[data-line][data-current]');
    this.jump = page.getByTestId('log-jump');
  }

  async open(base: string, namespace: string, pod: string): Promise<void> {
    await this.page.goto(`${base}#/pods?namespaces=${namespace}&object=${namespace}/${pod}&tab=logs`);
    await expect(this.log).toBeVisible();
  }

  line(text: string): Locator {
    return this.lines.getByText(text, { exact: true });
  }

  async expectState(state: string): Promise<void> {
    await expect(this.status).toHaveAttribute('data-state', state);
  }

  /** All lines that the page holds, as it saves them. */
  async allLines(): Promise<string[]> {
    const saving = this.page.waitForEvent('download');
    await this.page.getByTestId('log-save').click();
    const text = await readFile(await (await saving).path(), 'utf8');
    return text.split('\n').slice(0, -1);
  }

  async scrollTo(part: number): Promise<void> {
    await this.scroller.evaluate((element, part) => {
      element.scrollTop = part * (element.scrollHeight - element.clientHeight);
    }, part);
  }
}
