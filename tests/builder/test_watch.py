"""Tests of `build.py --serve` while the site is edited: each edit is served, and one that does not build is told."""

from __future__ import annotations

import io
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import build
from builder import document, offline, server, sources, watch


def test_any_change_of_a_file_changes_the_stamps_and_nothing_else_does(tmp_path: Path) -> None:
    (tmp_path / "folder" / "__pycache__").mkdir(parents=True)
    (tmp_path / "folder" / "a.py").write_text("1")
    (tmp_path / "one.py").write_text("1")
    places = [tmp_path / "folder", tmp_path / "one.py", tmp_path / "none"]
    seen = [watch.stamps(places)]
    (tmp_path / "folder" / "__pycache__" / "a.pyc").write_text("1")
    assert watch.stamps(places) == seen[0]
    for change in (
        lambda: (tmp_path / "folder" / "a.py").write_text("22"),
        lambda: os.utime(tmp_path / "one.py", ns=(1, 1)),
        lambda: (tmp_path / "folder" / "b.py").write_text("1"),
        lambda: (tmp_path / "folder" / "b.py").rename(tmp_path / "folder" / "c.py"),
        lambda: (tmp_path / "one.py").unlink(),
    ):
        change()
        seen.append(watch.stamps(places))
        assert seen[-1] not in seen[:-1]


class Served:
    """A copy of the project that is being served, and what its server says."""

    def __init__(self, root: Path) -> None:
        for source in build.SOURCES:
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, root / source.name)
        (root / ".cache").symlink_to(build.ROOT / ".cache")
        self.root = root
        command = [sys.executable, "-B", str(root / "build.py"), "--serve", "--draft", f"--out={root / 'dist'}"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.lines: queue.Queue[str] = queue.Queue()
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        self.url = self.said(r"Serving it at (\S+)")[1]

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as lines:
            for line in lines:
                self.lines.put(line)

    def said(self, pattern: str) -> re.Match[str]:
        """Wait for a line like that; those before it are passed over."""
        while not (match := re.search(pattern, self.lines.get(timeout=60))):
            pass
        return match

    def edit(self, path: str, old: str, new: str) -> None:
        place = self.root / path
        text = place.read_text("utf-8")
        assert old in text
        place.write_text(text.replace(old, new, 1), "utf-8")

    def get(self, path: str = "") -> bytes:
        with urllib.request.urlopen(self.url + path) as answer:
            body: bytes = answer.read()
        return body

    def module(self, name: str) -> str:
        """What Python in the page will read of a module."""
        packed = re.search(r"app\.\w+\.zip", self.get().decode())
        assert packed
        with zipfile.ZipFile(io.BytesIO(self.get(packed[0]))) as archive:
            return archive.read(name).decode()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    made = Served(tmp_path_factory.mktemp("edited"))
    yield made
    made.process.send_signal(signal.SIGINT)
    assert made.process.wait(timeout=60) == 0
    made.reader.join()


VIEW, STYLE = "anatomy/views/page.py", "site/style.css"


@pytest.mark.timeout(600)
def test_a_saved_edit_is_in_the_page_and_in_what_python_reads(served: Served) -> None:
    served.edit(VIEW, "def regions(", "EDITED = 1\n\n\ndef regions(")
    served.edit("anatomy/teaching/prose.py", '"""', '"""Edited. ')
    served.said("Built anew")
    while "EDITED = 1" not in served.module(VIEW) or "Edited. " not in served.module("anatomy/teaching/prose.py"):
        served.said("Built anew")  # the two edits may have been two
    served.edit(STYLE, "{", "{--edited:1;")
    served.said("Built anew")
    assert b"{--edited:1;" in served.get()
    # The page starts from what was edited, or from a snapshot that was made of it: there is none here.
    stem = document.SNAPSHOT.partition(".")[0]
    assert not list((served.root / "dist").glob(f"{stem}.*"))
    assert build.main(["--check", str(served.root / "dist")]) == 0


@pytest.mark.timeout(600)
def test_an_edit_that_does_not_build_is_told_and_the_last_good_site_stays(served: Served) -> None:
    before = served.get()
    served.edit(VIEW, "def regions(", "def regions)")
    served.said(r"page\.py")
    served.said("SyntaxError")
    served.said("what is served is the last site that did")
    assert served.get() == before
    served.edit(VIEW, "def regions)", "def regions(")
    served.said("Built anew")
    assert "def regions(" in served.module(VIEW)


def test_the_worker_of_an_edited_site_asks_for_its_page(served: Served) -> None:
    kept = (served.root / "dist" / offline.NAME).read_bytes()
    assert served.get(offline.NAME) == server._FRESH + kept
    # What the beginning calls is there.
    assert "function answer(request)" in sources.find(build.SITE, offline.NAME).read_text("utf-8")
