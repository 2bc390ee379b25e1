import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Program } from './process';
import { cache, needs } from './where';

/** Starts the real cluster, unless WATCHGLASS_CLUSTER names the folder of one that runs; returns what ends it. */
export default async function globalSetup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.WATCHGLASS_CLUSTER) return undefined;

  const starter = needs(join(cache, 'cluster/watchglass-cluster'), 'scripts/setup test builds it');
  const dir = await mkdtemp(join(tmpdir(), 'watchglass-e2e-'));
  // It ends when this process ends, however that happens.
  const cluster = Program.start(starter, ['run', '--dir', dir, '--until-stdin-closes'], { stdin: true });
  await cluster.prints(/^ready in/m);
  process.env.WATCHGLASS_CLUSTER = dir;
  return async () => {
    await cluster.closeInput();
    await rm(dir, { recursive: true, force: true });
  };
}
