// Before Python: says how far it is, remembers what was pressed, and says so in a sentence if Python never comes.
const root = document.documentElement;
const wasm = document.querySelector('link[rel="preload"][href$=".wasm"]')?.href;
// Nothing new fetched for this long, and still not ready: Pyodide hangs where a browser refuses its WebAssembly.
const PATIENCE = 60_000;
const pressed = [];

function say(text) {
  const status = document.getElementById("python-status");
  if (status) status.textContent = text;
}

function waiting() {
  return root.dataset.python === "waiting" || root.dataset.python === "loading";
}

function fail(reason) {
  if (!waiting()) return;
  root.dataset.python = "failed";
  say(
    `Python could not start (${reason}), so this page stays as it is: GPT-2 small at T = 8, with every part in the list. ` +
      "Reloading may help; an up-to-date browser is needed.",
  );
}

// What is pressed too early takes effect when Python is there.
document.addEventListener("click", (event) => {
  const control = event.target.closest?.("[data-action]");
  if (!control || !waiting() || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  pressed.push(control);
  say("Python is loading; what you chose takes effect when it is ready.");
});

new MutationObserver(() => {
  if (root.dataset.python !== "ready") return;
  for (const control of pressed.splice(0)) if (control.isConnected) control.click();
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

async function checkWasm() {
  if (!wasm || !location.protocol.startsWith("http")) return;
  // The query keeps this from being taken for the preload, which is a GET.
  const answer = await fetch(`${wasm}?type`, { method: "HEAD" }).catch(() => null);
  if (!answer?.ok) return fail("its WebAssembly could not be loaded");
  const type = answer.headers.get("content-type") ?? "none";
  if (type.split(";")[0] !== "application/wasm") fail(`its WebAssembly comes with the type ${type}`);
}

let fetched = -1;
let since = performance.now();
const watch = setInterval(() => {
  if (!waiting()) return clearInterval(watch);
  const now = performance.getEntriesByType("resource").length;
  if (now !== fetched || root.dataset.python === "waiting") {
    fetched = now;
    since = performance.now();
  } else if (performance.now() - since > PATIENCE) {
    fail("nothing has happened for a minute");
  }
}, 1000);

root.dataset.python = "loading";
say("Python is loading; the page can be read meanwhile.");
checkWasm();
