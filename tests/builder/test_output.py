"""Tests of builder.output: a folder gets a build's files, and keeps whatever else it holds."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

import build
from builder import listing, lock, output
from builder.failure import BuildError

OLD = {"index.html": b"1", "old/deep/gone.js": b"", "kept.js": b"1", "same.js": b"="}
NEW = {"index.html": b"2", "kept.js": b"2", "same.js": b"=", "new/deep/come.js": b"", "service_worker.js": b"w"}


def held(folder: Path) -> dict[str, bytes]:
    """What lies in a folder, the list of it left out."""
    paths = [path for path in folder.rglob("*") if path.is_file() or path.is_symlink()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths if path.name != listing.NAME}


def outside(folder: Path) -> Path:
    """A folder of the reader's own, beside."""
    place = folder.parent / f"{folder.name}-own"
    place.mkdir()
    (place / "thesis.tex").write_text("years of work")
    (place / "gone.js").write_text("as much")
    return place


def test_a_former_build_is_replaced(tmp_path: Path) -> None:
    output.write(OLD, tmp_path)
    output.write(NEW, tmp_path)
    assert held(tmp_path) == NEW
    assert not (tmp_path / "old").exists()
    assert listing.former(tmp_path) == {path: hashlib.sha256(data).hexdigest() for path, data in NEW.items()}


OTHERS = {
    ".git/HEAD": b"ref",
    ".git/objects/ab/cd": b"",
    ".nojekyll": b"",
    "CNAME": b"a.example",
    "notes/mine.txt": b"",
}


def test_whatever_else_lies_there_stays(tmp_path: Path) -> None:
    output.write(OLD, tmp_path)
    for path, data in OTHERS.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    (tmp_path / "old" / "mine.txt").write_bytes(b"too")
    (tmp_path / "empty").mkdir()
    output.write(NEW, tmp_path)
    assert held(tmp_path) == NEW | OTHERS | {"old/mine.txt": b"too"}
    assert (tmp_path / "empty").is_dir()


def test_a_folder_with_nothing_but_a_hosts_files_is_written_to(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_bytes(b"ref")
    (tmp_path / "CNAME").write_bytes(b"a.example")
    output.write(NEW, tmp_path)
    assert held(tmp_path) == NEW | {".git/HEAD": b"ref", "CNAME": b"a.example"}


@pytest.mark.parametrize("name", ["thesis.tex", "THIRD-PARTY.txt", "files.sha256", "index.html"])
def test_a_folder_of_somebody_elses_is_left_alone(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(b"0" * 64 + b"  thesis.tex\n")
    with pytest.raises(BuildError, match=rf"holds other things than a former build \({name}\)"):
        output.write(NEW, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_file_of_somebody_elses_is_not_written_over(tmp_path: Path) -> None:
    output.write(OLD, tmp_path)
    (tmp_path / "service_worker.js").write_bytes(b"mine")
    with pytest.raises(BuildError, match=r"service_worker\.js is not of a former build; it would be lost"):
        output.write(NEW, tmp_path)
    assert held(tmp_path) == OLD | {"service_worker.js": b"mine"}


@pytest.mark.parametrize(
    "listed",
    ["../own/gone.js", "/{outside}/gone.js", ".git/HEAD", "CNAME", "kept/.well-known/x", "a\\..\\b", "c:gone.js"],
)
def test_a_list_that_names_what_no_build_writes_has_nothing_removed(listed: str, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    path = listed.format(outside=tmp_path / "own")
    output.write(OLD, out)
    place = out / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"mine")
    (out / listing.NAME).write_bytes(listing.text(listing.hashes(OLD) | {path: "0" * 64}))
    output.write(NEW, out)
    assert place.read_bytes() == b"mine"


@pytest.mark.parametrize("linked", ["index.html", "new", "new/deep", listing.NAME])
def test_nothing_is_written_through_a_symbolic_link(linked: str, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    output.write(OLD, out)
    own = outside(out)
    (out / linked).unlink(missing_ok=True)
    (out / linked).parent.mkdir(exist_ok=True)
    (out / linked).symlink_to(own if "." not in linked else own / "thesis.tex")
    before = held(own)
    with pytest.raises(BuildError, match=r"is a symbolic link|holds other things"):
        output.write(NEW, out)
    assert held(own) == before


@pytest.mark.parametrize("linked", ["old", "old/deep", "old/deep/gone.js"])
def test_nothing_is_removed_through_a_symbolic_link(linked: str, tmp_path: Path) -> None:
    out = tmp_path / "dist"
    output.write(OLD, out)
    own = outside(out)
    (own / "deep").mkdir()
    (own / "deep" / "gone.js").write_text("deeper")
    (out / "old" / "deep" / "gone.js").unlink()
    for folder in ("old/deep", "old"):
        if folder.startswith(linked):
            (out / folder).rmdir()
    (out / linked).symlink_to(own / "gone.js" if linked.endswith(".js") else own if linked == "old" else own / "deep")
    before = held(own)
    output.write(NEW, out)
    assert held(own) == before
    assert (out / linked).is_symlink()


def test_a_folder_that_is_a_symbolic_link_is_refused(tmp_path: Path) -> None:
    own = outside(tmp_path / "dist")
    (tmp_path / "dist").symlink_to(own)
    with pytest.raises(BuildError, match="is a symbolic link; give the folder that it leads to"):
        output.write(NEW, tmp_path / "dist")
    assert sorted(held(own)) == ["gone.js", "thesis.tex"]


class Killed(BaseException):
    """What ends a build at once: nothing catches it."""


@pytest.mark.parametrize("former", [{}, OLD], ids=["first", "second"])
@pytest.mark.parametrize("after", [True, False], ids=["after", "before"])
def test_a_build_that_was_ended_early_is_ended_by_the_next(
    former: dict[str, bytes], after: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Path.replace
    steps = 0
    for number in range(100):
        out = tmp_path / f"{number}"
        if former:
            output.write(former, out)
        left = number

        def replace(self: Path, target: Path) -> Path:
            nonlocal left
            left -= 1
            if left < 0 and not after:
                raise Killed
            made = whole(self, target)
            if left < 0:
                raise Killed
            return made

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", replace)
            try:
                output.write(NEW, out)
            except Killed:
                steps += 1
            else:
                break
        for made in (NEW, OLD, NEW):  # whichever comes next
            output.write(made, out)
            assert held(out) == made
    assert steps >= len(NEW)


def test_a_folder_that_is_served_names_at_no_moment_what_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = [
        {f"z.{number}.js": b"", "index.html": f"z.{number}.js".encode(), "service_worker.js": f"{number}".encode()}
        for number in (1, 2)
    ]
    output.write(versions[0], tmp_path)
    moments: list[tuple[str, str]] = []

    def look(whole: Callable[..., object]) -> Callable[..., object]:
        def done(self: Path, *given: object, **options: object) -> object:
            made = whole(self, *given, **options)
            page, worker = ((tmp_path / name).read_text() for name in ("index.html", "service_worker.js"))
            assert (tmp_path / page).exists()
            moments.append((page, worker))
            return made

        return done

    for name in ("replace", "unlink"):
        monkeypatch.setattr(Path, name, look(getattr(Path, name)))
    output.write(versions[1], tmp_path)
    assert list(dict.fromkeys(moments)) == [("z.1.js", "1"), ("z.2.js", "1"), ("z.2.js", "2")]


def test_what_is_the_same_is_not_written_again(tmp_path: Path) -> None:
    output.write(NEW, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    output.write(NEW, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_two_builds_into_one_folder_come_one_after_the_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = threading.Event()
    monkeypatch.setattr("builtins.print", lambda *_: waiting.set())
    second = threading.Thread(target=output.write, args=(NEW, tmp_path))
    with lock.alone(tmp_path, print):
        second.start()
        assert waiting.wait(20)
        assert held(tmp_path) == {}
    second.join(20)
    assert held(tmp_path) == NEW


def test_a_build_that_was_killed_holds_no_lock(tmp_path: Path) -> None:
    program = (
        f"import sys, os; sys.path.insert(0, {str(build.SITE)!r})\nfrom pathlib import Path\nfrom builder import lock"
    )
    program += f"\nwith lock.alone(Path({str(tmp_path)!r}), print): os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    said: list[str] = []
    with lock.alone(tmp_path, said.append):
        assert said == []


def test_the_list_is_in_sha256sums_form(tmp_path: Path) -> None:
    output.write(NEW, tmp_path)
    text = (tmp_path / listing.NAME).read_text("utf-8")
    lines = [line.split("  ") for line in text.splitlines()[1:]]
    assert lines == [[hashlib.sha256(NEW[path]).hexdigest(), path] for path in sorted(NEW)]
