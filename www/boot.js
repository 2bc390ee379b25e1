// Starts the program. A file of its own, because the page allows no inline script.
// Trunk.toml writes the names of the program's files into the element that loads this one.
const { app, wasm } = document.currentScript.dataset;
const here = (path) => new URL(path, document.baseURI).href;

try {
  // Before the first paint, so that the page never flashes in the other theme.
  for (const name of ["theme", "density"]) {
    const chosen = localStorage.getItem(`watchglass.${name}`);
    if (chosen) document.documentElement.dataset[name] = chosen;
  }
} catch {
  // No storage: the system's theme.
}

async function start() {
  // Compiled while it comes, beside the script that calls it; that one tries again by itself where this does not work,
  // as with a server that does not know the file's type.
  const program = WebAssembly.compileStreaming(fetch(here(wasm))).catch(() => here(wasm));
  const module = await import(here(app));
  if (document.readyState === "loading") {
    await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));
  }
  await module.default({ module_or_path: await program });
}

start().catch((error) => {
  console.error(error);
  const text = document.querySelector(".shell-text");
  if (text) text.textContent = `Watchglass could not start: ${error.message}. Reload the page; it needs a browser of 2023 or later.`;
});
