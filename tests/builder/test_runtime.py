"""Tests of builder.runtime: the npm packages from the cache or fetched, and checked either way."""

import hashlib
import io
import tarfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from builder import cache, runtime
from builder.failure import BuildError
from builder.pins import Package, PinnedFile, Pins

CORE = b"export {};"


class Registry:
    """Stands in for npm: writes one tarball, and counts how often it was asked."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        self.asked: list[list[str]] = []

    def npm_pack(self, labels: Sequence[str], folder: Path, *, cache: Path, node: str) -> None:
        self.asked.append(list(labels))
        with tarfile.open(folder / "pyscript-core-1.0.tgz", "w:gz") as tar:
            for path, data in self.files.items():
                entry = tarfile.TarInfo(f"package/{path}")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    made = Registry({"dist/core.js": CORE, "dist/core.js.map": b"{}"})
    monkeypatch.setattr(runtime, "npm_pack", made.npm_pack)
    return made


def pinned(path: str = "dist/core.js", data: bytes = CORE) -> Pins:
    file = PinnedFile(path, hashlib.sha256(data).hexdigest())
    package = Package("@pyscript/core", "1.0", "Apache-2.0", "", "pyscript", (file,))
    return Pins(Path("runtime.json"), (package,), (), "node==1")


def test_pinned_files_are_fetched_once_and_kept(registry: Registry, tmp_path: Path) -> None:
    for _ in range(2):
        assert runtime.contents(pinned(), tmp_path) == {("@pyscript/core", "dist/core.js"): CORE}
    assert registry.asked == [["@pyscript/core@1.0"]]


def test_nothing_but_pinned_files_is_kept(registry: Registry, tmp_path: Path) -> None:
    runtime.contents(pinned(), tmp_path)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["core.js"]


def test_a_spoilt_cache_is_fetched_again(registry: Registry, tmp_path: Path) -> None:
    runtime.contents(pinned(), tmp_path)
    (tmp_path / "@pyscript/core@1.0/dist/core.js").write_bytes(b"spoilt")
    assert runtime.contents(pinned(), tmp_path) == {("@pyscript/core", "dist/core.js"): CORE}
    assert len(registry.asked) == 2


def test_two_builds_at_once_on_an_empty_cache_fetch_once_and_both_succeed(registry: Registry, tmp_path: Path) -> None:
    place = tmp_path / "cache"
    found: list[runtime.Contents] = []
    waiting = threading.Event()

    def build(note: Callable[[str], None]) -> None:
        with cache.alone(place, note):
            found.append(runtime.contents(pinned(), place))

    second = threading.Thread(target=build, args=(lambda said: waiting.set(),))

    def meanwhile(labels: Sequence[str], folder: Path, *, cache: Path, node: str) -> None:
        second.start()
        assert waiting.wait(20)
        registry.npm_pack(labels, folder, cache=cache, node=node)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runtime, "npm_pack", meanwhile)
        build(lambda said: None)
    second.join(20)
    assert found == [{("@pyscript/core", "dist/core.js"): CORE}] * 2
    assert len(registry.asked) == 1


def test_another_file_than_the_pinned_one_is_told_with_both_hashes(registry: Registry, tmp_path: Path) -> None:
    registry.files["dist/core.js"] = b"other"
    expected, found = (hashlib.sha256(data).hexdigest() for data in (CORE, b"other"))
    with pytest.raises(BuildError, match=f"dist/core.js of .* expects sha256 {expected}, found {found}"):
        runtime.contents(pinned(), tmp_path)


@pytest.mark.usefixtures("registry")
def test_a_pinned_file_that_the_package_lacks_is_told(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"has no file dist/gone\.js"):
        runtime.contents(pinned("dist/gone.js"), tmp_path)
