"""Tests of builder.names: the hash in a published name."""

import re

from builder import names


def test_a_single_file_carries_its_hash_before_its_suffix() -> None:
    (published,) = names.hashed({"main.py": b"1"}).values()
    assert re.fullmatch(r"main\.[0-9a-f]{10}\.py", published)


def test_a_changed_file_gets_another_name_and_leaves_its_neighbours() -> None:
    before, after = (names.hashed({"main.py": text, "style.css": b""}) for text in (b"1", b"2"))
    assert before["main.py"] != after["main.py"]
    assert before["style.css"] == after["style.css"]


def test_files_of_a_folder_move_together() -> None:
    before, after = (names.hashed({"pyodide/a.mjs": text, "pyodide/b.wasm": b""}) for text in (b"1", b"2"))
    assert before["pyodide/b.wasm"] != after["pyodide/b.wasm"]
    assert [path.rsplit("/", 1)[1] for path in after.values()] == ["a.js", "b.wasm"]
    assert len({path.rsplit("/", 1)[0] for path in after.values()}) == 1
