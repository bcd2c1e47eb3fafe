/**
 * The worker that makes ready what Python starts from, a third of a second of work, on another processor than the one
 * that lays out the page. boot.js starts it, interpreter.mjs takes what it sends. build.py fills in the names of files.
 */
// Asked for before the module that makes something of them is there.
const answers = {
  compiled: fetched("{{asset:pyodide/pyodide.asm.wasm}}"),
  unpacked: fetched("{{asset:snapshot.bin}}"),
};

function fetched(name) {
  const answer = fetch(new URL(name, import.meta.url)).then((got) => {
    if (!got.ok) throw new Error(`${name} was answered with status ${got.status}`);
    return got;
  });
  answer.catch(() => {}); // seen to below
  return answer;
}

import("{{module:materials.mjs}}").then((make) => {
  for (const [what, answer] of Object.entries(answers)) {
    make[what](answer).then(
      (made) => postMessage({ what, made }, made.body ? [made.body.buffer] : []),
      (error) => postMessage({ what, failure: String(error.message ?? error) }),
    );
  }
});
