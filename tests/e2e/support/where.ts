import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export const root = resolve(__dirname, '../../..');
/** The page as it is released; another build of it can be named. */
export const dist = process.env.WATCHGLASS_DIST || join(root, 'dist');
export const distDemo = process.env.WATCHGLASS_DIST_DEMO || join(root, 'dist-demo');
/** The page that runs the client suite, and no part of what people get. */
export const clientSuite = join(root, 'dist-client-suite');
export const cache = process.env.WATCHGLASS_CACHE || join(homedir(), '.cache/watchglass');

/** Says at once what is missing, instead of a test that times out. */
export function needs(path: string, how: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: ${how}`);
  return path;
}
