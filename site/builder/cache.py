"""The build's cache: where things are made before they are kept, and kept so that damage to them is noticed."""

import base64
import contextlib
import csv
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from builder import lock

_MAKING = "making-"
_DIGEST = hashlib.sha256().digest_size


@contextlib.contextmanager
def alone(cache: Path, note: Callable[[str], None]) -> Iterator[None]:
    """The cache for this build alone, without what a killed one was making."""
    with lock.alone(cache, note):
        for left in cache.glob(f"{_MAKING}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield


@contextlib.contextmanager
def making(cache: Path) -> Iterator[Path]:
    """An empty folder in the cache for the time that something is made in it."""
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix=_MAKING) as folder:
        yield Path(folder)


def keep(data: bytes, place: Path, cache: Path) -> None:
    """Keep what was made, its SHA-256 before it, whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with making(cache) as folder:
        (folder / place.name).write_bytes(hashlib.sha256(data).digest() + data)
        (folder / place.name).replace(place)


def kept(place: Path) -> bytes | None:
    """What is kept at that place; None where nothing is, or where it is damaged."""
    if not place.is_file():
        return None
    whole = place.read_bytes()
    digest, data = whole[:_DIGEST], whole[_DIGEST:]
    return data if hashlib.sha256(data).digest() == digest else None


def intact(folder: Path) -> bool:
    """Whether pip has installed something into the folder, and every file of it is as its RECORD says."""
    records = list(folder.glob("*.dist-info/RECORD"))
    try:
        return bool(records) and all(_as_recorded(folder, *row) for record in records for row in _rows(record))
    except (OSError, ValueError):
        return False


def _rows(record: Path) -> list[tuple[str, str]]:
    with record.open(encoding="utf-8", newline="") as text:
        return [(path, stated) for path, stated, _size in csv.reader(text)]


def _as_recorded(folder: Path, path: str, stated: str) -> bool:
    algorithm, _, expected = stated.partition("=")
    # RECORD states no hash of itself, nor of what is compiled from the others; scripts lie elsewhere and are not run.
    if not algorithm or path.startswith(".."):
        return True
    found = hashlib.new(algorithm, (folder / path).read_bytes()).digest()
    return base64.urlsafe_b64encode(found).decode().rstrip("=") == expected
