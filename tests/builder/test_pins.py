"""Tests of builder.pins: the pinned runtime as read from its file."""

import json
from pathlib import Path

import pytest

from builder import pins
from builder.failure import BuildError

RUNTIME = Path(pins.__file__).parent.parent / "runtime.json"
OLDER = Path(__file__).parent.parent / "runtime-0.27.json"
ENTRY = {"name": "pyodide", "version": "1.0", "licence": "MPL-2.0", "source": "x", "folder": "pyodide", "files": []}


def written(folder: Path, text: str) -> Path:
    path = folder / "pins.json"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("path", [RUNTIME, OLDER], ids=lambda path: path.name)
def test_committed_pins_hold_one_interpreter_and_whole_hashes(path: Path) -> None:
    read = pins.read(path)
    assert {"pyodide.mjs", "pyodide.asm.wasm", "pyodide-lock.json"} <= {f.name for f in read.package("pyodide").files}
    hashes = [file.sha256 for package in read.packages for file in package.files]
    assert all(len(each) == 64 for each in hashes)
    assert len(set(hashes)) == len(hashes)


def test_no_pinned_file_is_a_source_map() -> None:
    names = [file.name for package in pins.read(RUNTIME).packages for file in package.files]
    assert not [name for name in names if name.endswith(".map")]


def test_a_file_is_known_by_its_last_name() -> None:
    assert pins.PinnedFile("dist/core.js", "0").name == "core.js"


def test_an_unknown_package_is_told_with_the_known_ones(tmp_path: Path) -> None:
    read = pins.read(written(tmp_path, json.dumps({"npm": [ENTRY], "wheels": [], "node": "n==1"})))
    with pytest.raises(BuildError, match=r"no npm package 'react' among \['pyodide'\]"):
        read.package("react")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "Expecting property name"),
        ('{"npm": [], "wheels": []}', "key 'node' is missing"),
        ('{"npm": [{"files": [], "colour": 1}], "wheels": [], "node": ""}', "colour"),
    ],
)
def test_bad_pins_are_told_in_a_sentence(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(BuildError, match=complaint):
        pins.read(written(tmp_path, text))


def test_pins_that_are_not_there_are_told(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="not readable"):
        pins.read(tmp_path / "none.json")
