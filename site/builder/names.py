"""Names that carry a hash of the contents, so that a browser's cache never mixes two versions of the site."""

import hashlib
import re
from collections.abc import Mapping

_DIGITS = 10


def digest(files: Mapping[str, bytes]) -> str:
    """A short hash over paths and contents."""
    whole = hashlib.sha256()
    for path in sorted(files):
        whole.update(f"{path}\0{len(files[path])}\0".encode())
        whole.update(files[path])
    return whole.hexdigest()[:_DIGITS]


def hashed(files: Mapping[str, bytes]) -> dict[str, str]:
    """The published path of each file.

    A file of its own carries its hash; the files of a folder, which name each other, share one in the folder's path.
    A module's name ends in .js and not in .mjs, which many a server does not know for JavaScript.

    >>> hashed({"style.css": b"a{}", "pyodide/pyodide.mjs": b"1", "pyodide/pyodide.asm.wasm": b"2"})["style.css"]
    'style.8c73be5040.css'
    """
    published = {}
    for path in files:
        folder, slash, rest = re.sub(r"\.mjs$", ".js", path).partition("/")
        if slash:
            together = {each: files[each] for each in files if each.startswith(f"{folder}/")}
            published[path] = f"{folder}/{digest(together)}/{rest}"
        else:
            stem, dot, suffix = folder.rpartition(".")
            published[path] = f"{stem}.{digest({path: files[path]})}{dot}{suffix}"
    return published
