// Passes divan's output on, and says at its end what one item cost at each size, so that what is not linear is seen.
// It reads the medians, the third of divan's columns.

import { createInterface } from "node:readline";

const PREFIXES = { "": 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };
const NANOSECONDS = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };
// Growth beyond this from one size to the next is marked: caches get slower with size, and trees by their height.
const NOTABLE = 2;

// By name, the figures by size: nanoseconds, allocations and bytes of one item.
const benches = new Map();
let path = [];
let figures;
let place = 0;

function median(line) {
  return line.split("│").at(-4)?.trim() ?? "";
}

function amount(text, units) {
  const [, number, unit] = /([\d.]+) ?(\S*)/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? NaN);
}

function startOfBench(line) {
  const [, indent, rest] = /^((?:│ {2}| {3})*)(?:├─|╰─) (.*)$/.exec(line) ?? [];
  if (rest === undefined) return false;
  const name = rest.split(" ")[0];
  path = [...path.slice(0, indent.length / 3), name];
  figures = undefined;
  if (!/^\d+$/.test(name)) return true;
  const bench = path.slice(0, -1).join("::");
  if (!benches.has(bench)) benches.set(bench, new Map());
  figures = { time: amount(median(line), NANOSECONDS), items: 1, allocations: 0, bytes: 0 };
  benches.get(bench).set(Number(name), figures);
  return true;
}

function read(line) {
  if (startOfBench(line) || figures === undefined) return;
  if (median(line).endsWith("item/s")) {
    const [number, unit] = median(line).replace("item/s", "").split(" ");
    figures.items = Math.max(1, Math.round((Number(number) * PREFIXES[unit] * figures.time) / 1e9));
  }
  // A count and then bytes follow each of divan's headings.
  if (line.includes(":")) place = /(?<!max )\balloc:/.test(line) ? 2 : 0;
  else if (place > 0) {
    if (place === 2) figures.allocations = Number(median(line).replace(/ K$/, "e3"));
    else figures.bytes = amount(median(line).replace(/B$/, ""), PREFIXES);
    place -= 1;
  }
}

function time(nanoseconds) {
  if (nanoseconds < 1e3) return `${nanoseconds.toPrecision(3)} ns`;
  return nanoseconds < 1e6 ? `${(nanoseconds / 1e3).toPrecision(3)} µs` : `${(nanoseconds / 1e6).toPrecision(3)} ms`;
}

function count(number) {
  return Number(number.toPrecision(3)).toString();
}

function table(title, sizes, of, text) {
  const width = Math.max(...[...benches.keys()].map((name) => name.length)) + 2;
  const row = (name, cells, rest) =>
    console.log(name.padEnd(width) + cells.map((cell) => cell.padStart(12)).join("") + `   ${rest}`);
  console.log(`\n${title}`);
  row("", sizes.map((size) => size.toLocaleString("en")), "growth");
  for (const [name, figures] of benches) {
    const found = sizes.filter((size) => figures.has(size)).map((size) => of(figures.get(size)));
    const steps = found.slice(1).map((figure, at) => (figure === found[at] ? 1 : figure / found[at]));
    const mark = steps.some((step) => step > NOTABLE) ? " !" : "";
    const cells = sizes.map((size) => (figures.has(size) ? text(of(figures.get(size))) : ""));
    row(name, cells, steps.map((step) => `×${step.toFixed(1)}`).join(" ") + mark);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(line);
  read(line);
}
if (benches.size > 0) {
  const sizes = [...new Set([...benches.values()].flatMap((figures) => [...figures.keys()]))].sort((a, b) => a - b);
  table("Time of one item", sizes, ({ time, items }) => time / items, time);
  table("Allocations of one item", sizes, ({ allocations, items }) => allocations / items, count);
  table("Bytes allocated for one item", sizes, ({ bytes, items }) => bytes / items, count);
}
