// The first script of a worker in the edition in one file: takes what the page hands over, then runs PyScript's worker.
{
  // Pyodide asks whether it may import scripts in order to tell a classic worker, which it refuses.
  self.importScripts = () => {
    throw new Error("this worker imports modules only");
  };
  const HOME = "{{home}}";
  // What PyScript's worker is told to do otherwise here; build.py has checked that each stands in it once.
  const REPLACED = JSON.parse(String.raw`{{replaced}}`);
  const early = [];
  let wanted = 0;
  let listeners = 0;

  const asData = (text) => `data:text/javascript;charset=utf-8,${encodeURIComponent(text)}`;

  // The address of a module as data, and of those that it imports, as data inside it.
  function linked(modules, specifier, done = {}) {
    done[specifier] ??= asData(
      modules[specifier].replace(/"(#[^"]+)"/g, (whole, other) =>
        other in modules ? JSON.stringify(linked(modules, other, done)) : whole,
      ),
    );
    return done[specifier];
  }

  async function begin({ code, modules, held }) {
    self.heldFiles = held;
    const interpreter = linked(modules, `${HOME}interpreter.mjs`);
    self.oneFileModule = (url) => (url === `${HOME}interpreter.mjs` ? interpreter : url);
    for (const [from, to] of REPLACED) code = code.replace(from, () => to);
    await import(asData(code));
  }

  function handOver() {
    while (wanted > 0 && early.length) {
      wanted--;
      const { data, ports } = early.shift();
      queueMicrotask(() => self.dispatchEvent(new MessageEvent("message", { data, ports: [...ports] })));
    }
  }

  function hold(event) {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    if (event.data?.oneFile) {
      begin(event.data.oneFile);
    } else {
      early.push(event);
      handOver();
    }
  }

  self.addEventListener("message", hold, true);
  // PyScript's worker adds three listeners one after another, each for the next message; after that it needs no help.
  const add = self.addEventListener;
  self.addEventListener = function (type, ...rest) {
    add.call(self, type, ...rest);
    if (type !== "message") return;
    listeners++;
    if (listeners <= 3) {
      wanted++;
      setTimeout(handOver);
    } else {
      self.removeEventListener("message", hold, true);
    }
  };
}
