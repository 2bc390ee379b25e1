import type { MemoryApiServer } from './support/apiserver';
import { LogView } from './support/log-view';
import { expect, failedRequests, test } from './support/test';

const namespace = 'load';
const pod = 'talker';
/** The page's requests for the log. */
const path = `${pod}/log?`;

test.use({ expectedErrors: failedRequests });

async function openLog(server: MemoryApiServer, log: LogView, lines = 0): Promise<void> {
  await server.createPodInState(namespace, pod, { running: { startedAt: '2026-01-01T00:00:00Z' } });
  if (lines > 0) await server.say({ pod }, 'line {n}', 0, lines);
  await log.open(server.url, namespace, pod);
}

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `line ${from + at}`);

test('lines appear as they are written', async ({ memoryApiServer: server, page }) => {
  const log = new LogView(page);
  await openLog(server, log, 3);
  await expect(log.lines).toHaveText(['line 0', 'line 1', 'line 2']);
  await server.say({ pod }, '\u001b[31mred\u001b[0m and plain');
  await expect(log.lines.last()).toHaveText('red and plain');
  await log.expectState('following');
  await server.say({ pod }, 'line {n}', 3, 200);
  await expect(log.line('line 202')).toBeInViewport();

  await page.keyboard.press('t');
  await expect(log.lines.last()).toHaveText(/^\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}line 202$/);
});

test('a broken connection neither doubles nor loses a line', async ({ memoryApiServer: server, page }) => {
  const log = new LogView(page);
  await openLog(server, log, 40);
  await expect(log.line('line 39')).toBeVisible();
  // Lines are said before, during and after each break, also within one second.
  let said = 40;
  for (const fault of ['dropOpen', 'closeOpen', 'dropOpen'] as const) {
    await server.say({ pod }, 'line {n}', said, 5);
    await server.inject({ fault: { drop: { afterBytes: 333 } }, path, count: 1 }, { fault, path });
    await server.say({ pod }, 'line {n}', said + 5, 5);
    said += 10;
    await expect(log.line(`line ${said - 1}`)).toBeVisible();
  }
  await log.expectState('following');
  expect(await log.allLines()).toEqual(numbered(0, said));
});

test('a server that does not answer is told with its reason', async ({ memoryApiServer: server, page }) => {
  const log = new LogView(page);
  await openLog(server, log, 1);
  await expect(log.line('line 0')).toBeVisible();
  await server.inject({ fault: 'proxyError', path: pod }, { fault: 'dropOpen', path });
  await log.expectState('retrying');
  await expect(log.status).toContainText(/cannot reach/);
  await expect(log.line('line 0'), 'what was read stays').toBeVisible();
  await server.say({ pod }, 'line 1');
  await server.clearFaults();
  await expect(async () => {
    const retry = log.status.getByRole('button');
    // The page may be quicker by itself, and the button gone.
    if (await retry.isVisible()) await retry.click({ timeout: 1_000 });
    await expect(log.line('line 1')).toBeVisible({ timeout: 1_000 });
  }).toPass();
});

test('a restart is told in the log, and the log before it can be read', async ({ memoryApiServer: server, page }) => {
  const log = new LogView(page);
  await openLog(server, log, 2);
  await expect(log.line('line 1')).toBeVisible();
  await expect(page.getByTestId('log-previous')).toBeDisabled();
  await server.restart({ pod });
  await server.say({ pod }, 'a new life');
  await expect(log.line('a new life')).toBeVisible();
  await expect(log.lines).toHaveText(['line 0', 'line 1', /^Container restarted at \d\d:/, 'a new life']);

  await page.getByTestId('log-previous').click();
  await expect(log.lines).toHaveText(['line 0', 'line 1']);
  await log.expectState('ended');
});

test('a busy log stays small, and says what it has dropped', async ({ memoryApiServer: server, page }) => {
  const log = new LogView(page);
  await openLog(server, log, 1);
  await expect(log.line('line 0')).toBeVisible();
  const most = page.evaluate(watchLines);
  await server.say({ pod }, 'line {n}', 1, 200_000);
  await expect(log.line('line 200000')).toBeInViewport();
  await expect(log.counts).toHaveText(/^Last [\d,]+ lines, [\d,]+ older ones dropped$/);
  const [kept, dropped] = ((await log.counts.textContent()) ?? '').replaceAll(',', '').match(/\d+/g) ?? [];
  expect(Number(kept) + Number(dropped), 'each line is kept or counted').toBe(200_001);
  for (const part of [0, 0.3, 0.9, 1]) {
    await log.scrollTo(part);
    await expect(log.lines.first()).toBeAttached();
  }
  await page.getByTestId('log-wrap').click();
  await log.scrollTo(0.5);
  await page.evaluate(() => window.dispatchEvent(new Event('lines-counted')));
  expect(await most, 'lines in the document at any time').toBeLessThan(200);
});

/** In the page: the most line elements that stood at any change, until somebody asks. */
function watchLines(): Promise<number> {
  let most = 0;
  const count = () => {
    most = Math.max(most, document.querySelectorAll('[role=log] [data-line]').length);
  };
  new MutationObserver(count).observe(document.body, { childList: true, subtree: true });
  return new Promise((resolve) => window.addEventListener('lines-counted', () => resolve(most)));
}

test('who scrolls up is left alone, and led back to the end', async ({ memoryApiServer: server, page }) => {
  const log = new LogView(page);
  await openLog(server, log, 300);
  await expect(log.line('line 299')).toBeInViewport();
  await page.keyboard.press('g');
  await expect(log.line('line 0')).toBeInViewport();
  await server.say({ pod }, 'line {n}', 300, 3);
  await expect(log.jump).toHaveText('Jump to the end, 3 new lines');
  await expect(log.line('line 0')).toBeInViewport();
  await log.jump.click();
  await expect(log.line('line 302')).toBeInViewport();
  await expect(log.jump).toHaveCount(0);
});

test('a search finds, counts and jumps', async ({ memoryApiServer: server, page }) => {
  const log = new LogView(page);
  await openLog(server, log, 400);
  await expect(log.line('line 399')).toBeInViewport();
  await page.keyboard.press('/');
  await log.search.fill('/^line [12]00$/');
  await expect(log.found).toHaveText('2 found');
  await page.keyboard.press('Enter');
  await expect(log.current).toHaveText('line 100');
  await expect(log.current).toBeInViewport();
  await expect(log.found).toHaveText('1 of 2');
  await log.scroller.focus();
  await page.keyboard.press('n');
  await expect(log.current).toHaveText('line 200');
  await page.keyboard.press('N');
  await expect(log.current.locator('mark')).toHaveText('line 100');
  await log.search.fill('/(/');
  await expect(log.search).toHaveAttribute('aria-invalid', 'true');
});

test('each container has its log, and one that does not run yet is waited for', async ({
  memoryApiServer: server,
  page,
}) => {
  const log = new LogView(page);
  await server.createPodInState(namespace, pod, { waiting: { reason: 'ContainerCreating' } }, ['app', 'proxy']);
  await log.open(server.url, namespace, pod);
  await log.expectState('waiting');
  await expect(log.log.locator('[data-screen]')).toContainText('ContainerCreating');
  await server.setContainerState(namespace, pod, { running: {} }, ['app', 'proxy']);
  await server.say({ pod }, 'of app');
  await server.say({ pod, container: 'proxy' }, 'of proxy');
  await expect(log.lines).toHaveText(['of app']);
  await page.getByTestId('log-container').selectOption('proxy');
  await expect(log.lines).toHaveText(['of proxy']);
  const state = { terminated: { exitCode: 3, reason: 'Error' } };
  await server.setContainerState(namespace, pod, state, ['app', 'proxy'], 'Failed');
  await log.expectState('ended');
  await expect(log.status).toContainText('exit code 3 (Error)');
});

test('who may not read it is told what is missing', async ({ memoryApiServer: server, page }) => {
  const log = new LogView(page);
  await server.inject({ fault: 'forbidden', path });
  await openLog(server, log, 1);
  await expect(log.log.locator('[data-screen=forbidden]')).toContainText('pods/log');
  await log.expectState('failed');
});
