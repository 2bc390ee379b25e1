import { Program, freePort } from '../support/process';

const NAMESPACES = 3;
const SLOTS = 25;
/** Between two writes of one writer. */
const PAUSE = 100;

/** Between two namespaces whose events are deleted. */
const TIDY = 5_000;

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

interface Kind {
  api: string;
  object(name: string, round: number): object;
}

const template = (name: string) => ({
  metadata: { labels: { app: name } },
  spec: { containers: [{ name: 'app', image: 'registry.example/app:1' }] },
});

const kinds: Record<string, Kind> = {
  configmaps: {
    api: 'api/v1',
    object: (name, round) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { round: `${round}` } }),
  },
  secrets: {
    api: 'api/v1',
    object: (name, round) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { round: `${round}` } }),
  },
  services: {
    api: 'api/v1',
    object: (name, round) => ({
      apiVersion: 'v1', kind: 'Service', metadata: { name, labels: { round: `${round}` } },
      spec: { ports: [{ port: 80 }], selector: { app: name } },
    }),
  },
  serviceaccounts: {
    api: 'api/v1',
    object: (name, round) => ({
      apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, labels: { round: `${round}` } },
    }),
  },
  pods: {
    api: 'api/v1',
    object: (name, round) => ({
      apiVersion: 'v1', kind: 'Pod', ...template(name), metadata: { name, labels: { round: `${round}` } },
    }),
  },
  roles: {
    api: 'apis/rbac.authorization.k8s.io/v1',
    object: (name, round) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name, labels: { round: `${round}` } }, rules: [],
    }),
  },
  deployments: {
    api: 'apis/apps/v1',
    object: (name, round) => ({
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name },
      spec: { replicas: round % 3, selector: { matchLabels: { app: name } }, template: template(name) },
    }),
  },
};

/** Creates, changes and deletes objects of several kinds all the time, past all faults. */
export class Writers {
  /** Writes that the server has carried out. */
  count = 0;
  private isOver = false;
  private running: Promise<void>[] = [];

  private constructor(
    private readonly proxy: Program,
    private readonly origin: string,
  ) {}

  static async start(kubectl: string, kubeconfig: string): Promise<Writers> {
    const port = await freePort();
    const proxy = Program.start(kubectl, ['proxy', `--kubeconfig=${kubeconfig}`, `--port=${port}`]);
    await proxy.prints(/Starting to serve on/);
    const writers = new Writers(proxy, `http://127.0.0.1:${port}`);
    for (let number = 0; number < NAMESPACES; number++) {
      const name = `soak-${number}`;
      await writers.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    writers.running = Object.keys(kinds).map((resource, number) => writers.write(resource, number));
    writers.running.push(writers.tidy());
    return writers;
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await Promise.all(this.running);
    await this.proxy.stop();
  }

  private async write(resource: string, seed: number): Promise<void> {
    const { api, object } = kinds[resource] as Kind;
    for (let round = seed; !this.isOver; round++) {
      // Steps that have no common divisor with the number of names, so that all come in turn.
      const name = `thing-${(round * 7) % SLOTS}`;
      const all = `/${api}/namespaces/soak-${round % NAMESPACES}/${resource}`;
      const made = await this.send('POST', all, object(name, round));
      if (made === 409 && round % 4 === 0) await this.send('DELETE', `${all}/${name}`);
      else if (made === 409) await this.send('PATCH', `${all}/${name}`, object(name, round));
      await sleep(PAUSE);
    }
  }

  /** Events stay for an hour and would be ever more; deleted, they make the page's stores as large at the end as early. */
  private async tidy(): Promise<void> {
    for (let round = 0; !this.isOver; round++) {
      await this.send('DELETE', `/api/v1/namespaces/soak-${round % NAMESPACES}/events`);
      for (let waited = 0; waited < TIDY && !this.isOver; waited += PAUSE) await sleep(PAUSE);
    }
  }

  private async send(method: string, path: string, body?: object): Promise<number> {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (method === 'PATCH') headers['content-type'] = 'application/merge-patch+json';
    const answer = await fetch(this.origin + path, { method, headers, body: body && JSON.stringify(body) });
    await answer.arrayBuffer();
    if (answer.ok) this.count++;
    return answer.status;
  }
}
