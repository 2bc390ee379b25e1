import { type Collecting, collectAges } from './support/in-page';
import { KubectlProxy } from './support/proxy';
import { expect, failedRequests, leavePages, test } from './support/test';

test('the demo page works from any folder of a static host', async ({ demoHost, page, pods }) => {
  const outside: string[] = [];
  const missing: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(demoHost.url) && !request.url().startsWith('data:')) outside.push(request.url());
  });
  page.on('response', (response) => {
    if (response.status() >= 400) missing.push(response.url());
  });
  await pods.openConnected(demoHost.url);
  await expect(pods.grid).toBeVisible();
  expect(await pods.rows()).not.toHaveLength(0);
  expect(outside, 'requests outside the folder').toEqual([]);
  expect(missing, 'files that are missing').toEqual([]);
});

test('a new pod has an age from its first frame on, however long the others have had theirs', async ({
  demoHost,
  page,
  pods,
}) => {
  await page.clock.install();
  await page.addInitScript(collectAges);
  await pods.openConnected(demoHost.url);
  const ages = () => page.evaluate(() => [...((globalThis as Collecting).ages ?? [])]);
  // Seconds of the page's own time, in each of which it draws its frames.
  await expect(async () => {
    await page.clock.runFor(1_000);
    expect(await ages()).toEqual(expect.arrayContaining([expect.stringMatching(/^\ds$/)]));
  }).toPass({ timeout: 60_000, intervals: [0] });
  expect(await ages()).not.toContain('<invalid>');
});

test('the page allows no script but its own', async ({ demoHost, page, pods }) => {
  const policy = page.locator('meta[http-equiv="Content-Security-Policy"]');
  await pods.openConnected(demoHost.url);
  const content = (await policy.getAttribute('content')) ?? '';
  const directives = new Map(content.split(';').map((text) => splitOnce(text.trim())));
  const scripts = directives.get('script-src') ?? directives.get('default-src') ?? '';
  expect(scripts).not.toBe('');
  expect(scripts).not.toMatch(/'unsafe-inline'|'unsafe-eval'|https?:|\*/);
});

test.describe('at another prefix of kubectl proxy', () => {
  test.use({ expectedErrors: failedRequests });

  test('the page finds the API where its link says', async ({ cluster, context, newNamespace, pods }) => {
    const namespace = await newNamespace();
    await cluster.createPod(namespace, 'web');
    const { kubectl, admin } = cluster.file;
    const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig, '/some/prefix/');
    try {
      await pods.openConnected(`${proxy.url}?api=../../`, { namespaces: [namespace] });
      await expect(pods.row('web')).toBeVisible();
    } finally {
      await leavePages(context);
      await proxy.stop();
    }
  });

  test('a link cannot send the page to the API of another origin', async ({ kubectlProxy, page, pods }) => {
    const outside: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(kubectlProxy.origin)) outside.push(request.url());
    });
    await pods.open(`${kubectlProxy.url}?api=http://127.0.0.1:9/`);
    await expect(pods.grid.or(pods.screens).first()).toBeVisible();
    expect(outside.filter((url) => !url.startsWith('data:'))).toEqual([]);
  });
});

function splitOnce(text: string): [string, string] {
  const [name = '', ...rest] = text.split(/\s+/);
  return [name, rest.join(' ')];
}
