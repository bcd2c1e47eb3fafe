"""The service worker: which files make up this version of the site, each with its hash."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from builder import listing, one_file, template
from builder.names import digest

NAME = "service_worker.js"


def spared(paths: Iterable[str]) -> set[str]:
    """Those of a site's files that no visitor's browser keeps.

    The edition in one file is for who wants it; the WebAssembly is in the file that Python starts from, where there is
    that; the worker and the list of files are read from the host alone.
    """
    paths = set(paths)
    packed = any(re.fullmatch(r"python\.\w+\.bin", path) for path in paths)
    found = {path for path in paths if packed and path.endswith(".wasm")}
    return found | {one_file.NAME, NAME, listing.NAME}


def worker(source: Path, files: Mapping[str, bytes]) -> bytes:
    """The service worker of a site with these files, by their published paths."""
    # The entry is known by the address that visitors come to; small files first, so that a broken-off try loses little.
    ordered = sorted(files, key=lambda path: (len(files[path]), path))
    listed = {path: hashlib.sha256(files[path]).hexdigest() for path in ordered}
    listed = {"./" if path == "index.html" else path: sha256 for path, sha256 in listed.items()}
    values = {"files-version": digest(files), "files": json.dumps(listed, separators=(",", ":"))}
    return template.filled(source.read_text("utf-8"), values, optional=set(), file=f"site/{source.name}").encode()
