import type { Page } from '@playwright/test';
import { randomBytes } from 'node:crypto';
import type { Cluster } from './support/cluster';
import type { PodsPage } from './support/pods-page';
import { KubectlProxy } from './support/proxy';
import { expect, failedRequests, leavePages, test as base } from './support/test';

type Verb = 'get' | 'list' | 'watch';
const all: Verb[] = ['get', 'list', 'watch'];

/** Somebody whose rights a test gives and takes, and a proxy that speaks in that name. */
class Person {
  constructor(
    private readonly cluster: Cluster,
    readonly proxy: KubectlProxy,
    private readonly name: string,
  ) {}

  /** Gives rights in one namespace, or else in the whole cluster. */
  async may(verbs: Verb[], resource: string, namespace?: string): Promise<void> {
    const kind = namespace ? 'Role' : 'ClusterRole';
    const name = `${this.name}-${resource}`;
    const metadata = namespace ? `{ name: ${name}, namespace: ${namespace} }` : `{ name: ${name} }`;
    await this.cluster.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: ${metadata}
rules: [{ apiGroups: [''], resources: [${resource}], verbs: [${verbs.join(', ')}] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}Binding
metadata: ${metadata}
subjects: [{ kind: User, name: ${this.name}, apiGroup: rbac.authorization.k8s.io }]
roleRef: { kind: ${kind}, name: ${name}, apiGroup: rbac.authorization.k8s.io }
`);
  }

  async mayNoMore(resource: string, namespace: string): Promise<void> {
    await this.cluster.kubectl('delete', 'rolebinding', `${this.name}-${resource}`, '-n', namespace);
  }
}

const test = base.extend<{ person: Person }>({
  person: async ({ cluster, context }, use) => {
    const name = `person-${randomBytes(4).toString('hex')}`;
    const { kubectl, admin } = cluster.file;
    const proxy = await KubectlProxy.start(kubectl, admin.kubeconfig, undefined, undefined, [`--as=${name}`]);
    await use(new Person(cluster, proxy, name));
    await leavePages(context).finally(() => proxy.stop());
    const names = ['namespaces', 'pods'].map((resource) => `${name}-${resource}`);
    await cluster.kubectl('delete', 'clusterrole,clusterrolebinding', '--ignore-not-found', ...names);
  },
});

test.use({ expectedErrors: failedRequests });

/** Whatever namespace they are in. */
async function expectNames(pods: PodsPage, names: string[]): Promise<void> {
  await expect.poll(async () => (await pods.names()).sort()).toEqual(names);
}

const scope = (page: Page) => page.getByTestId('scope');

/** Two namespaces with a pod each, of which the page's user may read none yet. */
async function twoNamespaces(cluster: Cluster, newNamespace: () => Promise<string>): Promise<[string, string]> {
  const [mine, other] = [await newNamespace(), await newNamespace()];
  await Promise.all([cluster.createPod(mine, 'mine'), cluster.createPod(other, 'other')]);
  return [mine, other];
}

test('who may read one namespace sees its pods, and which namespaces are missing', async ({
  cluster,
  newNamespace,
  page,
  person,
  pods,
}) => {
  const [mine, other] = await twoNamespaces(cluster, newNamespace);
  await person.may(all, 'namespaces');
  await person.may(all, 'pods', mine);
  await pods.open(person.proxy.url, { query: 'ns:e2e-*' });
  await expectNames(pods, ['mine']);
  await expect(scope(page)).toContainText(/^You may list pods in 1 of \d+ namespaces: e2e-\w+. Not in: /);
  await expect(scope(page)).toHaveAttribute('title', /cannot list resource "pods" .* at the cluster scope/);
  await pods.expectConnection('connected');

  // Live, like any other table.
  await cluster.createPod(mine, 'new');
  await expectNames(pods, ['mine', 'new']);

  // Only what is chosen is asked for.
  await pods.open(person.proxy.url, { namespaces: [mine, other] });
  await expect(scope(page)).toHaveText(`You may list pods in 1 of 2 namespaces: ${mine}. Not in: ${other}`);

  // A right that is given while the page is open is noticed, at once when somebody asks.
  await person.may(all, 'pods', other);
  await page.keyboard.press('Shift+R');
  await expectNames(pods, ['mine', 'new', 'other']);
  await expect(scope(page)).toHaveText(`You may list pods in 2 namespaces: ${[mine, other].sort().join(', ')}`);

  // The informer of each namespace is told of beside that of all.
  await page.evaluate(() => (location.hash = '#/informers'));
  for (const scope of [mine, other]) await expect(page.locator(`[data-informer*="/pods ${scope} "]`)).toContainText('Connected');
  await page.goBack();
  await expectNames(pods, ['mine', 'new', 'other']);

  // And so is one that is taken.
  await person.mayNoMore('pods', mine);
  await expect(async () => {
    await page.keyboard.press('Shift+R');
    await expect(scope(page)).toHaveText(`You may list pods in 1 of 2 namespaces: ${other}. Not in: ${mine}`, {
      timeout: 1_000,
    });
  }).toPass();
  await expectNames(pods, ['other']);

  // Once all may be listed, nothing is missing.
  await person.may(all, 'pods');
  await expect(async () => {
    await page.keyboard.press('Shift+R');
    await expect(scope(page)).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
  await expectNames(pods, ['mine', 'new', 'other']);
});

test('who may not list namespaces types their names, and they are kept', async ({
  cluster,
  newNamespace,
  page,
  person,
  pods,
}) => {
  const [mine, other] = await twoNamespaces(cluster, newNamespace);
  await person.may(all, 'pods', mine);
  await person.may(all, 'pods', other);
  await pods.open(person.proxy.url);
  await pods.expectScreen('forbidden');
  await expect(pods.screen('forbidden')).toContainText('You may not list pods in all namespaces');

  await page.keyboard.press('n');
  await pods.namespaceSearch.fill('no_name');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert').filter({ hasText: 'no_name' })).toBeVisible();
  await pods.namespaceSearch.fill(mine);
  await page.keyboard.press('Enter');
  await expect(pods.chip(mine)).toBeVisible();
  await expectNames(pods, ['mine']);
  await pods.namespaceSearch.fill(other);
  await page.keyboard.press('Enter');
  await expectNames(pods, ['mine', 'other']);

  // The next visit knows them without their being chosen, and a pattern finds them.
  await page.goto('about:blank');
  await pods.open(person.proxy.url);
  await expectNames(pods, ['mine', 'other']);
  await page.keyboard.press('n');
  await pods.namespaceSearch.fill(`${mine.slice(0, -1)}*`);
  await page.keyboard.press('Enter');
  await expectNames(pods, ['mine']);
});

test('who may list but not watch sees the list, that it is not live, and lists again', async ({
  cluster,
  newNamespace,
  page,
  person,
  pods,
}) => {
  const [mine, other] = await twoNamespaces(cluster, newNamespace);
  await person.may(['list'], 'pods');
  await pods.open(person.proxy.url, { namespaces: [mine, other] });
  await expectNames(pods, ['mine', 'other']);
  const notLive = page.getByTestId('not-live');
  await expect(notLive).toContainText(/^Not live: you may not watch pods\. Listed \d+s ago, again (now|in \d+ s)/);
  await pods.expectConnection('unwatched');
  await expect(scope(page)).toHaveCount(0);

  await cluster.deletePod(mine, 'mine');
  await notLive.getByRole('button', { name: 'List again now' }).click();
  await expectNames(pods, ['other']);

  await person.may(all, 'pods');
  await page.keyboard.press('Shift+R');
  await pods.expectConnection('connected');
  await expect(notLive).toHaveCount(0);
});

test('an empty table says that it is empty where it may be read', async ({ newNamespace, page, person, pods }) => {
  const mine = await newNamespace();
  await person.may(all, 'pods', mine);
  await pods.open(person.proxy.url, { namespaces: [mine] });
  await pods.expectScreen('empty');
  await expect(pods.screen('empty')).toContainText('No pods where you may list them');
  await expect(scope(page)).toHaveText(`You may list pods in 1 namespace: ${mine}`);
});
