// An API server that replays: the pods and the updates that a real one sent, as fast as a peer takes them.
//
// What applying an update costs can so be told from what waiting for it costs, and each peer gets the same bytes.
import { createServer } from 'node:http';
import { once } from 'node:events';
import { pipeline } from 'node:stream/promises';

const PAGE = 500;
/** About what one write to a socket takes. */
const CHUNK = 256 * 1024;

/** All pods of the server, each as its JSON, and the version of the list. */
export async function recordPods(server) {
  const pods = [];
  let version = '';
  let next = '';
  do {
    const query = new URLSearchParams({ limit: String(PAGE), continue: next });
    const list = await (await fetch(`${server}/api/v1/pods?${query}`)).json();
    for (const item of list.items) pods.push(Buffer.from(JSON.stringify(item)));
    version = list.metadata.resourceVersion;
    next = list.metadata.continue ?? '';
  } while (next);
  return { pods, version };
}

/** The next updates of pods, as lines. `onOpen` is called when the watch stands. */
export async function recordUpdates(server, version, count, onOpen) {
  const end = new AbortController();
  const query = new URLSearchParams({ watch: '1', resourceVersion: version });
  const response = await fetch(`${server}/api/v1/pods?${query}`, { signal: end.signal });
  if (!response.ok) throw new Error(`A watch of the pods: ${response.status} ${await response.text()}`);
  onOpen();
  const lines = [];
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of response.body) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = parts.pop();
      for (const part of parts) {
        if (!part.startsWith('{"type":"MODIFIED"')) continue;
        lines.push(Buffer.from(`${part}\n`));
        if (lines.length === count) return lines;
      }
    }
  } finally {
    end.abort();
  }
  throw new Error(`The watch of the pods ended after ${lines.length} of ${count} updates`);
}

/** Serves a recording on a free port of loopback; one peer at a time. */
export class Replay {
  #recording;
  #watch;
  #onWatch = () => {};

  static async start(recording) {
    const replay = new Replay();
    replay.#recording = recording;
    replay.server = createServer((request, response) => replay.#answer(request, response));
    replay.server.listen(0, '127.0.0.1');
    await once(replay.server, 'listening');
    replay.url = `http://127.0.0.1:${replay.server.address().port}`;
    return replay;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
  }

  /** Sends the updates to who watches, or to who will. */
  async send() {
    if (!this.#watch) await new Promise((resolve) => (this.#onWatch = resolve));
    await write(this.#watch, this.#recording.updates);
  }

  #answer(request, response) {
    const { pathname, searchParams: query } = new URL(request.url, this.url);
    if (pathname !== '/api/v1/pods') {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    const answer = ['1', 'true'].includes(query.get('watch')) ? this.#follow(query, response) : this.#list(query, response);
    // A peer that has its updates goes away.
    answer.catch((error) => response.destroyed || console.error(error));
  }

  async #follow(query, response) {
    response.flushHeaders();
    this.#watch = response;
    this.#onWatch();
    response.once('close', () => (this.#watch = undefined));
    if (query.get('sendInitialEvents') !== 'true') return;
    const { pods, version } = this.#recording;
    await write(response, pods.flatMap((pod) => [ADDED, KIND, pod.subarray(1), END]));
    const metadata = { resourceVersion: version, annotations: { 'k8s.io/initial-events-end': 'true' } };
    const bookmark = { type: 'BOOKMARK', object: { kind: 'Pod', apiVersion: 'v1', metadata } };
    await write(response, [Buffer.from(`${JSON.stringify(bookmark)}\n`)]);
  }

  /** A list at version 0 is whole whatever the limit, as that of a real server. */
  async #list(query, response) {
    const { pods, version } = this.#recording;
    const limit = query.get('resourceVersion') === '0' ? 0 : Number(query.get('limit') ?? 0);
    const from = Number(query.get('continue') || 0);
    const to = limit ? Math.min(from + limit, pods.length) : pods.length;
    const metadata = { resourceVersion: version };
    if (to < pods.length) Object.assign(metadata, { continue: String(to), remainingItemCount: pods.length - to });
    const head = `{"kind":"PodList","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[`;
    const items = pods.slice(from, to).flatMap((pod, at) => (at ? [COMMA, pod] : [pod]));
    await write(response, [Buffer.from(head), ...items, Buffer.from(']}\n')]);
    response.end();
  }
}

const ADDED = Buffer.from('{"type":"ADDED","object":');
// In a list objects do not say what they are, in a watch they do.
const KIND = Buffer.from('{"kind":"Pod","apiVersion":"v1",');
const END = Buffer.from('}\n');
const COMMA = Buffer.from(',');

/** In chunks, as fast as the other side reads; more may follow. */
function write(response, buffers) {
  return pipeline(chunks(buffers), response, { end: false });
}

function* chunks(buffers) {
  let chunk = [];
  let bytes = 0;
  for (const buffer of buffers) {
    chunk.push(buffer);
    bytes += buffer.length;
    if (bytes < CHUNK) continue;
    yield Buffer.concat(chunk, bytes);
    [chunk, bytes] = [[], 0];
  }
  if (bytes > 0) yield Buffer.concat(chunk, bytes);
}
