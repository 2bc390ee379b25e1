import type { Page } from '@playwright/test';

/** Holds back the page's requests for pods; the answer is the function that lets them go on. */
export async function holdPods(page: Page): Promise<() => void> {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  await page.route('**/api/v1/pods?*', async (route) => {
    await opened;
    await route.continue();
  });
  return open;
}
