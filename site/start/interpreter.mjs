// The interpreter as PyScript takes it from here (its setting `interpreter`): Pyodide, but started by restoring a
// snapshot of a Python that was started before, when the site was built. Whatever stands in the way of that, the
// ordinary start follows. build.py fills in the names of files.
import { loadPyodide as start, version } from "{{module:pyodide/pyodide.mjs}}";
import factory from "{{module:pyodide/pyodide.asm.mjs}}";
import { restoring } from "{{module:restore.mjs}}";
import { ask, compiled, fetched, held, unpacked } from "{{module:unpack.mjs}}";

export { version };

const address = (name) => new URL(name, import.meta.url).href;
const WASM = address("{{asset:pyodide/pyodide.asm.wasm}}");
const LIBRARY = address("{{asset:pyodide/python_stdlib.zip}}");
const APP = address("{{asset:app.zip}}");
// Pyodide's lock file, already reduced to what the site carries.
const LOCK = String.raw`{{lock}}`;
const FOLDER = new URL(".", WASM).href;
const EMPTY_LIBRARY = `${FOLDER}none.zip`; // never fetched: answered here
const EMPTY_ZIP = Uint8Array.of(0x50, 0x4b, 5, 6, ...new Array(18).fill(0));

// What Pyodide asks for and gets from here; of its WebAssembly, which is compiled already, it needs no byte.
const ANSWERED = new Map([...held, [EMPTY_LIBRARY, EMPTY_ZIP], [WASM, new Uint8Array(0)]]);

// PyScript opens databases at its start, and does not start where a browser forbids them. Nothing of this page is kept
// there, so it gets one that is empty and stays so.
const request = (result) => {
  const made = {};
  queueMicrotask(() => made.onsuccess?.({ target: { result } }));
  return made;
};
const store = new Proxy({}, { get: (_, name) => () => request(name === "getAllKeys" ? [] : undefined) });
const database = { transaction: () => ({ objectStore: () => store }), close() {} };
Object.defineProperty(globalThis, "indexedDB", { configurable: true, value: { open: () => request(database) } });

// Run Pyodide's start on that program; a failure to compile it is an error (Pyodide would wait for ever).
async function started(options, program) {
  const { instantiateStreaming } = WebAssembly;
  let giveUp;
  const failure = new Promise((_, reject) => (giveUp = reject));
  globalThis.fetch = async (resource, ...rest) => {
    const bytes = ANSWERED.get(String(resource?.url ?? resource));
    return bytes ? new Response(bytes) : ask(resource, ...rest);
  };
  WebAssembly.instantiateStreaming = async (_, imports) => {
    try {
      const module = await program;
      return { module, instance: await WebAssembly.instantiate(module, imports) };
    } catch (error) {
      giveUp(error);
      return new Promise(() => {}); // settled by `failure`; Pyodide has nothing to add
    }
  };
  try {
    return await Promise.race([start(options), failure]);
  } finally {
    globalThis.fetch = ask;
    WebAssembly.instantiateStreaming = instantiateStreaming;
  }
}

// Pyodide by way of the snapshot.
async function restored(options) {
  const program = unpacked.then((it) => it.program);
  const python = await started({ ...options, stdLibURL: EMPTY_LIBRARY, ...restoring(unpacked, factory) }, program);
  const { header } = await unpacked;
  const bring = () => python.FS.writeFile(header.library, held.get(LIBRARY) ?? requested(LIBRARY));
  python.registerJsModule("_standard_library", { bring });
  python.runPython("from builder.resident import wake; wake(); del wake");
  return python;
}

// Pyodide as it starts by itself, and the page's Python beside it.
async function ordinary(options) {
  // A file that came whole, but whose memory is not for this browser, brought its WebAssembly.
  const program = unpacked.then((it) => it.program).catch(async () => compiled((await fetched(WASM)).body));
  const [python, app] = await Promise.all([
    started({ ...options, stdLibURL: LIBRARY, createPyodideModule: factory }, program),
    fetched(APP).then((answer) => answer.arrayBuffer()),
  ]);
  python.unpackArchive(app, "zip");
  return python;
}

// A file's bytes while the caller waits: an import cannot do otherwise.
function requested(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  // A request that is waited for may ask for text alone: one character for each byte.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${url} was answered with status ${request.status}`);
  return Uint8Array.from(request.responseText, (each) => each.charCodeAt(0));
}

const options = () => ({ indexURL: FOLDER, packageBaseUrl: FOLDER, lockFileContents: JSON.parse(LOCK) });

async function begin() {
  const root = globalThis.document?.documentElement.dataset ?? {};
  let python;
  try {
    python = await restored(options());
    root.start = "snapshot";
  } catch (error) {
    console.info(`Python starts the ordinary way: ${error.message ?? error}`);
    root.start = "ordinary";
    python = await ordinary(options());
  }
  // Pyodide calls this when its Python has broken off for good.
  python._api.on_fatal = () => (root.python = "failed");
  return python;
}

// Not when PyScript asks for it: it has things of its own to see to first.
const begun = begin();
begun.catch(() => {}); // told to PyScript

// What PyScript calls: where files are is known here, and output goes to the console, or where the code cell leads it.
export function loadPyodide({ stdout, stderr, indexURL, ...others }) {
  const unknown = Object.keys(others);
  if (unknown.length) throw new Error(`PyScript asks for a Python with ${unknown.join(", ")}, which is not to be had here`);
  return begun;
}
