"""Dropping files on the page as a mouse does, among them files that no disk here could hold."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Error, Page, expect

# Reading files and holding them against a hundred models takes its time where many tests run at once.
expect.set_options(timeout=20_000)

_DROP = """(drops) => {
  for (const files of drops) {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(files)) {
      const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    for (const type of ["dragover", "drop"])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""

# A drop of things that a script cannot make: a folder, and a file of tens of gigabytes that counts what is read of it.
_DROP_ODD = """([folder, name, size, start]) => {
  window.slices = [];
  const bytes = Uint8Array.from(atob(start), (one) => one.charCodeAt(0));
  const slice = (from, to) => (window.slices.push([from, to]), new Blob([bytes.slice(from, to)]));
  const entry = folder ? { isDirectory: true, name: folder } : { isDirectory: false, name };
  const getAsFile = () => (folder ? null : { name, size, slice });
  const items = [{ kind: "file", webkitGetAsEntry: () => entry, getAsFile }];
  const event = new Event("drop", { bubbles: true, cancelable: true });
  Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], items } });
  document.body.dispatchEvent(event);
}"""

Files = Mapping[str, bytes]


def drop(page: Page, *drops: Files) -> None:
    """Drop files, name to content; several drops at once follow each other without a breath."""
    page.evaluate(_DROP, [{name: base64.b64encode(data).decode() for name, data in one.items()} for one in drops])


def drop_paths(page: Page, *paths: Path) -> None:
    """Drop files of the disk together."""
    drop(page, {path.name: path.read_bytes() for path in paths})


def drop_folder(page: Page, name: str) -> None:
    """Drop a folder."""
    page.evaluate(_DROP_ODD, [name, "", 0, ""])


def drop_huge(page: Page, name: str, size: int, start: bytes) -> None:
    """Drop a file that claims ``size`` bytes and begins with ``start``; ``window.slices`` tells what was read."""
    page.evaluate(_DROP_ODD, ["", name, size, base64.b64encode(start).decode()])


def choose_by_keyboard(page: Page, field: str, *paths: Path) -> None:
    """Open a file field with a key and choose files in it."""
    for _ in range(4):
        page.locator(field).focus()
        try:
            with page.expect_file_chooser(timeout=5_000) as chooser:
                page.keyboard.press("Enter")
        except Error:
            continue  # a browser that is busy elsewhere takes the key for no act of its user's
        chooser.value.set_files(paths)
        return
    raise AssertionError(f"{field} opens no file chooser when Enter is pressed")
