// Files dropped anywhere or chosen in a field: held until Python is there, then handed over in the order they came.
const HAND_OVER = "anatomy:files";
const brought = [];

function handOverFiles() {
  if (root.dataset.python !== "ready") return;
  for (const detail of brought.splice(0)) document.dispatchEvent(new CustomEvent(HAND_OVER, { detail }));
}
document.addEventListener("python", handOverFiles);

function take(detail) {
  if (!detail.files.length && !detail.folders.length) return;
  brought.push(detail);
  if (root.dataset.python === "loading") say("Python is loading; your files are read when it is ready.");
  handOverFiles();
}

const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");

// Without this a browser would leave the page for the file.
addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "copy";
});

addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  const items = [...event.dataTransfer.items].filter((item) => item.kind === "file");
  const folders = items.map((item) => item.webkitGetAsEntry?.()).filter((entry) => entry?.isDirectory);
  const files = items.filter((item) => !item.webkitGetAsEntry?.()?.isDirectory).map((item) => item.getAsFile());
  take({ files: files.filter(Boolean), folders: folders.map((entry) => entry.name), control: "" });
});

addEventListener("change", ({ target }) => {
  if (target.type !== "file" || !target.files.length) return;
  take({ files: [...target.files], folders: [], control: target.id });
  target.value = ""; // the same file may be chosen again once it has changed
});
