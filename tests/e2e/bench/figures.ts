import { appendFileSync } from 'node:fs';
import { options } from './options';

export type Figures = Record<string, number | string | undefined>;

const PEER = 'watchglass in Chromium';

/** Prints a line for people and one of JSON, which is of the shape of tests/benches/peers.md. */
export function report(mode: string, text: string, figures: Figures): void {
  const rounded = Object.entries(figures).map(([name, value]) => [
    name,
    typeof value === 'number' ? round(value) : value,
  ]);
  const line = JSON.stringify({ peer: PEER, mode, ...Object.fromEntries(rounded) });
  console.log(`bench: ${mode}: ${text}\n${line}`);
  if (options.json) appendFileSync(options.json, `${line}\n`);
}

/** Prints figures of several pages beside each other, a line for each figure. */
export function reportBeside(mode: string, figures: Record<string, Figures>): void {
  const peers = Object.keys(figures);
  const names = Object.keys(figures[peers[0] ?? ''] ?? {});
  const lines = [
    [mode, ...peers],
    peers.map(() => '---').concat('---'),
    ...names.map((name) => [name, ...peers.map((peer) => String(figures[peer]?.[name]))]),
  ];
  console.log(lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n'));
}

/** Three digits are more than a time tells. */
function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** The value that a share of all does not exceed; 0.5 for the median. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

export const median = (values: number[]) => quantile(values, 0.5);

/** The median of each figure that all of these have. */
export function medians<Name extends string>(all: Record<Name, number>[]): Record<Name, number> {
  const names = Object.keys(all[0] ?? {}) as Name[];
  return Object.fromEntries(names.map((name) => [name, median(all.map((one) => one[name]))])) as Record<Name, number>;
}

export const ms = (value: number) => `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ms`;
export const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
export const cores = (value: number) => `${value.toFixed(3)} core`;
