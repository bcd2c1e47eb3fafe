/**
 * Keeps one whole version of the site, so that after one visit it works without a network. build.py fills in which
 * files a version has; the browser fetches this file anew at each visit, and a new version is a new one of these.
 */
const VERSION = "{{files-version}}";
/** Each file's SHA-256 by its path from here. @type {Record<string, string>} */
const FILES = JSON.parse(String.raw`{{files}}`);
// A host may hold other copies of the site beside this one: what they keep is theirs.
const PREFIX = `anatomy ${self.registration.scope} `;
const NAME = PREFIX + VERSION;
// A name with a hash in it never means another content, so the browser's own cache may answer for it.
const HASHED = /[./][0-9a-f]{10}[./]/;

const address = (path) => new URL(path, self.registration.scope).href;
const own = async () => (await caches.keys()).filter((name) => name.startsWith(PREFIX));

async function isRight(answer, sha256) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await answer.arrayBuffer()));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") === sha256;
}

/** The file out of any version kept here, if it is the one wanted. */
async function kept(path, names) {
  for (const name of names) {
    const answer = await (await caches.open(name)).match(address(path));
    if (answer && (await isRight(answer.clone(), FILES[path]))) return answer;
  }
  return null;
}

async function store(cache, path, names) {
  let answer = HASHED.test(path) ? await kept(path, names) : null;
  if (!answer) {
    answer = await fetch(address(path), { cache: HASHED.test(path) ? "default" : "no-cache" });
    if (!answer.ok) throw new Error(`${path} was answered with status ${answer.status}`);
    // A host may still send a file of the version before: then this version waits for another visit.
    if (!(await isRight(answer.clone(), FILES[path]))) throw new Error(`${path} is not the file of version ${VERSION}`);
  }
  await cache.put(address(path), answer);
}

async function install() {
  const names = await own();
  const cache = await caches.open(NAME);
  try {
    // One after another: what the page itself still asks for comes first.
    for (const path of Object.keys(FILES)) await store(cache, path, names);
  } catch (error) {
    // What has come so far is kept for the next try, unless there is no room for it.
    if (error.name === "QuotaExceededError") await caches.delete(NAME);
    throw error;
  }
}

/** Whether every file is kept. A browser that is short of room may throw them away and leave this worker: then again. */
async function complete() {
  const there = new Set((await (await caches.open(NAME)).keys()).map((request) => request.url));
  if (Object.keys(FILES).every((path) => there.has(address(path)))) return true;
  return install().then(
    () => true,
    () => false,
  );
}

async function activate() {
  for (const name of await own()) if (name !== NAME) await caches.delete(name);
  await self.clients.claim();
}

async function answer(request) {
  const url = new URL(request.url);
  url.search = url.hash = "";
  if (url.href === address("index.html")) url.href = address("./");
  return (await (await caches.open(NAME)).match(url.href)) ?? fetch(request);
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && url.startsWith(self.registration.scope)) event.respondWith(answer(event.request));
});
self.addEventListener("message", (event) => {
  // The page's reader has asked for the newer version.
  if (event.data === "take over") self.skipWaiting();
  if (event.data === "keep") event.waitUntil(complete().then((whole) => event.source.postMessage(whole ? "kept" : "lost")));
});
