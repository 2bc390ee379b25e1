import { compare } from './compare';
import { bench } from './fixtures';
import { idle } from './idle';
import { large } from './large';
import { list } from './list';
import { isGiven, options } from './options';
import { scroll } from './scroll';
import { updates } from './updates';

const asked = (part: string) => options.parts.includes(part);
const biggest = Math.max(...options.sizes);

// A trace takes a picture at each step, and time with it.
bench.use({ trace: 'off' });
bench.describe.configure({ timeout: 3_600_000 });

// Of a cluster that is somebody else's, the pods that it has.
for (const pods of isGiven ? [biggest] : options.sizes) {
  if (asked('list')) list(pods);
  // Twice: what an update costs must not depend on the number of pods.
  if (asked('updates') && pods * 2 >= biggest) updates(pods);
}
if (asked('scroll')) scroll(biggest);
if (asked('compare')) compare(biggest);
if (asked('idle')) idle(biggest);
if (asked('large')) large(options.large);
