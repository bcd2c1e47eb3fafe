"""`build.py --check`: a folder as it was written passes, and each thing that can be wrong with one is told."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path

import pytest

import build
from builder import check, listing, offline, one_file, sources
from builder.failure import BuildError


@pytest.fixture
def folder(site: dict[str, bytes], tmp_path: Path) -> Path:
    build.write(site, tmp_path / "dist")
    return tmp_path / "dist"


def test_a_folder_as_it_was_written_passes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--check", str(folder)]) == 0
    assert capsys.readouterr().out == f"{folder}: every hash, link and size is as it should be.\n"


def test_what_is_a_hosts_own_is_named_and_no_fault(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small / "CNAME").write_text("anatomy.example\n", "utf-8")
    (small / ".nojekyll").touch()
    (small / ".git" / "hooks").mkdir(parents=True)
    (small / ".git" / "HEAD").symlink_to("elsewhere")
    assert build.main(["--check", str(small)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[1] == f"{small}: a host's own and no part of the site: '.git', '.nojekyll', 'CNAME'."


def changed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def lengthened(path: Path) -> None:
    path.write_bytes(path.read_bytes() + bytes(1_000_000))


@pytest.mark.parametrize(
    ("pattern", "spoil", "said"),
    [
        ("python.*.bin", changed, "its SHA-256 is another than files.sha256 says."),
        ("pyodide/*/pyodide.asm.wasm", Path.unlink, "is missing."),
        ("icon-192.*.png", lengthened, "kB; its budget is 65 kB."),
        ("python.*.bin", lengthened, "kB; its budget is 6,100 kB."),
        ("app.*.zip", Path.unlink, "which is not there."),
        ("unpack.*.js", Path.unlink, "which is not there."),
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
    text = page.read_text("utf-8")
    assert 'href="#diagram"' in text
    page.write_text(text.replace('href="#diagram"', 'href="#diagrams"'), "utf-8")
    assert "index.html links to #diagrams, which it has not." in list(check.complaints(folder))


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


@pytest.fixture
def small(site: dict[str, bytes], tmp_path: Path) -> Path:
    """A site with every file of the real one, each short, its page a list of links: hundreds are checked in seconds."""
    files = {path: data if "/" not in path and len(data) < 20_000 else data[:1000] for path, data in site.items()}
    links = "".join(f'<a id="{path}" href="{path}"></a>' for path in files)
    files |= {"index.html": links.encode(), one_file.NAME: b"<p>All in one.</p>"}
    kept = {path: data for path, data in files.items() if path not in (listing.NAME, offline.NAME, one_file.NAME)}
    files[offline.NAME] = offline.worker(sources.find(build.SITE, offline.NAME), kept)
    build.write(files, tmp_path / "small")
    return tmp_path / "small"


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def shortened(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def with_a_bad_byte(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + b"\xff\x00" + data[len(data) // 2 :])


def with_other_line_ends(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")


def doubled(path: Path) -> None:
    path.write_bytes(path.read_bytes() * 2)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_link_to_the_same(path: Path) -> None:
    path.rename(path.parent.parent / f"same-{path.name}")
    path.symlink_to(path.parent.parent / f"same-{path.name}")


def a_link_to_nothing(path: Path) -> None:
    path.unlink()
    path.symlink_to("nothing")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def renamed(path: Path) -> None:
    path.rename(path.with_name(f"{path.name}.old"))


def another_beside(path: Path) -> None:
    path.with_name(f"{path.name}~").write_bytes(path.read_bytes())


def hidden_beside(path: Path) -> None:
    (path.parent / "more").mkdir()
    (path.parent / "more" / f".{path.name}").write_bytes(b"")


TAMPERS = (
    changed,
    emptied,
    shortened,
    with_a_bad_byte,
    with_other_line_ends,
    doubled,
    Path.unlink,
    a_folder,
    a_link_to_the_same,
    a_link_to_nothing,
    a_pipe,
    renamed,
    another_beside,
    hidden_beside,
)


@pytest.mark.parametrize("tamper", TAMPERS, ids=lambda tamper: tamper.__name__)
def test_each_tampering_with_each_file_is_told_by_its_name(tamper: Callable[[Path], None], small: Path) -> None:
    assert list(check.complaints(small)) == []
    paths = [path.relative_to(small) for path in small.rglob("*") if path.is_file()]
    assert len(paths) > 25
    for path in paths:
        copy = small.parent / "copy" / "site"
        shutil.copytree(small, copy)
        tamper(copy / path)
        told = list(check.complaints(copy))
        assert any(path.name in sentence for sentence in told), path
        shutil.rmtree(copy.parent)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("index.html", b"<![odd[ <a href='#x'>"),
        ("index.html", b"<a href='http://[x'>"),
        ("index.html", b"<!" * 5000),
        ("404.html", b"\xff\xfe"),
        ("*.webmanifest", b"[" * 100_000),
        ("*.webmanifest", b'{"icons": 1}'),
        ("*.webmanifest", b'{"icons": [1, {"src": 2}, {}]}'),
        ("*.webmanifest", b'{"icons": [{"src": "http://[x"}]}'),
        ("*.webmanifest", b"\xff"),
        ("service_worker.js", b"JSON.parse(String.raw`[" + b"[" * 100_000 + b"`)"),
        ("service_worker.js", b"JSON.parse(String.raw`[1]`)"),
        ("service_worker.js", b"JSON.parse(String.raw`{`)"),
        ("service_worker.js", b"\xff"),
        ("files.sha256", b""),
        ("files.sha256", b"\xff\n\xff"),
        ("files.sha256", b"# Transformer Anatomy\n" + b"0" * 64 + b"  ../../x\n"),
        ("files.sha256", b"# Transformer Anatomy\n" + (b"0" * 64 + b"  a\n") * 2),
    ],
)
def test_a_text_that_cannot_be_read_is_told_in_sentences(
    path: str, text: bytes, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place,) = small.glob(path)
    place.write_bytes(text)
    assert build.main(["--check", str(small)]) == 1
    told = capsys.readouterr().err.splitlines()
    assert any(place.name in sentence for sentence in told)
    assert all(sentence.startswith(f"{small}: ") and sentence.endswith(".") for sentence in told)


def test_a_list_written_anew_for_a_changed_file_is_told(small: Path) -> None:
    files = {path.relative_to(small).as_posix(): path.read_bytes() for path in small.rglob("*") if path.is_file()}
    (small / listing.NAME).write_bytes(listing.text(listing.hashes(files | {"404.html": b"changed"})))
    (small / "404.html").write_bytes(b"changed")
    assert list(check.complaints(small)) == ["404.html is another file by service_worker.js than by files.sha256."]
    (small / listing.NAME).write_bytes(
        listing.text(listing.hashes({path: files[path] for path in files if path != "404.html"}))
    )
    (small / "404.html").unlink()
    assert "404.html is another file by service_worker.js than by files.sha256." in list(check.complaints(small))


def test_names_that_no_terminal_shows_are_told_on_one_line(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small / "a\nb\x1b[2J").touch()
    (small / os.fsdecode(b"c\xff")).touch()
    assert build.main(["--check", str(small)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f"{small}: a\\nb\\x1b[2J is no part of this version.",
        f"{small}: c\\udcff is no part of this version.",
    ]
