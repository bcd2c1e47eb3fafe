"""`build.py --check`: a folder as it was written passes, and each thing that can be wrong with one is told."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest

import build
from builder import check
from builder.failure import BuildError


@pytest.fixture
def folder(site: dict[str, bytes], tmp_path: Path) -> Path:
    build.write(site, tmp_path / "dist")
    return tmp_path / "dist"


def test_a_folder_as_it_was_written_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "CNAME").write_text("anatomy.example\n", "utf-8")  # what a host of its own wants beside it
    assert build.main(["--check", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder}: every hash, link and size is as it should be.\n"


def changed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def lengthened(path: Path) -> None:
    path.write_bytes(path.read_bytes() + bytes(1_000_000))


@pytest.mark.parametrize(
    ("pattern", "spoil", "said"),
    [
        ("snapshot.*.bin", changed, "its SHA-256 is another than service_worker.js says."),
        ("pyodide/*/pyodide.asm.wasm", Path.unlink, "is missing."),
        ("icon-192.*.png", lengthened, "kB; its budget is 85 kB."),
        ("snapshot.*.bin", lengthened, "kB; its budget is 3,800 kB."),
        ("app.*.zip", Path.unlink, "which is not there."),
        ("preparer.*.js", Path.unlink, "which is not there."),
    ],
)
def test_a_file_that_is_changed_lost_or_too_large_is_told(
    folder: Path, pattern: str, spoil: Callable[[Path], None], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (path,) = folder.glob(pattern)
    spoil(path)
    assert build.main(["--check", str(folder)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert any(path.name in sentence and sentence.endswith(said) for sentence in told)


def test_a_file_of_another_version_is_told(folder: Path) -> None:
    (folder / "style.0123456789.css").write_text("", "utf-8")
    assert list(check.complaints(folder)) == ["style.0123456789.css is no part of this version."]


def test_a_link_to_a_place_that_is_not_there_is_told(folder: Path) -> None:
    page = folder / "index.html"
    page.write_text(page.read_text("utf-8").replace('href="#memory"', 'href="#memories"'), "utf-8")
    assert "index.html links to #memories, which it has not." in list(check.complaints(folder))


def test_every_file_has_a_budget_that_it_nearly_needs(site: dict[str, bytes]) -> None:
    largest = {pattern: 0 for pattern, _ in check.BUDGET}
    for path, data in site.items():
        pattern = next(pattern for pattern, _ in check.BUDGET if fnmatch(path, pattern))
        largest[pattern] = max(largest[pattern], len(data))
    for pattern, most in check.BUDGET:
        if largest[pattern]:  # NumPy's wheel is in few copies
            assert largest[pattern] <= most * 1000 < 1.3 * largest[pattern], pattern


def test_a_folder_without_a_site_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BuildError, match="holds no site"):
        list(check.complaints(tmp_path))
    assert build.main(["--check", str(tmp_path)]) == 2
    assert "a folder is wanted that build.py has written" in capsys.readouterr().err
