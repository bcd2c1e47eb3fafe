"""Tests of builder.archive: the packed Python of the page."""

import io
import zipfile
from pathlib import Path

from builder import archive


def test_sources_are_the_wanted_kinds_of_file_and_no_others(tmp_path: Path) -> None:
    for path in ("anatomy/a.py", "anatomy/views/b.py", "anatomy/__pycache__/a.pyc", "anatomy/notes.md", "other/c.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(path.encode())
    assert archive.sources(tmp_path, ("anatomy",), (".py",)) == {
        "anatomy/a.py": b"anatomy/a.py",
        "anatomy/views/b.py": b"anatomy/views/b.py",
    }


def test_packed_files_unpack_to_the_same() -> None:
    files = {"b.py": b"2", "a/a.py": b"1" * 1000}
    with zipfile.ZipFile(io.BytesIO(archive.packed(files))) as packed:
        assert packed.namelist() == ["a/a.py", "b.py"]
        assert {name: packed.read(name) for name in packed.namelist()} == files


def test_the_archive_depends_on_names_and_contents_alone() -> None:
    assert archive.packed({"a": b"1", "b": b"2"}) == archive.packed({"b": b"2", "a": b"1"})
    assert archive.packed({"a": b"1"}) != archive.packed({"a": b"2"})
