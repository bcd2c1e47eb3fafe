// Keeps one whole version of the site, so that after one visit it works without a network. build.py fills in which
// files a version has; the browser fetches this file anew at each visit, and a new version is a new one of these.
const VERSION = "{{files-version}}";
// Each file's SHA-256 by its path from here. @type {Record<string, string>}
const FILES = JSON.parse(String.raw`{{files}}`);
// A host may hold other copies of the site beside this one: what they keep is theirs.
const PREFIX = `anatomy ${self.registration.scope} `;
const NAME = PREFIX + VERSION;
// A name with a hash in it never means another content, so the browser's own cache may answer for it.
const HASHED = /[./][0-9a-f]{10}[./]/;

const address = (path) => new URL(path, self.registration.scope).href;
const own = async () => (await caches.keys()).filter((name) => name.startsWith(PREFIX));

// The answer as one of this worker's own, if it is the file that is wanted: one that came by a redirect, kept as it is,
// would be refused wherever it is a page that is asked for.
async function checked(answer, path) {
  const bytes = await answer.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const sha256 = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return sha256 === FILES[path] ? new Response(bytes, { headers: answer.headers }) : null;
}

async function store(cache, path, names) {
  const hashed = HASHED.test(path);
  for (const name of hashed ? names : []) {
    const before = await caches.match(address(path), { cacheName: name });
    const right = before && (await checked(before, path));
    if (right) return cache.put(address(path), right);
  }
  const answer = await fetch(address(path), { cache: hashed ? "default" : "no-cache" });
  if (!answer.ok) throw new Error(`${path} was answered with status ${answer.status}`);
  const right = await checked(answer, path);
  // A host may still send a file of the version before, or a page to log in at: this version waits for another visit.
  if (!right) throw new Error(`${path} is not the file of version ${VERSION}`);
  return cache.put(address(path), right);
}

// Workers of former versions kept a page as it came by a redirect, and failed with it: what they hold is mended.
async function mend(names) {
  for (const name of names) {
    const page = await caches.match(address("./"), { cacheName: name });
    if (!page?.redirected) continue;
    await (await caches.open(name)).put(address("./"), new Response(page.body, { headers: page.headers }));
  }
}

async function install() {
  const names = await own();
  await mend(names);
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

// Removes the versions before this one, but for the last of them while another open page may be of it.
async function tidy() {
  const names = await own();
  const before = names.slice(0, names.indexOf(NAME));
  const open = await self.clients.matchAll({ includeUncontrolled: true });
  if (open.filter(({ url }) => url.startsWith(address(""))).length > 1) before.pop();
  for (const name of before) await caches.delete(name);
}

// A browser that is short of room may throw files away and leave this worker: then all are fetched again.
async function complete() {
  const there = new Set((await (await caches.open(NAME)).keys()).map(({ url }) => url));
  if (!Object.keys(FILES).every((path) => there.has(address(path)))) await install();
  await tidy();
}

async function activate() {
  await tidy();
  await self.clients.claim();
}

async function answer(request) {
  const url = new URL(request.url);
  url.search = url.hash = "";
  if (url.href === address("index.html")) url.href = address("./");
  // A page of the version before, which may still be open, asks for files of its own.
  const hashed = HASHED.test(url.href.slice(address("").length));
  for (const name of hashed ? await own() : [NAME]) {
    const found = await caches.match(url.href, { cacheName: name });
    if (found && !found.redirected) return found;
  }
  return null;
}

self.addEventListener("install", (event) => event.waitUntil(install()));
self.addEventListener("activate", (event) => event.waitUntil(activate()));
self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method !== "GET" || !url.startsWith(address(""))) return;
  // What cannot be answered from here, for whatever reason, the network answers as if there were no worker.
  const found = answer(event.request).catch(() => null);
  event.respondWith(found.then((it) => it ?? fetch(event.request)));
});
self.addEventListener("message", (event) => {
  // The page's reader has asked for the newer version.
  if (event.data === "take over") self.skipWaiting();
  if (event.data !== "keep") return;
  const said = complete().then(() => "kept", () => "lost");
  event.waitUntil(said.then((word) => event.source.postMessage(word)));
});
