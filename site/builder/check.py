"""A folder with a built or deployed site, held against what it says of itself: hashes, links, sizes."""

import json
import re
from collections.abc import Iterator, Mapping, Set
from fnmatch import fnmatch
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from builder import listing, offline, one_file, output
from builder.failure import BuildError

# The most that a file may hold, in kilobytes; the first pattern that fits counts.
BUDGET = (
    ("index.html", 210),
    (one_file.NAME, 15_000),
    ("python.*.bin", 6_100),
    ("app.*.zip", 420),
    ("*/pyodide.asm.wasm", 10_000),
    ("*/pyodide.asm.js", 1_400),
    ("*/python_stdlib.zip", 2_700),
    ("*/numpy-*.whl", 9_000),
    ("*/core-*.js", 150),
    ("*", 65),
)
_LISTED = re.compile(r"JSON\.parse\(String\.raw`(.*?)`\)", re.DOTALL)
_NAMED = re.compile(r"""["'`](\./[\w./-]+\.\w+)["'`]""")
_ADDRESSES = ("href", "src", "data-interpreter", "data-cell-worker")


def complaints(folder: Path) -> Iterator[str]:
    """Each thing that is wrong, as a sentence; none for a folder as `build.py` writes it.

    Names in the folder that begin with a dot, and CNAME, are a host's own and no build's: see :func:`of_hosts`. Raises
    :class:`BuildError` where the folder holds no site.
    """
    if not any((folder / name).is_file() for name in (listing.NAME, offline.NAME, "index.html")):
        raise BuildError(f"{folder} holds no site; a folder is wanted that build.py has written.")
    found: dict[str, bytes] = {}
    for path, place in _places(folder):
        if place.is_symlink():
            yield f"{path} is a symbolic link; a site is of plain files."
        elif not place.is_file():
            yield f"{path} is neither a file nor a folder."
        elif not output.of_a_host(path):
            try:
                found[path] = place.read_bytes()
            except OSError as error:
                yield f"{path} cannot be read ({error.strerror})."
    yield from _hashes(found)
    for path in sorted(found):
        yield from _links(path, found)
        yield from _size(path, len(found[path]))


def of_hosts(folder: Path) -> list[str]:
    """What lies in the folder for its host: `CNAME`, `.nojekyll`, `.git` and the like."""
    return sorted(path.name for path in folder.iterdir() if output.of_a_host(path.name))


def _places(folder: Path) -> Iterator[tuple[str, Path]]:
    """Everything but folders by its path from `folder`; what a host's own folders hold is the host's."""
    for place in sorted(folder.iterdir()):
        if place.is_symlink() or not place.is_dir():
            yield place.name, place
        elif not output.of_a_host(place.name):
            yield from ((f"{place.name}/{path}", inner) for path, inner in _places(place))


def _hashes(found: Mapping[str, bytes]) -> Iterator[str]:
    if listing.NAME not in found:
        yield f"{listing.NAME} is missing: without it nobody can tell what this folder should hold."
        return
    listed, wrong = listing.parsed(found[listing.NAME])
    yield from (f"{listing.NAME}: {sentence}." for sentence in wrong)
    hashes = listing.hashes(found)
    for path in sorted(listed.keys() | hashes.keys()):
        if path not in hashes:
            yield f"{path} is missing."
        elif path not in listed:
            yield f"{path} is no part of this version."
        elif hashes[path] != listed[path]:
            yield f"{path} is not the file of this version: its SHA-256 is another than {listing.NAME} says."
    # The list may have been written anew for what somebody has changed; the worker's own was not.
    kept = _kept(found.get(offline.NAME, b""))
    if kept is None:
        yield f"{offline.NAME} lists no files."
        return
    for path in sorted(kept.keys() | listed.keys() - offline.spared(listed)):
        if kept.get(path) != listed.get(path):
            yield f"{path} is another file by {offline.NAME} than by {listing.NAME}."


def _kept(worker: bytes) -> dict[str, object] | None:
    """What the service worker keeps, each file with its hash; None where it does not say."""
    match = _LISTED.search(worker.decode("utf-8", "replace"))
    listed = _json(match[1]) if match else None
    if not isinstance(listed, dict):
        return None
    return {"index.html" if path == "./" else path: sha256 for path, sha256 in listed.items()}


def _json(text: str) -> object:
    """What the text holds; None where it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _links(path: str, found: Mapping[str, bytes]) -> Iterator[str]:
    own_module = path.endswith(".js") and "/" not in path  # those in folders are of others, who ask for more
    if not own_module and not path.endswith((".html", ".webmanifest")):
        return
    try:
        text = found[path].decode("utf-8")
    except UnicodeDecodeError as error:
        yield f"{path} is no UTF-8: byte {found[path][error.start]:#04x} at {error.start:,}."
        return
    if own_module:
        named: Set[str] = set(_NAMED.findall(text))
    elif path.endswith(".webmanifest"):
        named = _icons(_json(text))
        if not named:
            yield f"{path} names no icons."
    else:
        page = _Page()
        try:
            page.feed(text)
        except (AssertionError, ValueError) as error:  # so Python's parser refuses what it knows no way to read
            yield f"{path} cannot be read as HTML ({error})."
        named = page.addresses
        for place in sorted(page.places - page.ids):
            yield f"{path} links to #{place}, which it has not."
    for address in sorted(named):
        # The folder itself is its page; what lies above it is another's.
        if _target(path, address) not in (".", "..", *found):
            yield f"{path} names {address}, which is not there."


def _target(path: str, address: str) -> str:
    try:
        return (PurePosixPath(path).parent / unquote(urlsplit(address).path)).as_posix()
    except ValueError:  # no address at all
        return address


def _icons(manifest: object) -> set[str]:
    icons = manifest.get("icons") if isinstance(manifest, dict) else None
    entries = [entry for entry in icons if isinstance(entry, dict)] if isinstance(icons, list) else []
    return {entry["src"] for entry in entries if isinstance(entry.get("src"), str)}


def _size(path: str, size: int) -> Iterator[str]:
    most = next(most for pattern, most in BUDGET if fnmatch(path, pattern))
    if size > most * 1000:
        yield f"{path} holds {size / 1000:,.0f} kB; its budget is {most:,} kB."


class _Page(HTMLParser):
    """A page's ids, the places in itself and the files of its own host that it links to."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.places: set[str] = set()
        self.addresses: set[str] = set()

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
