// Unpacks the edition in one file: modules become blobs, named to each other by an import map; all other files are held
// in memory, where interpreter.mjs looks for them. Then PyScript starts as on any page. Nothing is fetched.
(async () => {
  const HOME = "{{home}}";

  const decoded = (text) => Uint8Array.fromBase64?.(text) ?? Uint8Array.from(atob(text), (each) => each.charCodeAt(0));

  async function gunzipped(bytes) {
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(plain).arrayBuffer());
  }

  const blob = (part, type) => URL.createObjectURL(new Blob([part], { type }));

  // Every file by its path, out of the document.
  async function unpacked() {
    const files = new Map();
    for (const element of document.querySelectorAll("script[data-file]")) {
      const bytes = decoded(element.textContent);
      files.set(element.dataset.file, "gzip" in element.dataset ? await gunzipped(bytes) : bytes);
      element.remove();
    }
    return files;
  }

  const files = await unpacked();
  // The text of each module by its specifier. @type {Record<string, string>}
  const modules = JSON.parse(new TextDecoder().decode(files.get("modules.json")));
  files.delete("modules.json");
  globalThis.heldFiles = new Map([...files].map(([path, bytes]) => [HOME + path, bytes]));

  const imports = {};
  for (const [specifier, text] of Object.entries(modules)) imports[specifier] = blob(text, "text/javascript");
  const map = document.createElement("script");
  map.type = "importmap";
  map.textContent = JSON.stringify({ imports });
  document.head.append(map);

  for (const link of document.querySelectorAll("a[data-held]")) {
    link.href = blob(files.get(link.dataset.held), "text/plain;charset=utf-8");
  }
  const cell = document.querySelector("[data-cell-worker]");
  cell.dataset.cellWorker = blob(files.get("cell_worker.py"), "text/x-python");

  // A worker of a page without an origin may neither be a module nor read the page's blobs: so it is a classic one that
  // is handed what it needs, and imports it as data. What it is sent meanwhile it holds back until it listens.
  const ordinaryWorker = globalThis.Worker;
  const inside = document.getElementById("inside-worker").textContent;
  globalThis.Worker = class extends ordinaryWorker {
    constructor(url, options) {
      if (!String(url).startsWith("blob:")) {
        super(url, options);
        return;
      }
      super(blob(inside, "text/javascript"));
      fetch(url)
        .then((answer) => answer.text())
        .then((code) => super.postMessage({ oneFile: { code, modules, held: globalThis.heldFiles } }));
    }
  };

  const start = document.createElement("script");
  start.type = "module";
  start.textContent = `import "${HOME}interpreter.mjs"; import "#pyscript/core.js";`;
  document.head.append(start);
})();
