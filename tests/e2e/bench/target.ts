import { join } from 'node:path';
import { Cluster } from '../support/cluster';
import { Program } from '../support/process';
import { KubectlProxy } from '../support/proxy';
import { cache, needs } from '../support/where';
import { isGiven, loadTool, options } from './options';

/** Of tests/cluster/load. */
const LOAD_LABEL = 'watchglass.dev/load';
const SENT_ANNOTATION = 'watchglass.dev/sent';
const PODS_A_NODE = 200;

interface Pod {
  metadata: { uid: string; annotations?: Record<string, string> };
  status?: { containerStatuses?: { restartCount: number }[] };
}

/** An update of a pod: the number of restarts that it led to, and when it was sent, in milliseconds since 1970. */
export interface Sent {
  uid: string;
  value: number;
  at: number;
  /** When a bare watch beside the page heard of it. */
  heard: number;
}

/** The real cluster behind `kubectl proxy`, which serves the page too. */
export class Target {
  private constructor(
    /** Where the page's table of pods is. */
    readonly url: string,
    private readonly kubeconfig: string | undefined,
    private readonly proxy: KubectlProxy | undefined,
  ) {}

  static async start(): Promise<Target> {
    if (options.proxy) return new Target(podsOf(options.proxy), options.kubeconfig, undefined);
    const given = options.kubeconfig;
    const kubeconfig = given ?? Cluster.running().file.admin.kubeconfig;
    const kubectl = given
      ? needs(join(cache, 'cluster/kubectl'), 'scripts/setup test builds it')
      : Cluster.running().file.kubectl;
    const proxy = await KubectlProxy.start(kubectl, kubeconfig);
    return new Target(podsOf(proxy.url), kubeconfig, proxy);
  }

  async stop(): Promise<void> {
    await this.proxy?.stop();
  }

  get origin(): string {
    return new URL(this.url).origin;
  }

  /** Gives the cluster so many loaded pods, unless it is somebody else's; answers how many pods it has in all. */
  async load(pods: number): Promise<number> {
    if (isGiven) return this.count();
    const loaded = await this.count(LOAD_LABEL);
    if (loaded !== pods) {
      if (loaded > 0) await this.start('delete').succeeds();
      const nodes = Math.max(1, Math.ceil(pods / PODS_A_NODE));
      await this.start('create', '--pods', String(pods), '--nodes', String(nodes)).succeeds();
    }
    return this.count();
  }

  /** Changes the first so many pods, as the table sorts them, until the time is over; has begun when it resolves. */
  async churn(rate: number, first: number, seconds = 0): Promise<Program> {
    const among = ['--first', String(first), '--flips', '0'];
    const program = this.start('churn', '--rate', String(rate), '--seconds', String(seconds), ...among);
    await program.prints(/updates a second on/);
    return program;
  }

  /** Watches the loaded pods beside the page; the answer is what ends that and tells of the updates. */
  async follow(): Promise<() => Promise<Sent[]>> {
    const { resourceVersion } = (await this.list({ limit: '1' })).metadata;
    const query = new URLSearchParams({ watch: '1', labelSelector: LOAD_LABEL, resourceVersion });
    const end = new AbortController();
    const response = await fetch(`${this.origin}/api/v1/pods?${query}`, { signal: end.signal });
    if (!response.ok || !response.body) throw new Error(`a watch of the pods: ${response.status}`);
    const sent: Sent[] = [];
    const reading = readUpdates(response.body, sent).catch((error: unknown) => {
      if (!end.signal.aborted) throw error;
    });
    return async () => {
      end.abort();
      await reading;
      return sent;
    };
  }

  private async count(labelSelector = ''): Promise<number> {
    return (await this.list({ labelSelector })).items?.length ?? 0;
  }

  private async list(query: Record<string, string>): Promise<PodList> {
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const response = await fetch(`${this.origin}/api/v1/pods?${new URLSearchParams(query)}`, { headers: { accept } });
    if (!response.ok) throw new Error(`a list of pods: ${response.status} ${await response.text()}`);
    return (await response.json()) as PodList;
  }

  private start(command: string, ...args: string[]): Program {
    if (!this.kubeconfig) throw new Error('pods are changed by kubeconfig only: give --kubeconfig beside --proxy');
    return Program.start(loadTool(), [command, '--kubeconfig', this.kubeconfig, ...args]);
  }
}

const podsOf = (page: string) => `${page}#/pods`;

interface PodList {
  /** None as metadata of an empty list. */
  items: unknown[] | null;
  metadata: { resourceVersion: string };
}

async function readUpdates(body: ReadableStream<Uint8Array>, sent: Sent[]): Promise<void> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const heard = performance.timeOrigin + performance.now();
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: Pod };
      const nanoseconds = object.metadata.annotations?.[SENT_ANNOTATION];
      if (type !== 'MODIFIED' || nanoseconds === undefined) continue;
      const restarts = object.status?.containerStatuses?.map((status) => status.restartCount) ?? [];
      const value = restarts.reduce((sum, count) => sum + count, 0);
      sent.push({ uid: object.metadata.uid, value, at: Number(nanoseconds) / 1e6, heard });
    }
  }
}
