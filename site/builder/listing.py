"""files.sha256: every other file of a build with its SHA-256, in the form that sha256sum writes and checks."""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path

NAME = "files.sha256"
# sha256sum passes over such a line; by it a folder is known for one that this project's build has written.
_MARK = "# Transformer Anatomy"
_HEAD = f"{_MARK}: every other file of this site. Verify them with: sha256sum --check {NAME}\n"
_LINE = re.compile(r"([0-9a-f]{64})  (.+)")


def text(hashes: Mapping[str, str]) -> bytes:
    """The list as a file."""
    return (_HEAD + "".join(f"{hashes[path]}  {path}\n" for path in sorted(hashes))).encode()


def hashes(files: Mapping[str, bytes]) -> dict[str, str]:
    """The SHA-256 of every file but the list, by path.

    >>> hashes({"a.txt": b"", "files.sha256": b""})
    {'a.txt': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'}
    """
    return {path: hashlib.sha256(data).hexdigest() for path, data in files.items() if path != NAME}


def parsed(data: bytes) -> tuple[dict[str, str], list[str]]:
    """What a list holds, and what of it is no list: a sentence for each such line.

    >>> parsed(text({}) + b"odd")
    ({}, ["line 2 is no SHA-256 and path, but 'odd'"])
    """
    lines = data.decode("utf-8", "backslashreplace").split("\n")
    found: dict[str, str] = {}
    wrong = [] if lines[0] == _HEAD.strip() else [f"line 1 is not {_HEAD.strip()!r}, but {lines[0][:80]!r}"]
    for number, line in enumerate(lines[1:], 2):
        match = _LINE.fullmatch(line)
        if match and match[2] not in found:
            found[match[2]] = match[1]
        elif match:
            wrong.append(f"line {number} names {match[2]!r} again")
        elif line:
            wrong.append(f"line {number} is no SHA-256 and path, but {line[:80]!r}")
    if not wrong and text(found) != data:
        wrong.append("its lines are out of order, or the last one is cut off")
    return found, wrong


def former(folder: Path) -> dict[str, str] | None:
    """What a former build has written into the folder, by its list; None where there is no list of this project's."""
    place = folder / NAME
    if place.is_symlink() or not place.is_file():
        return None
    data = place.read_bytes()
    return parsed(data)[0] if data.startswith(_MARK.encode()) else None
