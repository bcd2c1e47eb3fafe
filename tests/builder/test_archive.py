"""Tests of builder.archive: the packed Python of the page."""

import gzip
import hashlib
import io
import shutil
import subprocess
import sys
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


DATA = bytes(range(256)) * 50 + b"a" * 1000


def test_what_is_gzipped_unpacks_to_the_same() -> None:
    for data in (b"", DATA, DATA * 100):
        assert gzip.decompress(archive.gzipped(data)) == data


def pythons() -> list[str]:
    """Every Python here that can run the build, this one first."""
    named = [shutil.which(f"python3.{minor}") for minor in range(11, 20)]
    found = [sys.executable, *(name for name in named if name)]
    # A name may be a version manager's for one that is not installed.
    return [name for name in found if not subprocess.run([name, "-c", ""], capture_output=True, check=False).returncode]


def test_every_version_of_python_packs_to_the_same_bytes() -> None:
    program = f"""
import hashlib, sys
sys.path.insert(0, {str(Path(archive.__file__).parent.parent)!r})
from builder import archive
data = bytes(range(256)) * 50 + b"a" * 1000
print(hashlib.sha256(archive.gzipped(data) + archive.packed({{"a.py": data, "b.json": b""}})).hexdigest())
"""
    packed = archive.gzipped(DATA) + archive.packed({"a.py": DATA, "b.json": b""})
    for name in pythons():
        done = subprocess.run([name, "-B", "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == hashlib.sha256(packed).hexdigest(), name
