import type { Page } from '@playwright/test';

/** Answers the page's list of pods with one that is of the same version and empty. */
export async function withoutPods(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/pods\?/, async (route) => {
    const url = new URL(route.request().url());
    if (url.searchParams.has('watch')) return route.continue();
    url.searchParams.set('limit', '1');
    const list = (await (await route.fetch({ url: url.href })).json()) as { metadata: { resourceVersion: string } };
    const { resourceVersion } = list.metadata;
    return route.fulfill({ json: { ...list, metadata: { resourceVersion }, items: [] } });
  });
}
