/** What Python starts from, made out of a host's answers: its WebAssembly, compiled, and the snapshot, unpacked. */
import { decompress } from "{{module:fzstd/index.mjs}}";
import { parse } from "{{module:restore.mjs}}";

const TYPE = "application/wasm";

/** WebAssembly, compiled while it comes, whatever type a host gives it. @param {Promise<Response>} answer */
export async function compiled(answer) {
  const got = await answer;
  const typed = got.headers.get("Content-Type") === TYPE;
  return WebAssembly.compileStreaming(typed ? got : new Response(got.body, { headers: { "Content-Type": TYPE } }));
}

/** A snapshot's header and body. @param {Promise<Response>} answer */
export async function unpacked(answer) {
  return parse(await (await answer).arrayBuffer(), decompress);
}
