// Runs the peers on the pods of one cluster, one after another, and adds what they measured to a file.
//   node main.mjs '{"dir": the cluster, "out": FILE, "rounds": 5, "events": 5000, "kube": PROGRAM, "native": PROGRAM,
//                   "go": PROGRAM, "load": PROGRAM, "page": [SCRIPT], "www": FOLDER}'
// Without `page` the browser is left out.
import { spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Replay, recordPods, recordUpdates } from './replay.mjs';

const plan = JSON.parse(process.argv[2]);
const cluster = JSON.parse(readFileSync(join(plan.dir, 'cluster.json'), 'utf8'));
const kubeconfig = cluster.admin.kubeconfig;

/** As many updates a second as a real server gives while a peer listens. */
const CHURN = 400;

/** On the real server, through the proxy: what stands in the store, and when. */
const LISTING = [
  ['client-go', [plan.go, '--mode', 'stream']],
  ['client-go', [plan.go, '--mode', 'stream', '--strip-managed-fields']],
  ['client-go', [plan.go, '--mode', 'list']],
  ['client-go', [plan.go, '--mode', 'protobuf']],
  ['kube-rs', [plan.kube, '--mode', 'list']],
  ['kube-rs', [plan.kube, '--mode', 'list', '--strip-managed-fields']],
  ['kube-rs', [plan.kube, '--mode', 'stream']],
  ['watchglass', [plan.native, '--mode', 'list']],
];

/** On the replay, each as it is by default: what an update costs. */
const FOLLOWING = [
  ['client-go', [plan.go, '--mode', 'stream']],
  ['kube-rs', [plan.kube, '--mode', 'list']],
  ['watchglass', [plan.native, '--mode', 'list']],
];

/** What a peer does after its first line, such as beginning to count, is done by then. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 500));

const children = new Set();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

/** Starts a program; `onLine` gets each line that it prints. */
function start(command, onLine = () => {}, environment = {}) {
  const env = { ...process.env, ...environment };
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env });
  children.add(child);
  let errors = '';
  child.stderr.on('data', (data) => (errors += data));
  createInterface({ input: child.stdout }).on('line', onLine);
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      children.delete(child);
      if (code === 0) resolve();
      else reject(new Error(`${command.join(' ')} ended with ${code ?? signal}: ${errors.slice(-2000)}`));
    });
  });
  return { child, ended };
}

/** Answers the proxy's address once it serves. */
function startProxy() {
  const www = plan.page ? [`--www=${plan.www}`, '--www-prefix=/ui/'] : [];
  return new Promise((resolve, reject) => {
    const command = [cluster.kubectl, 'proxy', `--kubeconfig=${kubeconfig}`, '--port=0', ...www];
    const { ended } = start(command, (line) => {
      const address = /Starting to serve on (\S+)/.exec(line)?.[1];
      if (address) resolve(`http://${address}`);
    });
    ended.then(() => reject(new Error('kubectl proxy ended')), reject);
  });
}

function note(line) {
  appendFileSync(plan.out, `${JSON.stringify(line)}\n`);
}

/** Each is first, second … as often as the others: what one leaves behind falls on all. */
function rotated(all, round) {
  const at = round % all.length;
  return [...all.slice(at), ...all.slice(0, at)];
}

/** One run of a peer; `onSynced` is called when it stands. */
async function peer(name, command, facts, onSynced) {
  process.stdout.write(`${facts.size} pods, round ${facts.round}: ${name} ${command.slice(1).join(' ')} … `);
  const lines = [];
  const { child, ended } = start(command, (text) => {
    const line = JSON.parse(text);
    lines.push(line);
    if ('synced_ms' in line) onSynced?.().catch(() => child.kill());
  });
  await ended;
  const all = Object.assign({}, ...lines);
  note({ ...facts, managed_fields_stripped: false, ...all, peer: name });
  const cost = 'events' in all ? `, ${all.cpu_ms_per_1000_events.toFixed(1)} ms for 1,000 updates` : '';
  console.log(`${all.objects} after ${Math.round(all.synced_ms)} ms, ${Math.round(all.heap_bytes_per_object)} bytes each${cost}`);
  if (!(all.objects >= facts.size)) throw new Error(`${name} holds ${all.objects} of ${facts.size} pods`);
}

/** The page, and the bare download beside it: `scripts/bench-page`. */
async function page(proxy, facts) {
  const folder = mkdtempSync(join(tmpdir(), 'watchglass-page-'));
  const file = join(folder, 'lines');
  process.stdout.write(`${facts.size} pods, round ${facts.round}: Chromium … `);
  try {
    const options = ['--proxy', `${proxy}/ui/`, '--kubeconfig', kubeconfig, '--runs', '1', '--json', file, 'list'];
    await start([...plan.page, ...options], undefined, { WATCHGLASS_CLUSTER: plan.dir }).ended;
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
    for (const line of lines) note({ ...facts, ...line, peer: 'page' });
    console.log(`${lines.length} figures`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function list(proxy, size) {
  const steps = LISTING.map(([name, [program, ...options]]) => {
    return (facts) => peer(name, [program, '--url', proxy, ...options], facts);
  });
  if (plan.page) steps.push((facts) => page(proxy, facts));
  for (let round = 0; round < plan.rounds; round++) {
    for (const step of rotated(steps, round)) await step({ part: 'list', size, round: round + 1 });
  }
}

async function record(proxy) {
  const { pods, version } = await recordPods(proxy);
  const options = ['churn', '--kubeconfig', kubeconfig, '--rate', String(CHURN)];
  let churn;
  const updates = await recordUpdates(proxy, version, plan.events, () => (churn = start([plan.load, ...options])));
  churn.child.kill('SIGTERM');
  await churn.ended.catch(() => {});
  return { pods, version, updates };
}

async function follow(proxy, size) {
  process.stdout.write(`${size} pods: record ${plan.events} updates … `);
  const recording = await record(proxy);
  const bytes = recording.updates.reduce((sum, line) => sum + line.length, 0);
  console.log(`${Math.round(bytes / plan.events)} bytes each`);
  const replay = await Replay.start(recording);
  for (let round = 0; round < plan.rounds; round++) {
    for (const [name, [program, ...options]] of rotated(FOLLOWING, round)) {
      const command = [program, '--url', replay.url, '--events', String(plan.events), ...options];
      await peer(name, command, { part: 'follow', size, round: round + 1 }, () => quiet().then(() => replay.send()));
    }
  }
  replay.stop();
}

const proxy = await startProxy();
const { items } = await (await fetch(`${proxy}/api/v1/pods`, {
  headers: { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
})).json();
await list(proxy, items.length);
await follow(proxy, items.length);
process.exit(0);
