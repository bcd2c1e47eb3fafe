"""The service worker: which files make up this version of the site, each with its hash."""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path

from builder import one_file, template
from builder.names import digest

NAME = "service_worker.js"


def kept(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of a site's files that each visitor's browser keeps.

    Not the edition in one file, which is for who wants it, nor the WebAssembly where the file that Python starts from
    has it in it.
    """
    packed = any(re.fullmatch(r"python\.\w+\.bin", path) for path in files)
    spared = (one_file.NAME, *(path for path in files if packed and path.endswith(".wasm")))
    return {path: data for path, data in files.items() if path not in spared}


def worker(source: Path, files: Mapping[str, bytes]) -> bytes:
    """The service worker of a site with these files, by their published paths."""
    # The entry is known by the address that visitors come to; small files first, so that a broken-off try loses little.
    ordered = sorted(files, key=lambda path: (len(files[path]), path))
    listed = {path: hashlib.sha256(files[path]).hexdigest() for path in ordered}
    listed = {"./" if path == "index.html" else path: sha256 for path, sha256 in listed.items()}
    values = {"files-version": digest(files), "files": json.dumps(listed, separators=(",", ":"))}
    return template.filled(source.read_text("utf-8"), values, optional=set(), file=f"site/{source.name}").encode()
