import type { Page } from '@playwright/test';

/**
 * The page's wall clock in a test's hands: it may stand still, and only goes forward. Timers go on.
 * Must be made before the page is opened.
 */
export class Moments {
  private constructor(private readonly page: Page) {}

  static async of(page: Page): Promise<Moments> {
    await page.clock.install();
    return new Moments(page);
  }

  /** Time goes on from now: while requests are made, whose answers say what time it is. */
  async goOn(): Promise<void> {
    await this.page.clock.setSystemTime(Date.now());
  }

  /** Stops the clock at a moment, and lets the page's tick of a second come, which renews the ages. */
  async stopAt(moment: number): Promise<void> {
    await this.page.clock.setFixedTime(moment);
    await this.page.clock.runFor(1_000);
  }

  /** What `reading` answers, with the moments, a second apart, at one of which it saw each thing. */
  static async during<T>(reading: () => Promise<T>): Promise<{ answer: T; moments: number[] }> {
    const moments = [Date.now()];
    const answer = await reading();
    const end = Date.now();
    for (let next = moments[0]! + 1_000; next < end; next += 1_000) moments.push(next);
    return { answer, moments: [...moments, end] };
  }
}
