// Trunk's last step: makes the built page what it should be for others than `trunk serve`.
//
// - One stylesheet instead of one for each component: a browser asks a kubectl proxy for six files at a time.
// - No preload of the program: `boot.js` asks for it before the page gets there, and the browser would ask twice.
// - No nonce in the policy: Trunk's server makes a new one for each answer, for its reload script; a file cannot.
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.env.TRUNK_STAGING_DIR;
if (process.env.TRUNK_PROFILE !== "release" || !folder) process.exit(0);

const file = join(folder, "index.html");
let html = readFileSync(file, "utf8");

const sheets = [...html.matchAll(/<link\b[^>]*\brel="?stylesheet"?[^>]*>/g)].map(([link]) => ({
  link,
  path: join(folder, /\bhref="?([^"\s>]+)/.exec(link)[1]),
}));
const css = sheets.map(({ path }) => readFileSync(path, "utf8").trim()).join("\n");
const digest = (algorithm, encoding) => createHash(algorithm).update(css).digest(encoding);
const name = `styles-${digest("sha256", "hex").slice(0, 16)}.css`;
writeFileSync(join(folder, name), css);
sheets.forEach(({ link, path }, index) => {
  rmSync(path);
  const whole = `<link rel="stylesheet" href="./${name}" integrity="sha384-${digest("sha384", "base64")}">`;
  html = html.replace(link, index === 0 ? whole : "");
});

html = html.replace(/ ?'nonce-\{\{__TRUNK_NONCE__\}\}'/, "").replace(/ nonce="?\{\{__TRUNK_NONCE__\}\}"?/g, "");
html = html.replace(/<link\b[^>]*\brel="?preload"?[^>]*>/g, "");
html = html.replace(/^\s*\n/gm, "");
writeFileSync(file, html);
