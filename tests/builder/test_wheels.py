"""Tests of builder.wheels: where NumPy and its installer come from, and the lock file that lists them."""

import hashlib
import io
import json
import urllib.error
from pathlib import Path

import pytest

from builder import wheels
from builder.failure import BuildError
from builder.pins import Package, Pins, Wheel

NUMPY, MICROPIP = b"numpy's wheel", b"micropip's wheel, as PyPI has it"
INTERPRETER = b"let a=`https://example.org/pyodide/v${U}/full/`;"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


LOCK = json.dumps(
    {
        "info": {"python": "3.14.2"},
        "packages": {
            "numpy": {"file_name": "numpy-2.whl", "version": "2", "sha256": sha256(NUMPY), "depends": []},
            "micropip": {"file_name": "micropip-1.whl", "version": "1", "sha256": "as Pyodide built it", "depends": []},
            "pandas": {"file_name": "pandas-3.whl", "version": "3", "sha256": "", "depends": ["numpy"]},
        },
    }
).encode()


def pinned(micropip: str = "1") -> Pins:
    package = Package("pyodide", "314.0.7", "", "", "pyodide", ())
    listed = (Wheel("numpy", "", ""), Wheel("micropip", "", "", micropip, sha256(MICROPIP)))
    return Pins(Path("runtime.json"), (package,), listed, "")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A reader's own folder with both wheels in it."""
    made = tmp_path / "wheels"
    made.mkdir()
    (made / "numpy-2.whl").write_bytes(NUMPY)
    (made / "micropip-1.whl").write_bytes(MICROPIP)
    return made


def test_the_readers_folder_is_looked_in_first(folder: Path, tmp_path: Path) -> None:
    found = wheels.contents(pinned(), LOCK, INTERPRETER, folder, tmp_path / "cache")
    assert found == {"numpy-2.whl": NUMPY, "micropip-1.whl": MICROPIP}


def test_another_wheel_in_the_readers_folder_is_told_and_not_replaced(folder: Path, tmp_path: Path) -> None:
    (folder / "numpy-2.whl").write_bytes(b"another")
    with pytest.raises(BuildError, match=f"expected sha256 {sha256(NUMPY)}, found {sha256(b'another')}") as failure:
        wheels.contents(pinned(), LOCK, INTERPRETER, folder, tmp_path / "cache")
    assert not isinstance(failure.value, wheels.WheelError)


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="none is no folder"):
        wheels.contents(pinned(), LOCK, INTERPRETER, tmp_path / "none", tmp_path)


class Network:
    """Stands in for Pyodide's distribution and for PyPI."""

    def __init__(self, numpy: bytes | None = NUMPY, micropip: bytes | None = MICROPIP) -> None:
        self.numpy, self.micropip = numpy, micropip
        self.asked: list[str] = []

    def urlopen(self, address: str, timeout: int) -> io.BytesIO:
        self.asked.append(address)
        if self.numpy is None:
            raise urllib.error.URLError("no route")
        return io.BytesIO(self.numpy)

    def pip_download(self, requirement: str, python: str, folder: Path, *, cache: Path) -> None:
        self.asked.append(f"{requirement} for {python}")
        if self.micropip is None:
            raise BuildError("pip could not fetch it (no route).")
        (folder / "micropip-1.whl").write_bytes(self.micropip)

    def plug_in(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("urllib.request.urlopen", self.urlopen)
        monkeypatch.setattr(wheels, "pip_download", self.pip_download)


def test_what_no_folder_has_is_fetched_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    network = Network()
    network.plug_in(monkeypatch)
    for _ in range(2):
        found = wheels.contents(pinned(), LOCK, INTERPRETER, None, tmp_path)
        assert found == {"numpy-2.whl": NUMPY, "micropip-1.whl": MICROPIP}
    assert network.asked == ["https://example.org/pyodide/v314.0.7/full/numpy-2.whl", "micropip==1 for 3.14"]


def test_a_spoilt_cache_is_fetched_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Network().plug_in(monkeypatch)
    wheels.contents(pinned(), LOCK, INTERPRETER, None, tmp_path)
    (tmp_path / "wheels/numpy-2.whl").write_bytes(b"spoilt")
    assert wheels.contents(pinned(), LOCK, INTERPRETER, None, tmp_path)["numpy-2.whl"] == NUMPY


def test_a_fetched_wheel_with_another_hash_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    Network(numpy=b"another").plug_in(monkeypatch)
    with pytest.raises(BuildError, match=f"expected sha256 {sha256(NUMPY)}, found {sha256(b'another')}"):
        wheels.contents(pinned(), LOCK, INTERPRETER, None, tmp_path)


@pytest.mark.parametrize("network", [Network(numpy=None), Network(micropip=None)], ids=["numpy", "micropip"])
def test_a_wheel_that_cannot_be_had_is_told_apart_from_a_wrong_one(
    network: Network, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    network.plug_in(monkeypatch)
    with pytest.raises(wheels.WheelError, match=r"\(no route\)"):
        wheels.contents(pinned(), LOCK, INTERPRETER, None, tmp_path)


def test_an_interpreter_that_states_no_distribution_asks_for_a_folder() -> None:
    with pytest.raises(wheels.WheelError, match="--wheels"):
        wheels.distribution(b"no address", "1")


def test_the_pinned_installer_is_the_one_that_the_lock_names(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="pins micropip 9, but Pyodide's lock file has 1"):
        wheels.contents(pinned(micropip="9"), LOCK, INTERPRETER, folder, tmp_path)


def test_the_lock_lists_only_what_lies_beside_it_with_its_own_hash() -> None:
    lock = json.loads(wheels.reduced_lock(pinned(), LOCK, {"numpy-2.whl": NUMPY, "micropip-1.whl": MICROPIP}))
    assert lock["info"] == {"python": "3.14.2"}
    assert {name: entry["sha256"] for name, entry in lock["packages"].items()} == {
        "numpy": sha256(NUMPY),
        "micropip": sha256(MICROPIP),
    }


def test_without_wheels_the_lock_lists_none() -> None:
    assert json.loads(wheels.reduced_lock(pinned(), LOCK, {}))["packages"] == {}
