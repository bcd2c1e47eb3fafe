"""What a file is that is no checkpoint: the things people hand over by mistake, by their first bytes."""

from __future__ import annotations

_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"RIFF", "a WebP picture or a sound"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a zip archive (PyTorch's .bin and .pt files are such archives)"),
    (b"GGUF", "a GGUF file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x80\x02", "a Python pickle, as old PyTorch files are"),
    (b"version ", "a Git LFS pointer, which stands for the file until git lfs pull fetches it"),
    (b"<", "a web page"),
    (b"{", "a JSON text"),
)


def kind(start: bytes) -> str | None:
    """What a file that starts like this is, None where nothing here knows.

    >>> kind(b"GGUF")
    'a GGUF file'
    """
    return next((what for magic, what in _KINDS if start.startswith(magic)), None)
