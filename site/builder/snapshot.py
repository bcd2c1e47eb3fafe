"""The one file that the page starts Python from, with a snapshot in it: made by Node, checked against this Python."""

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from builder import cache as caching
from builder import sources
from builder.clients import node_command
from builder.failure import BuildError
from builder.names import digest

HERE = Path(__file__).parent
# Run in the Python that the snapshot is taken of.
INSIDE = ("resident.py", "prepare.py")


class NoSnapshotError(BuildError):
    """There is none and none can or shall be made: the page then starts the ordinary way."""


def contents(
    files: Mapping[str, bytes],
    pages: Mapping[str, bytes],
    expected: Mapping[str, str],
    cache: Path,
    node: str,
    *,
    make: bool = True,
) -> bytes:
    """The WebAssembly and a snapshot of the interpreter in `files`, with their app.zip's package and `pages` in it.

    `expected` is what this Python makes of the page's regions; the restored one must make the same. With `make` off it
    is taken from the cache or not at all. Raises :class:`NoSnapshotError` where it is not to be had.
    """
    wanted = _inputs(files, pages)
    place = cache / "snapshots" / f"{digest(wanted)}.kept"
    kept = caching.kept(place)
    if kept is not None:
        return kept
    if not make:
        raise NoSnapshotError("The page of this draft starts the ordinary way, a little later than from a snapshot.")
    command = node_command(cache, node)
    if command is None:
        raise NoSnapshotError("The page will start the ordinary way: there is no Node to make a snapshot with.")
    with caching.making(cache) as folder:
        for name, data in wanted.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        _make(command, folder, expected)
        made = (folder / "python.bin").read_bytes()
    caching.keep(made, place, cache)
    return made


def pyscript_chunk(files: Mapping[str, bytes]) -> str:
    """The path of PyScript's file that holds its own Python modules and its worker."""
    found = [path for path in files if re.fullmatch(r"pyscript/core-[\w-]+\.js", path)]
    if len(found) != 1:
        raise BuildError(f"PyScript has {len(found)} files named core-*.js; the one with its Python modules is wanted.")
    return found[0]


def _inputs(files: Mapping[str, bytes], pages: Mapping[str, bytes]) -> dict[str, bytes]:
    """All that the snapshot is made of, by its path in Node's folder."""
    needed = ("pyodide/", "fzstd/")
    wanted = {path: data for path, data in files.items() if path.startswith(needed) and not path.endswith(".whl")}
    wanted |= {f"page/{name}": data for name, data in pages.items()}
    wanted |= {name: (HERE / name).read_bytes() for name in (*INSIDE, "snapshot.mjs")}
    for name in ("restore.mjs", "unpack.mjs"):
        text = sources.find(HERE.parent, name).read_text("utf-8")
        wanted[name] = re.sub(r"\{\{module:(.*?)\}\}", r"./\1", text).encode()
    return wanted | {"app.zip": files["app.zip"], "core.js": files[pyscript_chunk(files)]}


def _make(command: str, folder: Path, expected: Mapping[str, str]) -> None:
    done = subprocess.run(
        [command, "snapshot.mjs", "."], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise BuildError(f"the snapshot of the started Python could not be made ({reason}).")
    shown = json.loads((folder / "shown.json").read_text("utf-8"))
    wrong = sorted(name for name in shown.keys() | expected.keys() if shown.get(name) != expected.get(name))
    if wrong:
        raise BuildError(f"the snapshot's Python renders other regions than this one: {', '.join(wrong)}.")
