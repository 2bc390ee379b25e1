import type { Page } from '@playwright/test';
import { join } from 'node:path';
import type { MemoryApiServer } from '../support/apiserver';
import { holdPods } from '../support/gate';
import type { PodsPage } from '../support/pods-page';
import type { StaticHost } from '../support/static-host';
import { expect, failedRequests, test } from '../support/test';
import { root } from '../support/where';

/** `docs`: only the pictures that the documents show. */
const isForDocs = process.env.WATCHGLASS_SCREENSHOTS === 'docs';
const folder = isForDocs ? join(root, 'www/screenshots') : join(__dirname, '../.artifacts/screenshots');

interface Scene {
  page: Page;
  pods: PodsPage;
  demoHost: StaticHost;
  memoryApiServer: MemoryApiServer;
}

const path = 'api/v1/pods';
const namespaces = ['load'];

test.use({ trace: 'off', expectedErrors: failedRequests });

/** Each page, at a moment when there is something to see. */
const shown: Record<string, (scene: Scene) => Promise<void>> = {
  overview: ({ demoHost, page }) => openPage(demoHost, page, 'overview', 'problem'),

  pods: openLively,

  object: (scene) => openObject(scene, 'd'),

  logs: async (scene) => {
    await openObject(scene, 'l');
    await expect(scene.page.getByTestId('log-lines')).toContainText(/\w/);
  },

  events: ({ demoHost, page }) => openPage(demoHost, page, 'grouped-events', 'event'),

  informers: async (scene) => {
    await openLively(scene);
    await scene.page.evaluate(() => (location.hash = '#/informers'));
    await expect(scene.page.getByTestId('informers').locator('tbody tr').nth(2)).toBeVisible();
  },
};

const states: Record<string, (scene: Scene) => Promise<void>> = {
  ...shown,

  yaml: (scene) => openObject(scene, 'Y'),

  palette: async ({ demoHost, page, pods }) => {
    await openDemo(demoHost, pods);
    await page.keyboard.press(':');
    await page.getByTestId('palette-text').fill('pod');
  },

  columns: async ({ demoHost, page, pods }) => {
    await openDemo(demoHost, pods);
    await page.keyboard.press('c');
    await expect(page.getByTestId('columns-menu')).toBeVisible();
  },

  delete: async ({ demoHost, page, pods }) => {
    await openDemo(demoHost, pods);
    for (const key of ['j', 'x', 'j', 'x', 'Delete']) await page.keyboard.press(key);
    await expect(page.getByTestId('delete-dialog')).toBeVisible();
  },

  filter: async ({ demoHost, pods }) => {
    await openDemo(demoHost, pods);
    await pods.query.fill('a');
  },

  namespaces: async ({ demoHost, pods }) => {
    await openDemo(demoHost, pods);
    await pods.namespaces.click();
    const options = pods.namespaceList.getByRole('option');
    for (const index of [0, 1]) await options.nth(index).click();
  },

  help: async ({ demoHost, page, pods }) => {
    await openDemo(demoHost, pods);
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toBeVisible();
  },

  loading: async ({ memoryApiServer, page, pods }) => {
    await holdPods(page);
    await pods.open(memoryApiServer.url);
    await pods.expectScreen('loading');
  },

  empty: async ({ memoryApiServer, pods }) => {
    await pods.openConnected(memoryApiServer.url, { namespaces: ['kube-system'] });
    await pods.expectScreen('empty');
  },

  'empty-by-filter': async ({ memoryApiServer, pods }) => {
    await pods.openConnected(memoryApiServer.url, { namespaces, query: 'no such pod' });
    await pods.expectScreen('empty');
  },

  forbidden: async ({ memoryApiServer, pods }) => {
    await memoryApiServer.inject({ fault: 'forbidden', path: 'pods?' });
    await pods.open(memoryApiServer.url);
    await pods.expectScreen('forbidden');
  },

  failed: async ({ memoryApiServer, pods }) => {
    await memoryApiServer.inject({ fault: 'proxyError', path });
    await pods.open(memoryApiServer.url);
    await pods.expectScreen('failed');
  },

  reconnecting: async ({ memoryApiServer, pods }) => {
    await openAndLose(memoryApiServer, pods);
    await pods.expectConnection('reconnecting');
    await pods.connection.click();
    await expect(pods.connectionDetails).toBeVisible();
  },

  stale: async ({ memoryApiServer, page, pods }) => {
    await page.clock.install();
    await openAndLose(memoryApiServer, pods);
    await expect(async () => {
      await page.clock.fastForward('00:30');
      await expect(pods.connection).toHaveAttribute('data-state', 'stale', { timeout: 1_000 });
    }).toPass();
    await pods.connection.click();
    await expect(pods.connectionDetails).toBeVisible();
  },
};

const sizes = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
];

for (const colorScheme of ['light', 'dark'] as const) {
  for (const viewport of isForDocs ? sizes.filter(({ width }) => width !== 1024) : sizes) {
    test.describe(`${colorScheme} ${viewport.width}`, () => {
      test.use({ colorScheme, viewport });

      for (const [state, open] of Object.entries(isForDocs ? shown : states)) {
        test(state, async ({ demoHost, memoryApiServer, page, pods }) => {
          await open({ demoHost, memoryApiServer, page, pods });
          const name = `${state}-${colorScheme}-${viewport.width}`;
          // A picture shows animations at their end, and a row that is leaving as a gap.
          await expect(page.locator('[data-leaving]')).toHaveCount(0);
          await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', caret: 'hide' });
        });
      }
    });
  }
}

async function openAndLose(server: MemoryApiServer, pods: PodsPage): Promise<void> {
  await pods.openConnected(server.url, { namespaces });
  await server.inject({ fault: 'refuse', path }, { fault: 'dropOpen', path });
  await pods.expectDisconnected();
}

/** Another page of the demo, once there is what it tells of. */
async function openPage(host: StaticHost, page: Page, name: string, testId: string): Promise<void> {
  await page.goto(`${host.url}#/${name}`);
  await expect(page.getByTestId(testId).nth(5)).toBeVisible({ timeout: 60_000 });
}

/** The first pod of the demo's shop in the side panel, in the tab of a key. */
async function openObject({ demoHost, page, pods }: Scene, key: string): Promise<void> {
  await pods.openConnected(demoHost.url, { namespaces: ['shop'] });
  await page.locator('[role=row][data-uid]').first().click({ position: { x: 60, y: 10 } });
  await page.keyboard.press(key);
  await expect(page.getByTestId('object-panel')).toBeVisible();
}

/** The demo at a moment when some pods are not simply running. */
async function openLively({ demoHost, pods }: Scene): Promise<void> {
  await pods.openConnected(demoHost.url, { namespaces: ['payments', 'reports', 'search', 'shop'] });
  // Of cards, there are only a few in the document.
  const isNarrow = (pods.page.viewportSize()?.width ?? 0) < 640;
  const states = async () => new Set((await pods.rows()).map((row) => row.cells.STATUS)).size;
  await expect.poll(states, { timeout: 90_000 }).toBeGreaterThanOrEqual(isNarrow ? 1 : 4);
}

async function openDemo(host: StaticHost, pods: PodsPage): Promise<void> {
  await pods.openConnected(host.url);
  await expect(pods.page.locator('[role=row][data-uid]').first()).toBeVisible();
}
