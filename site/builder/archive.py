"""One zip archive of Python packages and data, the same bytes for the same files."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip entry can state; the real one would differ per checkout
_READABLE = 0o644 << 16


def sources(root: Path, folders: tuple[str, ...], suffixes: tuple[str, ...]) -> dict[str, bytes]:
    """The files of those folders with one of those suffixes, by their path from `root`."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for folder in folders
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in suffixes and path.is_file()
    }


def packed(files: Mapping[str, bytes]) -> bytes:
    """A zip of the files: sorted, compressed, without times or owners."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.create_system = 3  # Unix, wherever the build runs
            entry.external_attr = _READABLE
            archive.writestr(entry, files[path], zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()
