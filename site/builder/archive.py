"""What is packed by this Python, the same bytes for the same files whichever version it is."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest time a zip entry can state; the real one would differ per checkout
_READABLE = 0o644 << 16
# gzip's header: packed by deflate, at no stated time, as tightly as can be, on no stated system. Written out, since
# Python's own names another system from 3.12 on.
_HEADER = bytes.fromhex("1f8b 08 00 00000000 02 ff")


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


def gzipped(data: bytes) -> bytes:
    """The data as gzip packs it.

    >>> gzipped(b"").hex()
    '1f8b08000000000002ff03000000000000000000'
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(data) + packer.flush()
    return _HEADER + packed + zlib.crc32(data).to_bytes(4, "little") + (len(data) % 2**32).to_bytes(4, "little")
