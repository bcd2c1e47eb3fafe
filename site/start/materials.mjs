/** What Python starts from, made out of a host's answers: its WebAssembly, compiled, and the snapshot, unpacked. */
import { ZSTDDecoder } from "{{module:zstddec/zstddec.mjs}}";
import { parse } from "{{module:restore.mjs}}";

const TYPE = "application/wasm";

/** WebAssembly, compiled while it comes, whatever type a host gives it. @param {Promise<Response>} answer */
export async function compiled(answer) {
  const got = await answer;
  const typed = got.headers.get("Content-Type") === TYPE;
  return WebAssembly.compileStreaming(typed ? got : new Response(got.body, { headers: { "Content-Type": TYPE } }));
}

/** A snapshot's header and body. @param {Promise<ArrayBuffer>} file */
export async function unpacked(file) {
  const zstd = await decoder();
  return parse(await file, (packed) => zstd.decode(packed));
}

/**
 * A decoder of zstd, which browsers lack. Its own WebAssembly stands in its text, and it asks for it at a data: address;
 * the page's policy lets nobody fetch from such, so it is answered here.
 */
async function decoder() {
  const zstd = new ZSTDDecoder();
  const { fetch } = globalThis;
  globalThis.fetch = async (address) => {
    const characters = atob(address.slice(address.indexOf(",") + 1));
    return new Response(Uint8Array.from(characters, (character) => character.charCodeAt(0)));
  };
  const ready = zstd.init();
  globalThis.fetch = fetch;
  await ready;
  return zstd;
}
