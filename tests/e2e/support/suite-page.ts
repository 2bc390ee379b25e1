import { type Page } from '@playwright/test';

/** What tests/client_suite/page exports. */
interface Suite {
  cases(): string;
  absent(): string;
  run(name: string, run: string): Promise<void>;
  Informers: new (resources: string, namespace: string, withSockets: boolean) => Informers;
}

interface Informers {
  synced(): Promise<void>;
  store(resource: string): string;
  told(resource: string): string;
  deleted(): string;
  count(): number;
  forget(): void;
  get(path: string): Promise<number>;
}

interface InPage {
  suite: Suite;
  informers: Informers;
  wasmBytes(): number;
}

type Window = typeof globalThis & InPage;

/** The page of the client suite. */
export class SuitePage {
  constructor(readonly page: Page) {}

  async open(url: string): Promise<void> {
    await this.page.goto(url);
    await this.page.waitForFunction(() => 'suite' in globalThis);
  }

  /** The names of the cases. */
  cases(): Promise<string[]> {
    return this.page.evaluate(() => (globalThis as Window).suite.cases().split('\n'));
  }

  /** What this server cannot have, a line each. */
  absent(): Promise<string[]> {
    return this.page.evaluate(() => (globalThis as Window).suite.absent().split('\n').filter(Boolean));
  }

  /** The message of the case's failure, or nothing: a panic ends the page's program, and the console tells of it. */
  async failure(name: string, run: string): Promise<string | undefined> {
    let told: (message: string) => void = () => {};
    const panicked = new Promise<string>((resolve) => (told = resolve));
    const listener = (message: { type(): string; text(): string }) => {
      if (message.type() === 'error' && /panicked at/.test(message.text())) told(message.text());
    };
    this.page.on('console', listener);
    const ended = this.page
      .evaluate(([name, run]) => (globalThis as Window).suite.run(name as string, run as string), [name, run])
      .then(() => undefined, String);
    const result = await Promise.race([ended, panicked]);
    this.page.off('console', listener);
    return result;
  }

  /** Starts an informer for each resource, `v1/pods` for example; an empty namespace is all of them. */
  async startInformers(resources: string[], namespace: string, withSockets: boolean): Promise<void> {
    const given = { resources: resources.join(' '), namespace, withSockets };
    await this.page.evaluate(({ resources, namespace, withSockets }) => {
      const window = globalThis as Window;
      window.informers = new window.suite.Informers(resources, namespace, withSockets);
    }, given);
  }

  synced(): Promise<void> {
    return this.page.evaluate(() => (globalThis as Window).informers.synced());
  }

  /** Key and resourceVersion of each object in a resource's store. */
  store(resource: string): Promise<string[]> {
    return this.page.evaluate((name) => (globalThis as Window).informers.store(name).split('\n').filter(Boolean), resource);
  }

  /** The same, as it follows from what the handlers were told. */
  told(resource: string): Promise<string[]> {
    return this.page.evaluate((name) => (globalThis as Window).informers.told(name).split('\n').filter(Boolean), resource);
  }

  /** How many objects there are in these resources' stores. */
  async objects(resources: string[]): Promise<number> {
    const stores = await Promise.all(resources.map((resource) => this.store(resource)));
    return stores.reduce((sum, store) => sum + store.length, 0);
  }

  /** The keys of all deletions in their order. */
  deleted(): Promise<string[]> {
    return this.page.evaluate(() => (globalThis as Window).informers.deleted().split('\n').filter(Boolean));
  }

  /** Forgets the deletions, and tells how often handlers were called so far. */
  count(): Promise<number> {
    return this.page.evaluate(() => {
      const { informers } = globalThis as Window;
      informers.forget();
      return informers.count();
    });
  }

  /** The status of a plain request through the informers' transport, and how long it took. */
  get(path: string): Promise<{ status: number; milliseconds: number }> {
    return this.page.evaluate(async (path) => {
      const begin = performance.now();
      const status = await (globalThis as Window).informers.get(path);
      return { status, milliseconds: performance.now() - begin };
    }, path);
  }

  /** Bytes that the page holds, after a collection. */
  async memory(): Promise<{ heap: number; wasm: number }> {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    await session.detach();
    const wasm = await this.page.evaluate(() => (globalThis as Window).wasmBytes());
    return { heap: usedSize, wasm };
  }
}
