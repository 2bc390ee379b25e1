import type { Page } from '@playwright/test';

/**
 * The page's wall clock in a test's hands: it stands still until it is set, and only goes forward. Timers go on.
 * Must be made before the page is opened.
 */
export class Moments {
  private constructor(private readonly page: Page) {}

  static async stop(page: Page): Promise<Moments> {
    await page.clock.install();
    await page.clock.setFixedTime(Date.now());
    return new Moments(page);
  }

  /** Sets the clock, and lets the page's tick of a second come, which renews the ages. */
  async set(moment: number): Promise<void> {
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
