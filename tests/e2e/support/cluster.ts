import { expect } from '@playwright/test';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Cells, byName } from './table';

const run = promisify(execFile);

/** What tests/cluster/starter writes into cluster.json; only what is used here. */
interface ClusterFile {
  pid: number;
  kubectl: string;
  server: string;
  admin: { kubeconfig: string };
  restricted: { kubeconfig: string };
  parts: Record<string, { pid: number }>;
}

/** The real cluster, as kubectl and its supervisor see it. */
export class Cluster {
  /** Namespaces that pods can be made in. */
  private readonly ready = new Set<string>();

  constructor(private readonly dir: string) {}

  static running(): Cluster {
    const dir = process.env.WATCHGLASS_CLUSTER;
    if (!dir) throw new Error('WATCHGLASS_CLUSTER is not set, and the set-up started no cluster');
    return new Cluster(dir);
  }

  get file(): ClusterFile {
    return JSON.parse(readFileSync(join(this.dir, 'cluster.json'), 'utf8')) as ClusterFile;
  }

  async kubectl(...args: string[]): Promise<string> {
    const { kubectl, admin } = this.file;
    const { stdout } = await run(kubectl, ['--kubeconfig', admin.kubeconfig, ...args], { maxBuffer: 64 << 20 });
    return stdout;
  }

  /** Creates or changes the objects of a manifest. */
  async apply(manifest: string): Promise<void> {
    await this.kubectl('apply', '--server-side', '-f', await fileOf(manifest));
  }

  /** Has the objects of a manifest deleted; does not wait for it. */
  async remove(manifest: string): Promise<void> {
    await this.kubectl('delete', '--ignore-not-found', '--wait=false', '-f', await fileOf(manifest));
  }

  /** The pods of the namespaces as `kubectl get pods -o wide` prints them, in the order of namespace and name. */
  async podTable(...namespaces: string[]): Promise<Cells[]> {
    const table = (await this.table('pods')) as Cells[];
    return table.filter((row) => namespaces.includes(row.NAMESPACE)).sort(byName);
  }

  /** All objects of a kind as `kubectl get -o wide` prints them. */
  async table(name: string): Promise<Record<string, string>[]> {
    // In one chunk: kubectl aligns the columns of each chunk anew, and writes the header only once.
    return parseTable(await this.kubectl('get', name, '--all-namespaces', '-o', 'wide', '--chunk-size=0'));
  }

  async podUids(namespace: string): Promise<string[]> {
    const path = '{range .items[*]}{.metadata.uid}{"\\n"}{end}';
    const text = await this.kubectl('get', 'pods', '-n', namespace, '-o', `jsonpath=${path}`);
    return text.split('\n').filter(Boolean).sort();
  }

  /** Resolves when pods can be made: a namespace's service account comes a moment after it. */
  async takesPods(namespace: string): Promise<void> {
    if (this.ready.has(namespace)) return;
    await this.kubectl('wait', '--for=create', 'serviceaccount/default', '-n', namespace, '--timeout=60s');
    this.ready.add(namespace);
  }

  async createPod(namespace: string, name: string): Promise<void> {
    await this.takesPods(namespace);
    await this.kubectl('run', name, '-n', namespace, '--image=registry.example/app:1');
  }

  async deletePod(namespace: string, name: string): Promise<void> {
    await this.kubectl('delete', 'pod', name, '-n', namespace);
  }

  /** Resolves when its process is gone, so that nothing answers any more. */
  async killApiServer(): Promise<void> {
    process.kill(this.file.pid, 'SIGUSR1');
    await expect.poll(() => this.apiServerPid).toBe(0);
  }

  /** Resolves when it answers requests again; harmless while it runs. */
  async startApiServer(): Promise<void> {
    process.kill(this.file.pid, 'SIGUSR2');
    const readyz = () => this.kubectl('get', '--raw', '/readyz').catch(String);
    await expect.poll(readyz, { timeout: 60_000 }).toBe('ok');
  }

  private get apiServerPid(): number | undefined {
    return this.file.parts['kube-apiserver']?.pid;
  }
}

async function fileOf(manifest: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'watchglass-e2e-')), 'manifest.yaml');
  await writeFile(file, manifest);
  return file;
}

/** kubectl pads each column to the width of its longest value, so the header tells where each begins. */
function parseTable(text: string): Record<string, string>[] {
  const [header = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '');
  const columns = [...header.matchAll(/\S+(?: \S+)*/g)].map((match) => ({ name: match[0], from: match.index }));
  return lines.map((line) => {
    const cells = columns.map(({ name, from }, index) => [name, line.slice(from, columns[index + 1]?.from).trim()]);
    return Object.fromEntries(cells) as Record<string, string>;
  });
}
