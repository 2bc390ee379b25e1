import { test as base } from '@playwright/test';
import { MemoryApiServer, buildApiServer } from '../support/apiserver';
import { Chromium } from './chromium';
import { Target } from './target';

interface Fixtures {
  /** Starts a browser with empty caches; it ends with the measurement. */
  startChromium: () => Promise<Chromium>;
}

interface WorkerFixtures {
  target: Target;
  /** Starts the in-memory API server with so many pods. */
  startMemory: (pods: number) => Promise<MemoryApiServer>;
}

export const bench = base.extend<Fixtures, WorkerFixtures>({
  startChromium: async ({ playwright, launchOptions }, use) => {
    const started: Chromium[] = [];
    await use(async () => {
      const one = await Chromium.start(playwright, launchOptions);
      started.push(one);
      return one;
    });
    for (const one of started) await one.stop();
  },

  target: [
    async ({}, use) => {
      const target = await Target.start();
      await use(target);
      await target.stop();
    },
    { scope: 'worker' },
  ],

  startMemory: [
    async ({}, use) => {
      const started: MemoryApiServer[] = [];
      await use(async (pods) => {
        const one = await MemoryApiServer.start(await buildApiServer(), pods);
        started.push(one);
        return one;
      });
      for (const one of started) await one.stop();
    },
    { scope: 'worker' },
  ],
});
