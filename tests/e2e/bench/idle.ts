import { Traffic } from './chromium';
import { cores, report } from './figures';
import { bench } from './fixtures';
import { options } from './options';

/** A page that stands there while nothing changes. */
export function idle(pods: number): void {
  bench(`idle with ${pods} pods`, async ({ startChromium, target }) => {
    const total = await target.load(pods);
    const chromium = await startChromium();
    const tab = await chromium.open(target.url, total);
    // What follows the list is no part of it.
    await tab.page.waitForTimeout(2_000);
    const traffic = await Traffic.start(tab);
    const busy = await tab.busy(() => tab.page.waitForTimeout(options.seconds * 1000));
    report(
      `idle, ${total} pods`,
      `page ${cores(busy.page)}, browser ${cores(busy.browser)}; received ${traffic.bytes} bytes in ` +
        `${traffic.requests.length} new requests, in ${options.seconds} s`,
      {
        objects: total,
        cpu_cores: busy.page,
        browser_cpu_cores: busy.browser,
        bytes_received: traffic.bytes,
        requests: traffic.requests.length,
      },
    );
    await tab.close();
  });
}
