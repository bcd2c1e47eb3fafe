// Files dropped anywhere or chosen in a field: held until Python is there, then handed over in the order they came.
{
  const HAND_OVER = "anatomy:files";
  const root = document.documentElement;
  const held = [];

  const handOver = () => {
    for (const detail of held.splice(0)) document.dispatchEvent(new CustomEvent(HAND_OVER, { detail }));
  };

  const take = (detail) => {
    if (!detail.files.length && !detail.folders.length) return;
    held.push(detail);
    if (root.dataset.python === "ready") return handOver();
    const status = document.getElementById("python-status");
    if (status && root.dataset.python === "loading") {
      status.textContent = "Python is loading; your files are read when it is ready.";
    }
  };

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
    const files = [];
    const folders = [];
    for (const item of event.dataTransfer.items) {
      if (item.kind !== "file") continue;
      const entry = item.webkitGetAsEntry?.();
      const file = item.getAsFile();
      if (entry?.isDirectory) folders.push(entry.name);
      else if (file) files.push(file);
    }
    take({ files, folders, control: "" });
  });

  addEventListener("change", (event) => {
    const input = event.target;
    if (input.type !== "file" || !input.files.length) return;
    take({ files: [...input.files], folders: [], control: input.id });
    // The same file may be chosen again once it has changed.
    input.value = "";
  });

  document.addEventListener("python", () => {
    if (root.dataset.python === "ready") handOver();
  });
}
