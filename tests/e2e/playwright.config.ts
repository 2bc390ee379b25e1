import { defineConfig } from '@playwright/test';
import { join } from 'node:path';
import { needsCluster } from './bench/options';

const artifacts = join(__dirname, '.artifacts');

/** Pictures need no cluster, and a bench not always. */
const hasCluster = () => {
  if (process.env.WATCHGLASS_SCREENSHOTS) return false;
  return !process.env.WATCHGLASS_BENCH_PAGE || needsCluster;
};

const specs = '*.spec.ts';

const matches = () => {
  if (process.env.WATCHGLASS_SCREENSHOTS) return 'screenshots/*.shots.ts';
  if (process.env.WATCHGLASS_BENCH_PAGE) return 'bench/bench.ts';
  return process.env.WATCHGLASS_SOAK ? 'soak/soak.ts' : specs;
};

/** Tests with a server of their own each, whom nothing befalls that others do to the cluster. */
const apart = ['faults', 'logs'].map((name) => `${name}.spec.ts`);
const sideBySide = [
  { name: 'cluster', testIgnore: apart, workers: 1 },
  { name: 'apart', testMatch: apart, workers: 1 },
];

export default defineConfig({
  testDir: __dirname,
  testMatch: matches(),
  outputDir: join(artifacts, 'results'),
  globalSetup: hasCluster() ? join(__dirname, 'support/global-setup.ts') : undefined,
  // One cluster serves all its tests, one after another, and some of them kill its API server.
  ...(matches() === specs ? { workers: 2, projects: sideBySide } : { workers: 1 }),
  retries: 0,
  forbidOnly: true,
  // Far above what a slow machine needs: no test is about durations.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [['list'], ['html', { open: 'never', outputFolder: join(artifacts, 'report') }]],
  use: {
    browserName: 'chromium',
    headless: true,
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
      args: [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
