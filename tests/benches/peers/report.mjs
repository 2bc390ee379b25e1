// Writes the figures of the peers, and what was aimed at, as markdown to standard output.
//   node report.mjs FILE '{"rounds": 5, "events": 5000, "versions": [["client-go", "v0.37.2"]], "load": "0.1"}'
import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

const [, , file, facts] = process.argv;
const { rounds, events, versions, load } = JSON.parse(facts);
const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const sizes = [...new Set(lines.map((line) => line.size))].sort((a, b) => a - b);
const [small, large] = [sizes[0], sizes.at(-1)];

const PEERS = [
  { key: 'stream', name: 'client-go informer, streamed list (its default)', of: (l) => isPeer(l, 'client-go', 'stream', false) },
  { key: 'strippedGo', name: 'the same without managedFields', of: (l) => isPeer(l, 'client-go', 'stream', true) },
  { key: 'plain', name: 'client-go informer, plain list', of: (l) => isPeer(l, 'client-go', 'list', false) },
  { key: 'protobuf', name: 'client-go informer, protobuf, streamed', of: (l) => isPeer(l, 'client-go', 'protobuf', false) },
  { key: 'kube', name: 'kube-rs reflector, typed, lists in pages (its default)', of: (l) => isPeer(l, 'kube-rs', 'list', false) },
  { key: 'strippedKube', name: 'the same without managedFields', of: (l) => isPeer(l, 'kube-rs', 'list', true) },
  { key: 'streamedKube', name: 'kube-rs reflector, typed, streamed list', of: (l) => isPeer(l, 'kube-rs', 'stream', false) },
  { key: 'native', name: '**Watchglass, native**', of: (l) => isPeer(l, 'watchglass', 'list', false) },
  { key: 'page', name: '**Watchglass in Chromium** (cold cache)', of: (l) => l.peer === 'page' && isPage(l.mode) },
  { key: 'bare', name: 'bare download in Chromium', of: (l) => l.peer === 'page' && l.mode.startsWith('bare download') },
];

function isPeer(line, peer, mode, stripped) {
  return line.peer === peer && line.mode === mode && line.managed_fields_stripped === stripped;
}

const isPage = (mode) => /^list of .*cold cache$/.test(mode) || mode.startsWith('memory, list of');

/** The median of all rounds of one part; undefined where nothing was measured. */
function median(key, name, size = large, part = 'list') {
  const { of } = PEERS.find((peer) => peer.key === key);
  const values = lines.filter((line) => line.part === part && line.size === size && of(line)).map((line) => line[name]);
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

const synced = (key, size) => median(key, 'synced_ms', size);
const heap = (key, size) => median(key, 'heap_bytes_per_object', size);
const cpu = (key, size) => median(key, 'cpu_ms_per_1000_events', size, 'follow');
/** A page's process is Chromium's renderer. */
const resident = (key, size) => ratio(median(key, key === 'page' ? 'process_bytes' : 'rss_bytes', size), 1e6);

const ratio = (a, b) => (a === undefined || !b ? undefined : a / b);
/** Memory of all objects of the greater size to that of the smaller. */
const growth = (of) => ratio(large * (of(large) ?? NaN), small * (of(small) ?? NaN)) || undefined;

const AIMS = [
  ['1', 'Heap per pod in Chromium, bytes', heap('page'), 640],
  ['1', 'Heap per pod: in Chromium / client-go without managedFields', ratio(heap('page'), heap('strippedGo')), 1 / 15],
  ['1', 'Heap per pod: in Chromium / kube-rs without managedFields', ratio(heap('page'), heap('strippedKube')), 1 / 35],
  ['2', 'To synced: in Chromium / the bare download', ratio(synced('page'), synced('bare')), 1.2],
  ['2', 'To synced: in Chromium / kube-rs', ratio(synced('page'), synced('kube')), 1 / 2],
  ['2', 'To synced: in Chromium / client-go as it is by default', ratio(synced('page'), synced('stream')), 1 / 3],
  ['2', 'To synced: in Chromium / client-go with protobuf', ratio(synced('page'), synced('protobuf')), 1.3],
  ['2', 'To synced: native / kube-rs', ratio(synced('native'), synced('kube')), 0.4],
  ['4', 'Processor for 1,000 updates: native / client-go', ratio(cpu('native'), cpu('stream')), 1 / 2],
];
if (large > small) {
  const times = `${number(large / small)} times the pods`;
  // Sizes that are not in the ratio of two may grow in the same proportion.
  const most = (2.1 / 2) * (large / small);
  AIMS.push(
    ['7', `${times}: heap in Chromium`, growth((size) => heap('page', size)), most],
    ['7', `${times}: heap, native`, growth((size) => heap('native', size)), most],
    ['7', `${times}: to synced in Chromium`, ratio(synced('page', large), synced('page', small)), most],
    ['7', `${times}: to synced, native`, ratio(synced('native', large), synced('native', small)), most],
    ['7', `${times}: processor for an update, native`, ratio(cpu('native', large), cpu('native', small)), 1.2],
  );
}

function number(value) {
  if (value === undefined || Number.isNaN(value)) return '';
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 0.1 ? 2 : 3;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function table(head, rows) {
  return [head, head.map((_, at) => (at ? '--:' : '---')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function figures(size) {
  const rows = PEERS.map(({ key, name }) => [name, ...[synced, heap, resident, cpu].map((of) => number(of(key, size)))]);
  return table(['', 'synced, ms', 'heap per pod, bytes', 'resident, MB', 'processor for 1,000 updates, ms'], rows.filter((row) => row[1] || row[2]));
}

function aims() {
  const verdict = (value, most) => (value === undefined ? 'not measured' : value <= most ? 'reached' : '**not reached**');
  const rows = AIMS.map(([line, what, value, most]) => [line, what, number(value), number(most), verdict(value, most)]);
  return [
    '| | what | measured | at most | |',
    '| --- | --- | --: | --: | --- |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

const day = new Date().toISOString().slice(0, 10);
const gib = (totalmem() / 2 ** 30).toFixed(0);
const which = [...versions, ['Node', process.version]].filter(([, version]) => version);

console.log(`# Watchglass beside client-go and kube-rs

\`make bench-peers\` writes this file; \`tests/benches/peers.md\` tells what each figure means.

- Taken on ${day}, on ${cpus().length} cores of ${cpus()[0]?.model.trim() ?? 'an unknown processor'}, ${gib} GiB, ${process.platform} ${release()}; load before the run: ${load}.
- ${which.map(([name, version]) => `${name} ${version}`).join(', ')}.
- One cluster for each number of pods, one \`kubectl proxy\`, one peer after another in turning order; medians of ${rounds} round${rounds === 1 ? '' : 's'}.
- The processor's time is that of ${number(events).split('.')[0]} updates that a real server sent, replayed as fast as each peer takes them.

## What was aimed at

${aims()}

${[...sizes].reverse().map((size) => `## ${size.toLocaleString('en')} pods\n\n${figures(size)}`).join('\n\n')}`);
