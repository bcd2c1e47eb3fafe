/**
 * Starts Python in Node, has it import and compile what the page will want, and writes its WebAssembly and its memory as
 * one small file.
 *
 * node snapshot.mjs FOLDER: the folder holds pyodide/, fzstd/, app.zip, core.js (PyScript's chunk with its own Python in
 * it), restore.mjs, unpack.mjs, resident.py and page/ (the page's own scripts); python.bin and shown.json are written there.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

// One line for the build to quote: Node itself would first print the line of code at fault, a megabyte of it.
process.on("uncaughtException", (error) => {
  const lines = String(error?.message ?? error).trim().split("\n");
  console.error(lines.at(-1));
  process.exit(1);
});

const folder = resolve(process.argv[2]);
const load = (name) => import(pathToFileURL(join(folder, name)).href);
const { loadPyodide } = await load("pyodide/pyodide.mjs");
const { default: factory } = await load("pyodide/pyodide.asm.mjs");
const { beforeFirstInstruction, checksum, restoring } = await load("restore.mjs");
const { unpack } = await load("unpack.mjs");

const PAGE = 4096; // runs of zeros are left out in whole pages
const HOME = "/home/pyodide";
// One hash seed for every build, so that two builds of one commit differ in as little as possible.
const ENV = { PYTHONHASHSEED: "0", TZ: "UTC" };

/** PyScript's own Python modules by path, out of its chunk: the argument of the one call that lists them. */
function pyscript(chunk) {
  const found = [...chunk.matchAll(/\w+\("\.",(\{pyscript:\{.*?\}\})\),\w+\.push\("import pyscript as _pyscript"\)/gs)];
  if (found.length !== 1) throw new Error(`PyScript's list of modules was found ${found.length} times in its chunk, not once`);
  const sources = {};
  const walk = (path, entries) => {
    for (const [name, entry] of Object.entries(entries)) {
      if (typeof entry === "string") sources[path + name] = entry;
      else walk(`${path}${name}/`, entry);
    }
  };
  walk("", new Function(`return ${found[0][1]}`)());
  return sources;
}

/** Fill all free memory with zeros: take every free piece there is, largest first, blank it, give it back. */
function blankFreeMemory(module) {
  const { grow } = WebAssembly.Memory.prototype;
  WebAssembly.Memory.prototype.grow = () => {
    throw new RangeError("no more memory while free memory is being blanked");
  };
  const taken = [];
  for (let size = 2 ** 24; size >= 8; ) {
    const at = module._malloc(size) >>> 0;
    if (at) {
      taken.push(at);
      module.HEAPU8.fill(0, at, at + size);
    } else {
      size = size > 64 ? ((size * 3) / 4) & ~7 : size - 8;
    }
  }
  for (const at of taken) module._free(at);
  WebAssembly.Memory.prototype.grow = grow;
  // Below the stack pointer, a little apart, nothing is alive.
  module.HEAPU8.fill(0, module._emscripten_stack_get_end() + 16, module._emscripten_stack_get_current() - 64);
}

/** Start and length of each run of pages that are not all zero. */
function runsOf(memory) {
  const zeros = Buffer.alloc(PAGE);
  const runs = [];
  let open = null;
  for (let at = 0; at < memory.length; at += PAGE) {
    if (zeros.equals(memory.subarray(at, at + PAGE))) open = null;
    else if (open) open[1] += PAGE;
    else runs.push((open = [at, PAGE]));
  }
  return runs;
}

const text = (name) => readFileSync(join(folder, name), "utf8");
const sources = pyscript(text("core.js"));
for (const name of readdirSync(join(folder, "page"))) sources[name] = text(`page/${name}`);
let data;
const py = await loadPyodide({
  _makeSnapshot: true,
  env: ENV,
  createPyodideModule: (settings) => {
    return new Promise((resolve, reject) => {
      beforeFirstInstruction(settings, (memory) => void (data = memory.slice()), reject);
      factory(settings).then(resolve, reject);
    });
  },
});
const module = py._module;
py.unpackArchive(Uint8Array.from(readFileSync(join(folder, "app.zip"))), "zip", { extractDir: HOME });
py.FS.mkdir(`${HOME}/builder`);
for (const name of ["resident.py", "prepare.py"]) py.FS.writeFile(`${HOME}/builder/${name}`, text(name));
const prepare = py.pyimport("builder.prepare");
const given = py.toPy(sources);
prepare.prepare(given);
given.destroy();
prepare.tidy();
prepare.destroy();
py.runPython("import gc; gc.collect()");
const library = py.runPython("import sys; next(path for path in sys.path if path.endswith('.zip'))");
blankFreeMemory(module);

const raw = py.makeMemorySnapshot();
const [, start, length] = new Uint32Array(raw.buffer, 0, 3);
const memory = raw.slice(start);
const references = JSON.parse(Buffer.from(raw.subarray(48, 48 + length)).toString());
const base = module._emscripten_stack_get_end() & ~3;
for (let at = 0; at < base; at++) memory[at] ^= data[at];
const runs = runsOf(memory);
const program = readFileSync(join(folder, "pyodide/pyodide.asm.wasm"));
const header = Buffer.from(
  JSON.stringify({
    build: module.API.config.BUILD_ID,
    program: program.length,
    size: memory.length,
    runs,
    base,
    sum: checksum(new Uint32Array(data.buffer, 0, base >> 2)),
    references,
    library,
  }),
);
// The WebAssembly first: it is compiled while the memory comes.
py.FS.writeFile("/plain", Buffer.concat([program, ...runs.map(([from, size]) => memory.subarray(from, from + size))]));
// Node's own zstd is newer than many a Node; this Python has one.
py.runPython(`
from compression.zstd import CompressionParameter, compress
with open("/plain", "rb") as plain, open("/packed", "wb") as packed:
    packed.write(compress(plain.read(), options={
        CompressionParameter.compression_level: 19,
        CompressionParameter.window_log: 24,
        CompressionParameter.enable_long_distance_matching: 1,
    }))
`);
const rest = Buffer.concat([header, py.FS.readFile("/packed")]);
const head = Buffer.alloc(8);
head.writeUInt32LE(header.length, 0);
head.writeInt32LE(checksum(rest), 4);
const file = Buffer.concat([head, rest]);

// The check: a new interpreter takes the file up and says what the page would show; snapshot.py compares.
const { snapshot } = unpack(new Blob([file]).stream());
const again = await loadPyodide(restoring(snapshot, factory));
const shown = again.runPython(`
import json
from anatomy.visit.state import State
from anatomy.views.page import regions
from builder.resident import wake
wake()
json.dumps(dict(regions(State())))
`);
writeFileSync(join(folder, "python.bin"), file);
writeFileSync(join(folder, "shown.json"), shown);
