"""Tests of builder.cache: damage to what is kept is noticed, and what a killed build left goes."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from builder import cache


def changed(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.parametrize(
    "damage",
    [
        changed,
        lambda data: data[:-1],
        lambda data: data + b"0",
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data[1:],
    ],
    ids=["changed", "shortened", "lengthened", "emptied", "cut", "shifted"],
)
def test_what_is_damaged_is_not_kept(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    place = tmp_path / "folder" / "thing"
    assert cache.kept(place) is None
    cache.keep(b"made", place, tmp_path)
    assert cache.kept(place) == b"made"
    place.write_bytes(damage(place.read_bytes()))
    assert cache.kept(place) is None
    cache.keep(b"made", place, tmp_path)
    assert cache.kept(place) == b"made"
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "thing"]


def test_what_a_killed_build_was_making_goes_with_the_next(tmp_path: Path) -> None:
    with cache.making(tmp_path) as left:
        kept = left.rename(tmp_path / f"{left.name}-killed")
        left.mkdir()
    (kept / "half").write_bytes(b"")
    (tmp_path / "kept").write_bytes(b"")
    with cache.alone(tmp_path, print):
        assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def installed(folder: Path) -> Path:
    """Stands in for what pip installs: two files, their RECORD, and what RECORD states no hash of."""
    files = {"package/a.py": b"a = 1\n", "package/data.bin": b"\0\1"}
    rows = [f"{path},sha256={digest(data)},{len(data)}" for path, data in files.items()]
    rows += ["package/__pycache__/a.pyc,,", "package-1.dist-info/RECORD,,", '"../../bin/x",sha256=0,1', ""]
    for path, data in (files | {"package-1.dist-info/RECORD": "\n".join(rows).encode()}).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def test_a_wheel_as_it_was_installed_is_intact(tmp_path: Path) -> None:
    assert cache.intact(installed(tmp_path))


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("package/a.py", b"a = 2\n"),
        ("package/data.bin", None),
        ("package-1.dist-info/RECORD", None),
        ("package-1.dist-info/RECORD", b"package/a.py\n"),
        ("package-1.dist-info/RECORD", b"package/a.py,odd=1,1\n"),
        ("package-1.dist-info/RECORD", b"\xff,,\n"),
    ],
)
def test_a_wheel_with_a_damaged_file_is_not(path: str, data: bytes | None, tmp_path: Path) -> None:
    place = installed(tmp_path) / path
    if data is None:
        place.unlink()
    else:
        place.write_bytes(data)
    assert not cache.intact(tmp_path)


def test_nothing_at_all_is_not_intact(tmp_path: Path) -> None:
    assert not cache.intact(tmp_path / "none")
