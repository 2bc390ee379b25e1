import { Program, freePort } from './support/process';
import { withoutAge } from './support/table';
import { expect, leavePages, test } from './support/test';
import { root } from './support/where';

// It builds the page when that is not up to date.
test.setTimeout(900_000);

test('make run without a cluster opens the demo, and it lives', async ({ context, page, pods }) => {
  const { program, url } = await makeRun({ CLUSTER: 'demo' });
  try {
    await pods.openConnected(url);
    await expect(page.getByText(/^demo( cluster)?$/i).first()).toBeVisible();
    const cells = async () => JSON.stringify(withoutAge(await pods.table()));
    const before = await cells();
    expect(before).not.toBe('[]');
    await expect.poll(cells, { timeout: 90_000 }).not.toBe(before);
  } finally {
    await leavePages(context);
    await program.stop();
  }
});

test('make run serves the cluster that kubectl points at', async ({ cluster, context, newNamespace, pods }) => {
  const namespace = await newNamespace();
  await cluster.createPod(namespace, 'web');
  const { program, url } = await makeRun({ KUBECONFIG: cluster.file.admin.kubeconfig });
  try {
    await pods.openConnected(url, { namespaces: [namespace] });
    await expect(pods.row('web')).toBeVisible();
  } finally {
    await leavePages(context);
    await program.stop();
  }
});

/** As a person starts it: a make of its own, also when these tests run below another one. */
async function makeRun(env: Record<string, string>): Promise<{ program: Program; url: string }> {
  const port = await freePort();
  const options = { cwd: root, group: true, env: { PORT: String(port), MAKEFLAGS: '', MAKELEVEL: '0', ...env } };
  const program = Program.start('make', ['run'], options);
  try {
    const [url] = await program.prints(new RegExp(`^http://127\\.0\\.0\\.1:${port}/\\S*$`, 'm'));
    expect(program.text.trim().split('\n').at(-1), 'the last line').toBe(url);
    return { program, url };
  } catch (error) {
    await program.stop();
    throw error;
  }
}
