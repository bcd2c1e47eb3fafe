"""A folder with a built or deployed site, held against what it says of itself: hashes, links, sizes."""

import hashlib
import json
import re
from collections.abc import Iterator
from fnmatch import fnmatch
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from builder import listing, offline, one_file
from builder.failure import BuildError

# The most that a file may hold, in kilobytes; the first pattern that fits counts.
BUDGET = (
    ("index.html", 180),
    (one_file.NAME, 15_000),
    ("snapshot.*.bin", 3_800),
    ("app.*.zip", 330),
    ("*/pyodide.asm.wasm", 10_000),
    ("*/pyodide.asm.js", 1_400),
    ("*/python_stdlib.zip", 2_700),
    ("*/numpy-*.whl", 9_000),
    ("*/core-*.js", 150),
    ("*", 85),
)
# What stands beside the version that the service worker keeps, and is no part of it.
BESIDE = frozenset({offline.NAME, one_file.NAME, listing.NAME, "CNAME", ".nojekyll"})
_LISTED = re.compile(r"JSON\.parse\(String\.raw`(.*?)`\)", re.DOTALL)
_NAMED = re.compile(r"""["'`](\./[\w./-]+\.\w+)["'`]""")
_ADDRESSES = ("href", "src", "data-preparer", "data-interpreter", "data-cell-worker")


def complaints(folder: Path) -> Iterator[str]:
    """Each thing that is wrong, as a sentence; none for a folder as `build.py` writes it.

    Raises :class:`BuildError` where the folder holds no site.
    """
    if not (folder / offline.NAME).is_file() or not (folder / "index.html").is_file():
        raise BuildError(f"{folder} holds no site; a folder is wanted that build.py has written.")
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    yield from _hashes(folder, found)
    for path in sorted(found):
        yield from _links(folder, path, found)
        yield from _size(folder, path)


def _hashes(folder: Path, found: set[str]) -> Iterator[str]:
    listed = _LISTED.search((folder / offline.NAME).read_text("utf-8"))
    if not listed:
        yield f"{offline.NAME} lists no files."
        return
    version = {"index.html" if path == "./" else path: sha256 for path, sha256 in json.loads(listed[1]).items()}
    for path, sha256 in version.items():
        if path not in found:
            yield f"{path} is missing."
        elif hashlib.sha256((folder / path).read_bytes()).hexdigest() != sha256:
            yield f"{path} is not the file of this version: its SHA-256 is another than {offline.NAME} says."
    for path in sorted(found - set(version) - BESIDE):
        yield f"{path} is no part of this version."


def _links(folder: Path, path: str, found: set[str]) -> Iterator[str]:
    named: set[str] = set()
    if path.endswith(".html"):
        page = _Page((folder / path).read_text("utf-8"))
        named = page.addresses
        for place in sorted(page.places - page.ids):
            yield f"{path} links to #{place}, which it has not."
    elif path.endswith(".webmanifest"):
        named = {icon["src"] for icon in json.loads((folder / path).read_text("utf-8"))["icons"]}
    elif path.endswith(".js") and "/" not in path:  # those in folders are of others, who ask for more than they need
        named = set(_NAMED.findall((folder / path).read_text("utf-8")))
    for address in sorted(named):
        target = (Path(path).parent / unquote(urlsplit(address).path)).as_posix()
        # The folder itself is its page; what lies above it is another's.
        if target not in (".", "..") and target not in found:
            yield f"{path} names {address}, which is not there."


def _size(folder: Path, path: str) -> Iterator[str]:
    size = (folder / path).stat().st_size
    most = next(most for pattern, most in BUDGET if fnmatch(path, pattern))
    if size > most * 1000:
        yield f"{path} holds {size / 1000:,.0f} kB; its budget is {most:,} kB."


class _Page(HTMLParser):
    """A page's ids, the places in itself and the files of its own host that it links to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.places: set[str] = set()
        self.addresses: set[str] = set()
        self.feed(text)

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what one element says."""
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name in _ADDRESSES and value:
                parts = urlsplit(value)
                if value.startswith("#"):
                    if "=" not in value:  # else a state of the page
                        self.places.add(value[1:])
                elif not parts.scheme and not parts.netloc:
                    self.addresses.add(value)
