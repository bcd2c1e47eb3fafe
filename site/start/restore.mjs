// A snapshot of a started Python, laid over the memory of a fresh interpreter. Used by the page, by its workers and, as
// the build's check, in Node.
//
// Of the memory only the runs that are not zero are kept. Its first `base` bytes are the difference from the WebAssembly's
// own data, which every interpreter's memory holds before its first instruction: most of it is zero then.
//
// Its header says: Pyodide's build id (a snapshot fits one build only), bytes of the WebAssembly and of the memory, start
// and length of each run that is not zero, bytes that are kept as a difference and the checksum of the WebAssembly's own data
// there, what Pyodide keeps of JavaScript objects that the memory refers to, and where Python looks for its library.

// Tells Pyodide that there is a snapshot; its bytes it never looks at, since they are laid out here.
const PLACEHOLDER = new Uint8Array(16);

// A checksum of numbers, or of more of them.
export function checksum(numbers, sum = 0) {
  for (let at = 0; at < numbers.length; at++) sum = (Math.imul(sum, 31) + numbers[at]) | 0;
  return sum;
}

// Have `settings` (Emscripten's) hand over memory as the WebAssembly's own data leaves it, before anything has run, and
// tell `fail` where `look` fails: Emscripten would wait for ever.
export function beforeFirstInstruction(settings, look, fail) {
  const { instantiateWasm } = settings;
  settings.instantiateWasm = (imports, receive) =>
    instantiateWasm(imports, async (instance, module) => {
      try {
        await look(new Uint8Array((imports.env.memory ?? instance.exports.memory).buffer));
      } catch (error) {
        fail(error);
        return;
      }
      receive(instance, module);
    });
}

// Lay a snapshot over `memory`; `data` is what the WebAssembly's own data put at its start.
function lay({ header, body }, memory, data) {
  if (memory.length !== header.size || checksum(data) !== header.sum) {
    throw new Error("the snapshot is of other WebAssembly than this");
  }
  let read = 0;
  let written = 0;
  for (const [start, length] of header.runs) {
    memory.fill(0, written, start);
    memory.set(body.subarray(read, read + length), start);
    read += length;
    written = start + length;
  }
  memory.fill(0, written);
  const words = new Uint32Array(memory.buffer, 0, data.length);
  for (let at = 0; at < data.length; at++) words[at] ^= data[at];
}

// Options of `loadPyodide` that make it take up a snapshot in place of starting Python. All of its start that needs no
// memory goes on while the snapshot is still on its way.
export function restoring(coming, factory) {
  return {
    _loadSnapshot: PLACEHOLDER,
    createPyodideModule: (settings) =>
      new Promise((resolve, reject) => {
        let snapshot;
        let data;
        const look = async (memory) => {
          snapshot = await coming;
          data = new Uint32Array(memory.slice(0, snapshot.header.base).buffer);
        };
        beforeFirstInstruction(settings, look, reject);
        const restore = (module) => {
          module.API.restoreSnapshot = () => {
            const { build, references } = snapshot.header;
            if (module.API.config.BUILD_ID !== build) throw new Error("the snapshot is of another build of Pyodide");
            lay(snapshot, module.HEAPU8, data);
            return references;
          };
          return module;
        };
        factory(settings).then(restore).then(resolve, reject);
      }),
  };
}
