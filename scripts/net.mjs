// Small questions about the network that a shell cannot ask everywhere.
//   node net.mjs port 8001          prints that port when it is free on loopback, else a free one
//   node net.mjs wait URL SECONDS   ends well once the URL answers with 200
import { createServer } from 'node:net';

const [, , question, subject, seconds] = process.argv;

function listen(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(0));
    server.listen(port, '127.0.0.1', () => {
      const found = server.address().port;
      server.close(() => resolve(found));
    });
  });
}

async function answers(url) {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

async function waitFor(url) {
  const deadline = Date.now() + Number(seconds) * 1000;
  while (Date.now() < deadline) {
    if (await answers(url)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

if (question === 'port') {
  // As text: a number would come out coloured where colours are forced.
  console.log(String((await listen(Number(subject))) || (await listen(0))));
} else if (question === 'wait') {
  process.exit((await waitFor(subject)) ? 0 : 1);
} else {
  console.error(`Unknown question ${question}`);
  process.exit(2);
}
