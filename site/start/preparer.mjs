/**
 * The worker that makes ready what Python starts from, a third of a second of work, on another processor than the one
 * that lays out the page. boot.js starts it, interpreter.mjs takes what it sends. build.py fills in the names of files.
 */
// All asked for at once: what is to be made ready, and the modules that do it.
const snapshot = fetched("{{asset:snapshot.bin}}").then((got) => got.arrayBuffer());
const program = fetched("{{asset:pyodide/pyodide.asm.wasm}}");
const parts = [import("{{module:restore.mjs}}"), import("{{module:zstddec/zstddec.mjs}}")];
// What fails here is said below, where it is wanted.
for (const early of [snapshot, program, ...parts]) early.catch(() => {});

async function fetched(name) {
  const got = await fetch(new URL(name, import.meta.url));
  if (!got.ok) throw new Error(`${name} was answered with status ${got.status}`);
  return got;
}

function send(what, making) {
  making.then(
    (made) => postMessage({ what, made }, made.body ? [made.body.buffer] : []),
    (error) => postMessage({ what, failure: String(error.message ?? error) }),
  );
}

const materials = import("{{module:materials.mjs}}");
send("compiled", materials.then(({ compiled }) => compiled(program)));
send("unpacked", materials.then(({ unpacked }) => unpacked(snapshot)));
