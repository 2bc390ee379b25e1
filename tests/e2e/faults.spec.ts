import type { FaultRule, MemoryApiServer } from './support/apiserver';
import type { PodsPage } from './support/pods-page';
import { Recorder } from './support/recorder';
import { expect, failedRequests, test } from './support/test';

const namespace = 'load';
const podCount = 30;
/** The page's own requests; the tests ask in one namespace, so that no fault befalls them. */
const path = 'api/v1/pods';
/** A watch that ends, so that the page has to ask again. */
const breakWatch: FaultRule = { fault: 'dropOpen', path };
/** The page has to list again: its watch is answered with 410. */
const relist: FaultRule[] = [{ fault: 'gone', path: 'watch=true', count: 1 }, breakWatch];

// Tall enough for all rows at once: a row that is missing from the document is a row that was lost.
test.use({ expectedErrors: failedRequests, viewport: { width: 1440, height: 1600 } });

/** Faults that last until they are cleared: the page tells the reason, and keeps its rows. */
const lasting: { name: string; rules: FaultRule[]; reason: RegExp }[] = [
  {
    name: 'an HTML page instead of JSON',
    rules: [{ fault: 'htmlPage', path }, breakWatch],
    reason: /html|not answer as/i,
  },
  {
    name: 'a list that is cut off',
    rules: [{ fault: { truncate: { afterBytes: 9000 } }, path: `${path}?` }, ...relist],
    reason: /broke off|cut off|not answer as/i,
  },
  {
    name: 'a list whose connection drops',
    rules: [{ fault: { drop: { afterBytes: 9000 } }, path: `${path}?` }, ...relist],
    reason: /broke off|cut off|no answer/i,
  },
  {
    name: 'a 500 in plain text from the proxy',
    rules: [{ fault: 'proxyError', path }, breakWatch],
    reason: /500|cannot reach/i,
  },
  {
    name: 'a 429 with Retry-After',
    rules: [{ fault: { tooManyRequests: { retryAfterSeconds: 1 } }, path }, breakWatch],
    reason: /too many requests|429/i,
  },
  { name: 'a server that answers nothing', rules: [{ fault: 'refuse', path }, breakWatch], reason: /no answer|reach/i },
  {
    name: 'a right that was taken away',
    // In the one namespace too, which is asked for where all are refused; the tests' own requests have no query.
    rules: [{ fault: 'forbidden', path }, { fault: 'forbidden', path: `namespaces/${namespace}/pods?` }, breakWatch],
    reason: /forbidden|cannot/i,
  },
];

for (const { name, rules, reason } of lasting) {
  test(`${name}: rows shown stay, the reason is told, and the page catches up`, async ({
    memoryApiServer,
    page,
    pods,
  }) => {
    const { recorder, doomed } = await openWithRows(memoryApiServer, pods);
    await memoryApiServer.inject(...rules);
    await pods.expectDisconnected();
    await pods.connection.click();
    await expect(pods.connectionDetails).toContainText(reason);
    await change(memoryApiServer, doomed.name);
    const during = await recorder.read();
    expect(during.lost, 'rows lost').toEqual([]);
    expect(during.screens, 'screens in place of the table').toEqual([]);

    await memoryApiServer.clearFaults();
    await pods.retryUntilConnected();
    await expectCaughtUp(memoryApiServer, pods, recorder, doomed.uid);
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test(`${name}: a page opened meanwhile fails clearly, and recovers`, async ({ memoryApiServer, pods }) => {
    const lists = rules.filter((rule) => rule.fault !== 'dropOpen' && rule.fault !== 'gone');
    await memoryApiServer.inject(...lists);
    await pods.open(memoryApiServer.url, { namespaces: [namespace] });
    await pods.expectScreen(rules.some((rule) => rule.fault === 'forbidden') ? 'forbidden' : 'failed');
    await expect(pods.screenMessage).toContainText(reason);

    await memoryApiServer.clearFaults();
    await pods.connection.click();
    await pods.retryUntilConnected();
    await expect.poll(() => pods.uids()).toEqual(await memoryApiServer.uids(namespace));
  });
}

/** Faults that pass by themselves: the page need not say anything, but must not lose anything either. */
const passing: { name: string; rules: FaultRule[] }[] = [
  { name: 'a watch frame of garbage', rules: [{ fault: 'garbageFrame', path, count: 1 }] },
  { name: 'a watch frame of garbage, again and again', rules: [{ fault: 'garbageFrame', path, count: 3 }] },
  { name: 'a watch whose connection drops', rules: [breakWatch] },
  {
    name: 'a watch that drops again and again',
    rules: [{ fault: { drop: { afterBytes: 100 } }, path: 'watch=true', count: 3 }, breakWatch],
  },
  { name: 'a 410 in the watch', rules: relist },
  {
    name: 'an ERROR event in the watch',
    rules: [{ fault: { errorEvent: { code: 500 } }, path: 'watch=true', count: 1 }],
  },
  {
    name: 'a list that is cut off once',
    // Twice: the refused watch uses one up.
    rules: [{ fault: { truncate: { afterBytes: 9000 } }, path: `${path}?`, count: 2 }, ...relist],
  },
  {
    name: 'a 429 that passes',
    rules: [{ fault: { tooManyRequests: { retryAfterSeconds: 1 } }, path, count: 2 }, breakWatch],
  },
  { name: 'an answer that is late', rules: [{ fault: { delay: { milliseconds: 300 } }, path, count: 2 }, breakWatch] },
];

for (const { name, rules } of passing) {
  test(`${name}: the page recovers, and no row is lost`, async ({ memoryApiServer, pods }) => {
    const { recorder, doomed } = await openWithRows(memoryApiServer, pods);
    await memoryApiServer.inject(...rules);
    await change(memoryApiServer, doomed.name);
    await expectCaughtUp(memoryApiServer, pods, recorder, doomed.uid);
  });
}

test('a history that the server forgot: the page lists again, and no row is lost', async ({
  memoryApiServer,
  pods,
}) => {
  const { recorder, doomed } = await openWithRows(memoryApiServer, pods);
  await memoryApiServer.inject({ fault: 'refuse', path });
  await memoryApiServer.inject(breakWatch);
  await pods.expectDisconnected();
  await change(memoryApiServer, doomed.name);
  await memoryApiServer.compact();
  await memoryApiServer.clearFaults();
  await expectCaughtUp(memoryApiServer, pods, recorder, doomed.uid);
});

test('a connection that went silent is noticed, and the page catches up', async ({ memoryApiServer, page, pods }) => {
  await page.clock.install();
  const { recorder, doomed } = await openWithRows(memoryApiServer, pods);
  await memoryApiServer.inject({ fault: 'silence', path, count: 1 });
  await change(memoryApiServer, doomed.name);
  // Minutes of the page's own time; a silence shorter than these is healthy.
  await expect(async () => {
    await page.clock.fastForward('01:00');
    expect(await pods.uids()).toEqual(await memoryApiServer.uids(namespace));
  }).toPass({ timeout: 60_000 });
  await expectCaughtUp(memoryApiServer, pods, recorder, doomed.uid);
});

async function openWithRows(server: MemoryApiServer, pods: PodsPage) {
  const [doomed] = await server.pods(namespace);
  if (!doomed) throw new Error('the server has no pods');
  await pods.openConnected(server.url, { namespaces: [namespace] });
  // A watch that ends young and without an event is a case of its own: this one has had an event.
  await server.createPod(namespace, 'heartbeat');
  await expect(pods.row('heartbeat')).toBeVisible();
  expect(await pods.rows(), 'all rows are in the document').toHaveLength(podCount + 1);
  return { recorder: await Recorder.start(pods.page), doomed };
}

/** One pod goes and one comes, while the page may not hear of it. */
async function change(server: MemoryApiServer, doomed: string): Promise<void> {
  await server.deletePod(namespace, doomed);
  await server.createPod(namespace, 'newcomer');
}

async function expectCaughtUp(
  server: MemoryApiServer,
  pods: PodsPage,
  recorder: Recorder,
  deleted: string,
): Promise<void> {
  const expected = await server.uids(namespace);
  await expect.poll(() => pods.uids(), { timeout: 90_000 }).toEqual(expected);
  await pods.expectConnection('connected');
  const { lost, appeared, screens } = await recorder.read();
  expect(lost, 'only the deleted row went').toEqual([deleted]);
  expect(appeared, 'only the new row came').toHaveLength(1);
  expect(screens, 'screens in place of the table').toEqual([]);
}
