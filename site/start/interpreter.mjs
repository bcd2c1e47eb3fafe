/**
 * The interpreter as PyScript takes it from here (its setting `interpreter`): Pyodide, but started by restoring a
 * snapshot of a Python that was started before, when the site was built. Whatever stands in the way of that, the
 * ordinary start follows. build.py fills in the names of files.
 */
import { loadPyodide as start, version } from "{{module:pyodide/pyodide.mjs}}";
import factory from "{{module:pyodide/pyodide.asm.mjs}}";
import { checksum, restoring } from "{{module:restore.mjs}}";

export { version };

const address = (name) => new URL(name, import.meta.url).href;
const WASM = address("{{asset:pyodide/pyodide.asm.wasm}}");
const LIBRARY = address("{{asset:pyodide/python_stdlib.zip}}");
const APP = address("{{asset:app.zip}}");
const SNAPSHOT = "{{asset:snapshot.bin}}"; // empty where the site was built without one
/** Pyodide's lock file, already reduced to what the site carries. */
const LOCK = String.raw`{{lock}}`;
const FOLDER = new URL(".", WASM).href;
const EMPTY_LIBRARY = `${FOLDER}none.zip`; // never fetched: answered here
const EMPTY_ZIP = Uint8Array.of(0x50, 0x4b, 5, 6, ...new Array(18).fill(0));

/** In the edition in one file: every file by its address, none of which anybody answers. @type {Map<string, Uint8Array>} */
const held = globalThis.heldFiles ?? new Map();
/** The browser's own, while Pyodide is given another. */
const ask = globalThis.fetch.bind(globalThis);
/** What Pyodide asks for and gets from here; of its WebAssembly, which is compiled already, it needs no byte. */
const ANSWERED = new Map([...held, [EMPTY_LIBRARY, EMPTY_ZIP], [WASM, new Uint8Array(0)]]);

// Both asked for at once; on the page itself a worker is at it already. What it could not do is done here.
const { prepared = {} } = globalThis;
const materials = () => import("{{module:materials.mjs}}");
const compiled = (prepared.compiled ?? Promise.reject()).catch(async () => (await materials()).compiled(fetched(WASM)));
const snapshot = SNAPSHOT
  ? (prepared.unpacked ?? Promise.reject()).catch(async () => (await materials()).unpacked(bytes(address(SNAPSHOT))))
  : Promise.reject(new Error("this copy has none"));
compiled.catch(() => {});
snapshot.catch(() => {});

async function bytes(url) {
  return (await fetched(url)).arrayBuffer();
}

async function fetched(url) {
  const answer = held.has(url) ? new Response(held.get(url)) : await ask(url);
  if (!answer.ok) throw new Error(`${url} was answered with status ${answer.status}`);
  return answer;
}

/**
 * Run Pyodide's start on the WebAssembly compiled already; a failure to compile it is an error (Pyodide would wait for
 * ever).
 */
async function started(options) {
  const { instantiateStreaming } = WebAssembly;
  let giveUp;
  const failure = new Promise((_, reject) => (giveUp = reject));
  globalThis.fetch = async (resource, ...rest) => {
    const bytes = ANSWERED.get(String(resource?.url ?? resource));
    return bytes ? new Response(bytes) : ask(resource, ...rest);
  };
  WebAssembly.instantiateStreaming = async (_, imports) => {
    try {
      const module = await compiled;
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

/** Pyodide by way of the snapshot. */
async function restored(options) {
  const python = await started({ ...options, stdLibURL: EMPTY_LIBRARY, ...restoring(snapshot, factory) });
  const { header } = await snapshot;
  python.registerJsModule("_standard_library", { bring: () => bring(python, header.library) });
  python.runPython("from builder.resident import wake; wake(); del wake");
  shortenPrelude(python, header.prelude);
  return python;
}

/** Pyodide as it starts by itself, and the page's Python beside it. */
async function ordinary(options) {
  const [python, app] = await Promise.all([
    started({ ...options, stdLibURL: LIBRARY, createPyodideModule: factory }),
    bytes(APP),
  ]);
  python.unpackArchive(app, "zip");
  return python;
}

/** Put the standard library's archive where Python looks for it. */
function bring(python, path) {
  python.FS.writeFile(path, held.get(LIBRARY) ?? requested(LIBRARY));
}

/** A file's bytes while the caller waits: an import cannot do otherwise. */
function requested(url) {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  // A request that is waited for may ask for text alone: one character for each byte.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${url} was answered with status ${request.status}`);
  const text = request.responseText;
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/**
 * Before the first script PyScript writes its own Python modules into files and imports them from there. The snapshot
 * holds them compiled, so where that very text is about to run, only the import remains of it.
 */
function shortenPrelude(python, { length, sum }) {
  for (const name of ["runPython", "runPythonAsync"]) {
    const run = python[name];
    python[name] = (code, ...rest) => {
      const known = typeof code === "string" && code.length >= length && sumOf(code.slice(0, length)) === sum;
      return run.call(python, known ? `import pyscript\n${code.slice(length)}` : code, ...rest);
    };
  }
}

function sumOf(text) {
  return checksum(Uint32Array.from(text, (character) => character.codePointAt(0)));
}

/** Where PyScript wants output to go: known only when it asks for Python, which is begun before. */
const outlets = {};
const options = () => ({
  stdout: (text) => outlets.stdout?.(text),
  stderr: (text) => outlets.stderr?.(text),
  indexURL: FOLDER,
  packageBaseUrl: FOLDER,
  lockFileContents: JSON.parse(LOCK),
});

async function begin() {
  const root = globalThis.document?.documentElement.dataset ?? {};
  try {
    const python = await restored(options());
    root.start = "snapshot";
    return python;
  } catch (error) {
    console.info(`Python starts the ordinary way: ${error.message ?? error}`);
    root.start = "ordinary";
    return ordinary(options());
  }
}

// Not when PyScript asks for it: it has things of its own to see to first.
const begun = begin();
begun.catch(() => {}); // told to PyScript

/** What PyScript calls. @param {object} given where output goes, and a folder, which is known here */
export function loadPyodide(given) {
  const { stdout, stderr, indexURL, ...others } = given;
  const unknown = Object.keys(others);
  if (unknown.length) throw new Error(`PyScript asks for a Python with ${unknown.join(", ")}, which is not to be had here`);
  Object.assign(outlets, { stdout, stderr });
  return begun;
}
