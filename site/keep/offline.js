// What stays in this browser: keeps this copy for later without a network, says whether that is done yet, offers a newer
// version when there is one, and removes on demand whatever a visit has left.
const root = document.documentElement;
const workers = navigator.serviceWorker;
const WORKS = "This copy works offline: it is kept in this browser.";
const LOST = "This copy does not work offline: the browser could not keep it. The next visit tries again.";
let reloading = false;

function say(text) {
  const status = document.getElementById("offline-status");
  if (status) status.textContent = text;
}

// Ready is the moment from which the page needs the network for nothing else.
function whenReady(then) {
  const check = () => {
    if (root.dataset.python !== "ready") return false;
    observer.disconnect();
    then();
    return true;
  };
  const observer = new MutationObserver(check);
  if (!check()) observer.observe(root, { attributeFilter: ["data-python"] });
}

function offer(waiting) {
  const status = document.getElementById("python-status");
  const button = document.createElement("button");
  button.type = "button";
  button.id = "update";
  button.textContent = "reload";
  button.addEventListener("click", () => waiting.postMessage("take over"));
  status.replaceChildren("A newer version is ready: ", button);
}

function follow(worker) {
  const changed = () => {
    if (worker.state === "installed" && workers.controller) offer(worker);
    else if (worker.state === "activated") say(WORKS);
    // The browser gave it up: no room, or the network broke off.
    else if (worker.state === "redundant" && !workers.controller) {
      say(LOST);
    }
  };
  worker.addEventListener("statechange", changed);
  changed();
}

async function keep() {
  // A worker that is there already is asked whether it has all that it would answer with.
  workers.addEventListener("message", ({ data }) => say(data === "kept" ? WORKS : LOST));
  if (workers.controller) workers.controller.postMessage("keep");
  else say("This copy does not work offline yet: it is being kept in this browser now.");
  let controlled = Boolean(workers.controller);
  workers.addEventListener("controllerchange", () => {
    // The first worker takes over a page of its own version; any later one brings another version, taken as a whole.
    if (controlled && !reloading) {
      reloading = true;
      location.reload();
    }
    controlled = true;
  });
  const registration = await workers.register("service_worker.js", { updateViaCache: "none" });
  if (registration.waiting && workers.controller) offer(registration.waiting);
  if (registration.installing) follow(registration.installing);
  registration.addEventListener("updatefound", () => registration.installing && follow(registration.installing));
}

// All that the page stores of a visitor begins so.
const OURS = "anatomy:";
// PyScript opens databases that begin so and puts nothing into them; other pages of the same host may use them.
const PYSCRIPTS = "IDBMap/";

const done = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = request.onblocked = reject;
  });

async function removeEmpty(name) {
  const database = await done(indexedDB.open(name));
  const stores = [...database.objectStoreNames];
  const counts = stores.map((store) => done(database.transaction(store).objectStore(store).count()));
  const held = await Promise.all(counts);
  database.close();
  if (held.every((count) => !count)) indexedDB.deleteDatabase(name);
}

async function forget() {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(OURS)) localStorage.removeItem(key);
    const databases = (await indexedDB.databases?.()) ?? [];
    const theirs = databases.map(({ name }) => name).filter((name) => name.startsWith(PYSCRIPTS));
    await Promise.allSettled(theirs.map(removeEmpty));
  } catch {
    // A browser that forbids storage has nothing to remove.
  }
  // The address may hold a model of the visitor's own; the page is to be as on a first visit.
  history.replaceState(null, "", location.pathname + location.search);
  location.reload();
}

document.addEventListener("click", (event) => {
  if (event.target.id === "forget") forget();
});
if ("forget" in root.dataset) forget(); // chosen before this was here

if (root.dataset.edition) {
  say("This is the edition in one file: it needs no network.");
} else if (!workers) {
  say("This copy does not work offline: here, this browser keeps no pages. The edition in one file does.");
} else if (navigator.connection?.saveData && !workers.controller) {
  say("This copy does not work offline: to spare your data, it is not kept.");
} else {
  whenReady(() => keep().catch(() => say(LOST)));
}
