// Before Python: asks for it, answers what the page can answer by itself, remembers the rest, and says how far it is.
const root = document.documentElement;
// No further file has come for this long, and it is still not ready: something hangs. The largest file alone takes minutes
// where a line is slow.
const PATIENCE = 300_000;
// Nothing is painted where nobody looks, as in a tab in the background: no longer than this is waited for each frame.
const UNSEEN = 250;
const pressed = [];

function say(text) {
  const status = document.getElementById("python-status");
  if (status) status.textContent = text;
  else whenParsed(() => say(text)); // this script runs before there is a body
}

function early() {
  return root.dataset.python === "waiting" || root.dataset.python === "loading";
}

function fail(reason) {
  if (!early()) return;
  root.dataset.python = "failed";
  say(
    `Python could not start (${reason}), so this page stays as it is: GPT-2 small at T = 8, with every part in the list. ` +
      "Reloading may help; an up-to-date browser is needed.",
  );
}

// On a connection that is metered or very slow, nobody pays for eight megabytes before they want something of them.
function spared() {
  const { saveData, effectiveType = "" } = navigator.connection ?? {};
  return (saveData || effectiveType.includes("2g")) && !navigator.serviceWorker?.controller;
}

// What Python needs stands in a template, where no browser fetches it unasked (and none at all without JavaScript).
function load() {
  if (root.dataset.python !== "waiting") return;
  root.dataset.python = "loading";
  say("Python is loading; the page can be read meanwhile.");
  const wanted = document.getElementById("start").content.cloneNode(true);
  // In this order, since PyScript asks for a database as soon as it runs, and interpreter.mjs answers.
  for (const script of wanted.querySelectorAll("script")) script.async = false;
  const page = wanted.querySelector("script:last-of-type");
  page.remove();
  document.head.append(wanted);
  // PyScript looks for the page's script as soon as it runs.
  whenParsed(() => document.head.append(page));
  watch();
}

// The masthead is seen a frame before all that is below it has been laid out, and Python is asked for after both.
async function afterPaint(then) {
  const [{ type } = {}] = performance.getEntriesByType("navigation");
  // A place further down, that an address names or a reader had come to, is to be there at once.
  const anchored = location.hash && !location.hash.includes("=");
  if (type === "navigate" && !anchored) root.dataset.top = "";
  const painted = () =>
    new Promise((seen) => {
      requestAnimationFrame(() => setTimeout(seen));
      setTimeout(seen, UNSEEN);
    });
  await painted();
  if ("top" in root.dataset) {
    delete root.dataset.top;
    // A place that was chosen in the masthead meanwhile.
    document.querySelector(":target")?.scrollIntoView();
  }
  await painted();
  then();
}

function whenParsed(then) {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", then, { once: true });
  else then();
}

function watch() {
  let timer;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(() => fail("nothing has happened for five minutes"), PATIENCE);
  };
  new PerformanceObserver(wait).observe({ type: "resource" });
  wait();
}

// The list holds what the panel would say of each part of this model; nothing is counted here.
function reveal(chosen) {
  const samePart = ({ dataset }) => ["part", "stack", "blocks"].every((key) => dataset[key] === chosen?.dataset[key]);
  const entry = [...document.querySelectorAll("details[data-part]")].find(samePart);
  if (!entry) return false;
  const heading = document.createElement("h2");
  heading.textContent = entry.querySelector(".name").firstChild.textContent;
  document.getElementById("panel").replaceChildren(heading, ...entry.querySelector(".body").cloneNode(true).childNodes);
  document.getElementById("told").textContent = `${heading.textContent}: ${entry.querySelector(".exact").textContent} parameters`;
  for (const each of document.querySelectorAll("[data-part]")) {
    if (samePart(each)) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
  return true;
}

// What the address selects, where it is of the model and the length that came with the page.
function revealAddressed() {
  const came = [document.querySelector("#model [selected]").value, document.getElementById("seq-len").defaultValue];
  const { model = came[0], t = came[1], part, ...others } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const other = Object.keys(others).length || model !== came[0] || t !== came[1];
  if (other && location.hash.includes("=")) root.dataset.pending = ""; // the style dims what is of another state
  if (other || !early()) return;
  reveal(part && document.querySelector(`#parts [data-part="${CSS.escape(part)}"]:not([aria-current])`));
}

// What was chosen before Python is chosen again.
function handOver() {
  if (pressed.length) document.getElementById("told").textContent = "";
  for (const control of pressed.splice(0)) {
    // Not click(): links of a drawing have no such method.
    if (control.isConnected) control.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  }
}

document.addEventListener("click", (event) => {
  if (event.target.id === "start-again") location.reload();
  if (event.target.id?.startsWith("forget") && early()) {
    root.dataset.forget = event.target.id;
    keep(); // which brings what removes it
    return;
  }
  const control = event.target.closest?.("[data-action]");
  if (!control || !early() || event.metaKey || event.ctrlKey || event.shiftKey) return;
  // An entry of the list opens by itself.
  if (control.localName !== "summary") event.preventDefault();
  pressed.push(control);
  load();
  if (control.dataset.action !== "part" || !reveal(control)) {
    say("Python is loading; what you chose takes effect when it is ready.");
  }
});
function wanted({ target, dataTransfer }) {
  if (!early() || dataTransfer?.types.includes("Files") === false) return;
  load();
  if (target.closest?.("#bar")) root.dataset.pending = "";
  say(`Python is loading; ${target.selectedOptions?.[0].text ?? "what you chose"} takes effect when it is ready.`);
}
document.addEventListener("input", wanted);
document.addEventListener("drop", wanted);

// What keeps the page for use without a network, and forgets: not while it starts, unless it is asked for.
function keep() {
  document.head.append(document.getElementById("later").content);
}

// The one signal, for whoever waits for it: what data-python says has changed.
let before = root.dataset.python;
new MutationObserver(() => {
  document.dispatchEvent(new Event("python"));
  if (early()) return;
  if (root.dataset.python === "ready") handOver();
  // The address has the state, so a page that is loaded anew shows what this one showed.
  if (before === "ready") document.getElementById("python-status").replaceChildren(document.getElementById("ended").content);
  else keep();
  before = root.dataset.python;
}).observe(root, { attributeFilter: ["data-python"] });

addEventListener(
  "error",
  (event) => {
    if (event.target instanceof HTMLScriptElement) fail("a part of it could not be loaded");
    else if (event.message) fail(event.message);
  },
  true,
);
addEventListener("unhandledrejection", (event) => fail(String(event.reason?.message ?? event.reason).split("\n").at(-1)));

if (typeof WebAssembly !== "object") fail("this browser has no WebAssembly");
else if (!spared()) afterPaint(load);
else {
  const more = location.hash.includes("=") ? "what the address names is shown then" : "the page can be read as it is";
  say(`To spare your data, Python waits until you choose something; ${more}.`);
  whenParsed(keep);
}
whenParsed(revealAddressed);
