import { join } from 'node:path';
import { cache, needs } from '../support/where';

/** What `scripts/bench-page` was asked for; it sets these variables. */
export const options = {
  parts: words('WATCHGLASS_BENCH_PAGE', 'list updates scroll idle large'),
  /** How many pods the cluster gets, one after another. */
  sizes: words('WATCHGLASS_BENCH_PODS', '1000 10000 20000').map(Number),
  /** Updates a second. */
  rates: words('WATCHGLASS_BENCH_RATES', '50 500').map(Number),
  /** How many pods the in-memory API server has. */
  large: Number(process.env.WATCHGLASS_BENCH_LARGE || 100_000),
  /** How often what is timed is repeated: the median is told. */
  runs: Number(process.env.WATCHGLASS_BENCH_RUNS || 3),
  /** How long what goes on is watched. */
  seconds: Number(process.env.WATCHGLASS_BENCH_SECONDS || 20),
  /** Where a proxy that runs serves the page; with it or a kubeconfig the pods are taken as they are. */
  proxy: process.env.WATCHGLASS_BENCH_PROXY || undefined,
  kubeconfig: process.env.WATCHGLASS_BENCH_KUBECONFIG || undefined,
  /** The figures are added to it, a line of JSON each. */
  json: process.env.WATCHGLASS_BENCH_JSON || undefined,
};

export const isGiven = options.proxy !== undefined || options.kubeconfig !== undefined;

export const needsCluster = !isGiven && options.parts.some((part) => part !== 'large');

export const loadTool = () =>
  needs(process.env.WATCHGLASS_LOAD || join(cache, 'cluster/watchglass-load'), 'scripts/setup test builds it');

function words(name: string, otherwise: string): string[] {
  return (process.env[name] || otherwise).split(/[\s,]+/).filter(Boolean);
}
