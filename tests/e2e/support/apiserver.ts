import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Program } from './process';
import { cache, dist, needs, root } from './where';

const run = promisify(execFile);

/** The faults of src/testing/apiserver/faults.rs. */
export type Fault =
  | 'refuse'
  | 'dropOpen'
  | 'closeOpen'
  | 'gone'
  | 'forbidden'
  | 'silence'
  | 'garbageFrame'
  | 'noInitialBookmark'
  | 'closeBeforeInitialBookmark'
  | 'htmlPage'
  | 'proxyError'
  | { delay: { milliseconds: number } }
  | { drop: { afterBytes: number } }
  | { truncate: { afterBytes: number } }
  | { errorEvent: { code: number } }
  | { tooManyRequests: { retryAfterSeconds: number } };

export interface FaultRule {
  fault: Fault;
  /** Only requests whose path with its query, without the first slash, contains this. */
  path?: string;
  /** How many requests it befalls; without it, all until it is cleared. */
  count?: number;
}

/** A container, by default of the namespace `load` and with the name `app`. */
export interface Container {
  namespace?: string;
  pod: string;
  container?: string;
}

interface Metadata {
  name: string;
  uid: string;
}

/** The in-memory API server, which also serves the page, below /ui/. */
export class MemoryApiServer {
  private constructor(
    private readonly program: Program,
    readonly origin: string,
  ) {}

  static async start(binary: string, pods: number): Promise<MemoryApiServer> {
    needs(dist, 'build the page with scripts/build');
    const args = ['--port', '0', '--www', dist, '--pods', String(pods)];
    const program = Program.start(binary, args, { cwd: root });
    const [line] = await program.prints(/^\{.*"url".*\}$/m);
    const { url } = JSON.parse(line) as { url: string };
    return new MemoryApiServer(program, new URL(url).origin);
  }

  get url(): string {
    return `${this.origin}/ui/`;
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  async inject(...rules: FaultRule[]): Promise<void> {
    await this.request('POST', '/faults', rules);
  }

  async clearFaults(): Promise<void> {
    await this.request('DELETE', '/faults');
  }

  async compact(): Promise<void> {
    await this.request('POST', '/compact');
  }

  /** The pods of a namespace; no fault on `api/v1/pods` befalls this. */
  async pods(namespace: string): Promise<Metadata[]> {
    const response = await this.request('GET', `/api/v1/namespaces/${namespace}/pods`);
    const list = (await response.json()) as { items: { metadata: Metadata }[] };
    return list.items.map((item) => item.metadata);
  }

  async uids(namespace: string): Promise<string[]> {
    return (await this.pods(namespace)).map((pod) => pod.uid).sort();
  }

  async createPod(namespace: string, name: string): Promise<void> {
    await this.request('POST', `/api/v1/namespaces/${namespace}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] },
    });
  }

  async deletePod(namespace: string, name: string): Promise<void> {
    await this.request('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`);
  }

  /** A pod on a node; its containers are in the state that is given, `{ running: {} }` for example. */
  async createPodInState(namespace: string, name: string, state: object, names = ['app']): Promise<void> {
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    const containers = names.map((container) => ({ name: container, image: 'registry.example/app:1' }));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { nodeName: 'load-0', containers } };
    await this.request('POST', pods, pod);
    await this.setContainerState(namespace, name, state, names);
  }

  async setContainerState(
    namespace: string,
    name: string,
    state: object,
    names = ['app'],
    phase = 'Running',
  ): Promise<void> {
    const containerStatuses = names.map((container) => ({ name: container, ready: true, restartCount: 0, state }));
    const status = { status: { phase, containerStatuses } };
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/status`;
    await this.request('PATCH', path, status, 'application/merge-patch+json');
  }

  /** Has a container say lines; `{n}` in the text stands for a line's number. */
  async say(by: Container, text: string, first = 0, count = 1): Promise<void> {
    await this.request('POST', '/log', { namespace: 'load', container: 'app', ...by, text, first, count });
  }

  /** Has a container end with an error and run again, with a new log. */
  async restart(container: Container): Promise<void> {
    await this.request('POST', '/restart', { namespace: 'load', container: 'app', ...container });
  }

  private async request(
    method: string,
    path: string,
    body?: unknown,
    contentType = 'application/json',
  ): Promise<Response> {
    const response = await fetch(this.origin + path, {
      method,
      headers: { 'Content-Type': contentType },
      body: body === undefined ? null : JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}

/** Builds it; the answer is started as it is and not by cargo, so that its process id is the server's own. */
export async function buildApiServer(): Promise<string> {
  if (process.env.WATCHGLASS_APISERVER) return process.env.WATCHGLASS_APISERVER;
  const args = ['build', '--example', 'apiserver', '--features', 'testing-http,metrics', '--message-format=json'];
  const env = { CARGO_TARGET_DIR: join(cache, 'target'), ...process.env };
  const { stdout } = await run('cargo', args, { cwd: root, env, maxBuffer: 64 << 20 });
  const messages = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as BuildMessage);
  const built = messages.find((message) => message.executable && message.target?.name === 'apiserver');
  if (!built?.executable) throw new Error('cargo built no example "apiserver"');
  return built.executable;
}

interface BuildMessage {
  executable?: string | null;
  target?: { name: string };
}
