// The one file that Python starts from, unpacked: its WebAssembly, compiled while it comes, and the memory of a Python
// that was started before. On a page a worker does this, on another processor than the one that lays out the page; this
// module is that worker too. build.py fills in the names of files.
//
// The file is: the length of its header and a checksum of all that comes next (4 bytes each, little-endian), the header
// as JSON, then, as zstd packs them, the WebAssembly and the bytes of each run of memory (see restore.mjs).
import { Decompress } from "{{module:fzstd/index.mjs}}";
import { checksum } from "{{module:restore.mjs}}";

const FILE = "{{asset:python.bin}}"; // empty where the site was built without one
const SIZE = "{{size:python.bin}}"; // in bytes
const WORKER = "unpack";
const inWorker = globalThis.name === WORKER && !("document" in globalThis);

// In the edition in one file: every file by its address, none of which anybody answers.
export const held = globalThis.heldFiles ?? new Map();

// The browser's own, while Pyodide is given another.
export const ask = globalThis.fetch.bind(globalThis);

// A host's answer, if it is one.
export async function fetched(url) {
  const answer = held.has(url) ? new Response(held.get(url)) : await ask(url);
  if (!answer.ok) throw new Error(`${url} was answered with status ${answer.status}`);
  return answer;
}

// WebAssembly, compiled while it comes, whatever type a host gives it.
export function compiled(bytes) {
  return WebAssembly.compileStreaming(new Response(bytes, { headers: { "Content-Type": "application/wasm" } }));
}

// The file's two parts: the bytes of the WebAssembly as they come, and at the end the snapshot.
export function unpack(packed) {
  let program;
  const stream = new ReadableStream({ start: (controller) => void (program = controller) });
  const snapshot = sorted(packed, program);
  snapshot.catch((error) => program.error(error));
  return { program: stream, snapshot };
}

async function sorted(packed, program) {
  let early = new Uint8Array(0); // what has come while the header is not whole
  let header = null;
  let body;
  let at; // in the memory; while the WebAssembly comes, before it: below 0
  let sum;
  let came = 0;
  const zstd = new Decompress((plain) => {
    const before = Math.min(plain.length, Math.max(0, -at));
    if (before) program.enqueue(plain.slice(0, before));
    if (before && at + before === 0) program.close();
    if (before < plain.length) body.set(plain.subarray(before), at + before);
    at += plain.length;
  });
  const reader = packed.getReader();
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
    came += value.length;
    if (inWorker) postMessage({ came });
    if (!header) {
      // Not by way of a Blob: WebKit never reads one in a worker of a page without an origin.
      const longer = new Uint8Array(early.length + value.length);
      longer.set(early);
      longer.set(value, early.length);
      early = longer;
      const length = early.length < 8 ? Infinity : new DataView(early.buffer).getUint32(0, true);
      if (early.length < 8 + length) continue;
      value = early.subarray(8 + length);
      sum = checksum(early.subarray(8, 8 + length));
      header = JSON.parse(new TextDecoder().decode(early.subarray(8, 8 + length)));
      body = new Uint8Array(header.runs.reduce((all, [, size]) => all + size, 0));
      at = -header.program;
    }
    sum = checksum(value, sum);
    zstd.push(value);
  }
  // Unpacking notices little of what a line or a disk may do to a file, and wrong memory would run.
  if (!header || sum !== new DataView(early.buffer).getInt32(4, true)) throw new Error("the file was damaged on its way");
  if (at !== body.length) throw new Error("the snapshot is cut short");
  return { header, body };
}

async function here() {
  if (!FILE) throw new Error("this copy has none");
  const { program, snapshot } = unpack((await fetched(new URL(FILE, import.meta.url).href)).body);
  const [compiledProgram, { header, body }] = await Promise.all([compiled(program), snapshot]);
  return { program: compiledProgram, header, body };
}

// In a worker; where there can be none, here.
function away() {
  return new Promise((take, refuse) => {
    try {
      const worker = new Worker(import.meta.url, { type: "module", name: WORKER });
      worker.onmessage = ({ data }) => {
        if (data.came) {
          const said = `${(data.came / 1e6).toFixed(1)} of ${(SIZE / 1e6).toFixed(1)}`;
          return document.getElementById("python-status")?.setAttribute("data-came", said);
        }
        worker.terminate();
        if (data.failure) refuse(new Error(data.failure));
        else take(data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        take(here());
      };
    } catch {
      take(here());
    }
  });
}

const inPage = "document" in globalThis;
// Asked for as soon as this module is there.
export const unpacked = inPage && FILE && !held.size ? away() : here();
unpacked.catch(() => {}); // whoever asks for it is told
if (inWorker) {
  unpacked.then(
    (made) => postMessage(made, [made.body.buffer]),
    (error) => postMessage({ failure: String(error.message ?? error) }),
  );
}
