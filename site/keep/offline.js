// What stays in this browser: keeps this copy for later without a network, says whether that is done yet, offers a newer
// version when there is one, and removes on demand what visits have left, or this copy.
const root = document.documentElement;
const workers = navigator.serviceWorker;
const WORKS = "This copy works offline: it is kept in this browser.";
const LOST = "This copy does not work offline: the browser could not keep it. The next visit tries again.";
const REMOVED = "The offline copy is removed. The page works on with a network; your next visit keeps a copy again.";
// So begins the name of all that is kept, of files and of a visitor: a host may hold other copies of the site.
const OURS = `anatomy ${new URL("./", location.href).href} `;
const NO_COPY = "no copy";
let newer; // the worker of a version that is offered
let taking = false; // whether this page has asked for it

function say(text) {
  const status = document.getElementById("offline-status");
  if (status) status.textContent = text;
}

// The moment from which the page needs the network for nothing else.
const ready = new Promise((resolve) => {
  const look = () => root.dataset.python === "ready" && resolve();
  document.addEventListener("python", look);
  look();
});

function offer(worker) {
  newer = worker;
  document.getElementById("python-status").replaceChildren(document.getElementById("newer").content.cloneNode(true));
}

function update() {
  taking = true;
  if (newer.state === "installed") newer.postMessage("take over");
  else location.reload(); // another page has had it take over
}

function follow(worker) {
  const changed = () => {
    if (worker.state === "installed" && workers.controller) offer(worker);
    else if (worker.state === "activated") say(WORKS);
    // The browser gave it up: no room, or the network broke off.
    else if (worker.state === "redundant" && !workers.controller) say(LOST);
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
    // The first worker takes over a page of its own version. Any later one brings another version: where that was not
    // asked for, what its reader is about is not to be lost.
    if (taking) location.reload();
    else if (controlled) offer(workers.controller);
    controlled = true;
  });
  const registration = await workers.register("service_worker.js", { updateViaCache: "none" });
  if (registration.waiting && workers.controller) offer(registration.waiting);
  if (registration.installing) follow(registration.installing);
  registration.addEventListener("updatefound", () => registration.installing && follow(registration.installing));
}

// Whatever the copy, keys of a visitor's once began so.
const ONCE = "anatomy:";

function forget() {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(OURS) || key.startsWith(ONCE));
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // A browser that forbids storage has nothing to remove.
  }
  // The address may hold a model of the visitor's own; the page is to be as on a first visit.
  history.replaceState(history.state, "", location.pathname + location.search);
  location.reload();
}

async function removeCopy() {
  history.replaceState(NO_COPY, ""); // for this page, however often it is loaded anew
  try {
    await (await workers?.getRegistration())?.unregister();
    const names = (await caches.keys()).filter((name) => name.startsWith(OURS));
    await Promise.all(names.map((name) => caches.delete(name)));
  } catch {
    // Then there is none.
  }
  say(REMOVED);
}

const asked = { forget, "forget-copy": removeCopy, update };
document.addEventListener("click", ({ target }) => asked[target.id]?.());
asked[root.dataset.forget]?.(); // chosen before this was here

if (root.dataset.edition) {
  say("This is the edition in one file: it needs no network.");
  document.getElementById("offline-copy").hidden = true;
} else if (!workers) {
  say("This copy does not work offline: here, this browser keeps no pages. The edition in one file does.");
} else if (history.state === NO_COPY) {
  say(REMOVED);
} else if (navigator.connection?.saveData && !workers.controller) {
  say("This copy does not work offline: to spare your data, it is not kept.");
} else {
  ready.then(keep).catch(() => say(LOST));
}
