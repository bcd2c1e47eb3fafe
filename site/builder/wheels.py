"""NumPy for the page's cell: the wheel that Pyodide's own lock file names, and micropip, which installs it."""

import hashlib
import http.client
import json
import re
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from builder import cache as caching
from builder.clients import pip_download
from builder.failure import BuildError
from builder.pins import Pins, Wheel
from builder.runtime import sha256


class WheelError(BuildError):
    """A wheel that cannot be had here: the site can be built without it."""


def contents(pins: Pins, lock: bytes, interpreter: bytes, folder: Path | None, cache: Path) -> dict[str, bytes]:
    """The pinned wheels by file name: out of `folder` if it has them, else out of the cache, else fetched."""
    if folder and not folder.is_dir():
        raise BuildError(f"{folder} is no folder; one that holds the wheel of NumPy is wanted.")
    listed = json.loads(lock)
    found = {}
    for wheel in pins.wheels:
        name, expected = _wanted(wheel, listed, pins.path.name)
        place = folder / name if folder else None
        if not (place and place.is_file()):
            place = cache / "wheels" / name
            if sha256(place) != expected:  # nothing there, or spoilt; the reader's own folder is not ours to mend
                _fetch(wheel, place, listed, interpreter, cache, pins)
        if sha256(place) != expected:
            raise BuildError(f"{place} is not the wheel wanted: expected sha256 {expected}, found {sha256(place)}.")
        found[name] = place.read_bytes()
    return found


def reduced_lock(pins: Pins, lock: bytes, wheels: Mapping[str, bytes]) -> bytes:
    """Pyodide's lock file, listing only the wheels that lie beside it, with the hash of each as it lies there.

    The site's lock must not promise packages that the site does not carry; and PyPI's micropip is not
    the file that Pyodide's distribution built of the same source, so its hash differs from the original's.
    """
    listed = json.loads(lock)
    kept = {}
    for wheel in pins.wheels:
        entry = listed["packages"][wheel.name]
        if entry["file_name"] in wheels:
            kept[wheel.name] = {**entry, "sha256": hashlib.sha256(wheels[entry["file_name"]]).hexdigest()}
    return json.dumps({**listed, "packages": kept}, indent=1, sort_keys=True).encode()


def emptied(lock: bytes) -> bytes:
    """The lock file without any package."""
    return json.dumps({**json.loads(lock), "packages": {}}, indent=1, sort_keys=True).encode()


def distribution(interpreter: bytes, version: str) -> str:
    """The address of Pyodide's distribution, as its own pyodide.mjs states it, ending in a slash."""
    address = re.search(rb"`(https://[^`$]+)\$\{[\w.$]+\}([^`$]*/)`", interpreter)
    if not address:
        raise WheelError("pyodide.mjs states no address of its distribution; give the wheel's folder with --wheels.")
    before, after = (part.decode() for part in address.groups())
    return f"{before}{version}{after}"


def _wanted(wheel: Wheel, listed: Mapping[str, Any], pins: str) -> tuple[str, str]:
    """The file name and the hash wanted of a wheel."""
    entry = listed["packages"].get(wheel.name)
    if entry is None:
        raise BuildError(f"pyodide-lock.json lists no package {wheel.name!r}, which {pins} wants as a wheel.")
    if wheel.version and entry["version"] != wheel.version:
        raise BuildError(
            f"{pins} pins {wheel.name} {wheel.version}, but Pyodide's lock file has {entry['version']}; pin that one."
        )
    return entry["file_name"], wheel.sha256 or entry["sha256"]


def _fetch(wheel: Wheel, place: Path, listed: Mapping[str, Any], interpreter: bytes, cache: Path, pins: Pins) -> None:
    """Put one wheel where the cache keeps it, from PyPI if it is pinned there, else from Pyodide's distribution."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with caching.making(cache) as folder:
        fresh = folder / place.name
        if wheel.version:
            python = ".".join(listed["info"]["python"].split(".")[:2])
            try:
                pip_download(f"{wheel.name}=={wheel.version}", python, folder, cache=cache)
            except BuildError as error:
                raise WheelError(str(error)) from error
        else:
            address = distribution(interpreter, pins.package("pyodide").version) + place.name
            try:
                with urllib.request.urlopen(address, timeout=20) as answer:
                    fresh.write_bytes(answer.read())
            except (OSError, http.client.HTTPException) as error:
                raise WheelError(
                    f"{place.name} is not to be had from Pyodide's distribution ({getattr(error, 'reason', error)}); "
                    "with that file in a folder, --wheels takes it from there."
                ) from error
        if not fresh.is_file():
            raise WheelError(f"{wheel.name} {wheel.version} as PyPI gave it is not called {place.name}.")
        fresh.replace(place)
