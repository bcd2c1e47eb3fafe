"""Trying mutants: each in a fork of one process that has imported, collected and warmed what all of them need.

A fault within a function is put in by giving that function its code, so that a mutant costs the tests that meet it and
nothing else. One in what runs on import, a constant or a default, gets a process that imports everything anew.
"""

from __future__ import annotations

import compileall
import gc
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import coverage
import pytest
from _pytest.doctest import DoctestItem

ROOT = Path(__file__).resolve().parent.parent
# What folds the rows into figures for the faces, and what words and draws them.
MUTATED = ("anatomy/report", "anatomy/words", "anatomy/visit", "anatomy/views", "anatomy/commands")
# The tests without a browser that run in a moment; doctests are some of them.
TESTS = (
    *MUTATED,
    *(f"tests/{name}" for name in ("report", "words", "visit", "views", "commands", "teaching", "test_cli.py")),
)
# A mutant meets the quickest tests that run its line, then those that see the most, then the others; in seconds.
QUICK, ALL = 1.5, 25.0
BROAD = ("tests/views/test_approved.py", "tests/commands/test_values.py")
# Seconds of the processor beyond twice what its tests take, and of the clock, after which a mutant never ends.
BEYOND, WALL = 15, 600
# What remembers figures of floors below the mutated ones, or a recount of them, may go on doing so.
BELOW = ("anatomy.catalog", "anatomy.counts.", "anatomy.families.", "anatomy.model.", "tests.second_count")
KILLED, SURVIVED, TIMED_OUT = "killed", "survived", "timed out"
Heard = Callable[[int, str], None]


@dataclass(frozen=True)
class Fault:
    """What is tried: a file's whole text with one fault, in these lines, of this function (none: run on import)."""

    path: str
    line: int
    last: int
    source: str


class Seen:
    """A pytest plugin that notes which lines each test runs, with nothing remembered from the tests before it."""

    def __init__(self) -> None:
        self.coverage = coverage.Coverage(data_file=None, include=[f"{place}/*" for place in MUTATED])
        self.seconds: dict[str, float] = {}
        self.lines: dict[str, dict[int, list[str]]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Of tests that walk the catalogue keep one model of each kind, and one with a buffer."""
        from anatomy.catalog import entries
        from tests.second_count import KINDS

        left_out = entries().keys() - KINDS - {"deepseek-v3"}
        items[:] = [one for one in items if _given(one) not in left_out]

    def read(self, items: Sequence[pytest.Item]) -> None:
        """Run every test under its own name."""
        for item in items:
            forget()
            self.coverage.switch_context(item.nodeid)
            start = time.process_time()
            if not _passes([item]):
                pytest.exit(f"{item.nodeid} fails without any mutant", 1)
            self.seconds[item.nodeid] = time.process_time() - start
            self.coverage.switch_context("")
        self.coverage.stop()
        data = self.coverage.get_data()
        for file in data.measured_files():
            found = data.contexts_by_lineno(file)
            self.lines[Path(file).relative_to(Path.cwd()).as_posix()] = found

    def of(self, fault: Fault) -> list[str]:
        """The tests that run a fault's lines (those of its module where none does), the quickest first, in a budget."""
        lines = self.lines.get(fault.path, {})
        names = {test for line in range(fault.line, fault.last + 1) for test in lines.get(line, ())} - {""}
        if not names:
            names = {test for tests in lines.values() for test in tests} - {""}
        quick = sorted(names, key=lambda one: (self.seconds[one], one))
        first = self._within(quick, QUICK)
        rest = sorted(quick[len(first) :], key=lambda one: not one.startswith(BROAD))
        return first + self._within(rest, ALL)

    def _within(self, names: Sequence[str], budget: float) -> list[str]:
        chosen: list[str] = []
        for name in names:
            budget -= self.seconds[name]
            if budget < 0 and chosen:
                break
            chosen.append(name)
        return chosen

    def on_import(self, path: str, lines: Iterable[int]) -> bool:
        """Whether any of these lines runs when tests are imported and collected."""
        found = self.lines.get(path, {})
        return any("" in found.get(line, ()) for line in lines)


def _given(item: pytest.Item) -> str | None:
    """The one model that a test is run with."""
    spec = getattr(item, "callspec", None)
    return spec.params.get("slug") if spec else None


def forget() -> None:
    """Empty the caches of the mutated floors, of what is above them, and of the tests."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("anatomy.", "tests.")) and not name.startswith(BELOW):
            for value in list(vars(module).values()):
                if isinstance(value, _lru_cache_wrapper):
                    value.cache_clear()
        if name == "anatomy.views.page":
            vars(module).get("_made", {}).clear()


def _passes(items: Sequence[pytest.Item]) -> bool:
    """Run tests until one fails."""
    for item in items:
        session = item.session
        # A doctest leaves its names behind empty, and may be run again.
        names = item.dtest.globs if isinstance(item, DoctestItem) else {}
        kept = dict(names)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        names.update(kept)
        if session.testsfailed:
            return False
    return True


# ------------------------------------------------------- a function's new code


def _functions(code: CodeType) -> Iterator[CodeType]:
    """The functions of a module and of its classes, each without those inside it."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            if one.co_flags & 1:  # optimized: a function, a lambda or a comprehension, no class
                yield one
            else:
                yield from _functions(one)


def _key(code: CodeType) -> tuple[str, str, int]:
    return code.co_filename, code.co_qualname, code.co_firstlineno


def _lines(code: CodeType) -> set[int]:
    """The lines of a function's body and of what is inside it."""
    found = {line for _, _, line in code.co_lines() if line is not None and line > code.co_firstlineno}
    return found.union(*(_lines(one) for one in code.co_consts if isinstance(one, CodeType)))


class Swapped:
    """Every function that is alive, by where it is defined."""

    def __init__(self, seen: Seen) -> None:
        self.seen = seen
        self.alive: dict[tuple[str, str, int], list[FunctionType]] = {}
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                self.alive.setdefault(_key(one.__code__), []).append(one)

    def of(self, fault: Fault) -> tuple[CodeType, list[FunctionType]] | None:
        """A function's code with the fault and the functions that take it; None where it runs on import."""
        file = str(Path.cwd() / fault.path)
        before = {_key(one): one for one in _functions(compile(Path(file).read_text(encoding="utf-8"), file, "exec"))}
        after = {_key(one): one for one in _functions(compile(fault.source, file, "exec"))}
        changed = [key for key, one in after.items() if one != before.get(key)]
        if len(changed) != 1 or before.keys() != after.keys():
            return None
        code = after[changed[0]]
        functions = self.alive.get(changed[0], [])
        if not functions or self.seen.on_import(fault.path, _lines(code)):
            return None
        if any(len(one.__code__.co_freevars) != len(code.co_freevars) for one in functions):
            return None
        return code, functions


# --------------------------------------------------------------------- forks


def _child(work: Callable[[], bool], seconds: float) -> int:
    """A process that does some work; it ends well where that gives True."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    most = int(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))
    try:
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        status = 0 if work() else 1
    finally:
        os._exit(status)


class Running:
    """Children at work, at most so many at a time; each one's end is told."""

    def __init__(self, jobs: int, heard: Heard) -> None:
        self.jobs, self.heard = jobs, heard
        self.children: dict[int, tuple[int, float]] = {}

    def add(self, number: int, work: Callable[[], bool], seconds: float) -> None:
        """Start a child once there is room."""
        self.wait(self.jobs - 1)
        self.children[_child(work, seconds)] = number, time.monotonic()

    def wait(self, most: int = 0) -> None:
        """Wait until at most so many are left."""
        while len(self.children) > most:
            for pid, (number, began) in list(self.children.items()):
                late = time.monotonic() - began > WALL
                if late:
                    os.kill(pid, signal.SIGKILL)
                done, status = os.waitpid(pid, 0 if late else os.WNOHANG)
                if done:
                    del self.children[pid]
                    code = os.waitstatus_to_exitcode(status)
                    slow = late or code in (-signal.SIGXCPU, -signal.SIGKILL)
                    self.heard(number, TIMED_OUT if slow else SURVIVED if code == 0 else KILLED)
            time.sleep(0.005)


class Trying:
    """The pytest plugin that runs all tests once and then, instead of more tests, the mutants."""

    def __init__(self, faults: Sequence[Fault], seen: Seen, jobs: int, until: float, heard: Heard) -> None:
        self.faults, self.seen, self.jobs, self.until, self.heard = faults, seen, jobs, until, heard
        self.left: list[tuple[int, list[str]]] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try each fault within a function; leave the others, with their tests."""
        if session.testsfailed or not session.items:
            pytest.exit("the tests cannot be collected", 1)
        self.seen.read(session.items)
        items = {one.nodeid: one for one in session.items}
        forget()
        gc.collect()
        swapped = Swapped(self.seen)
        gc.freeze()
        running = Running(self.jobs, self.heard)
        for number, fault in enumerate(self.faults):
            if time.monotonic() > self.until:
                break
            names, found = self.seen.of(fault), swapped.of(fault)
            if found is None:
                self.left.append((number, names))
                continue

            def work(found: Any = found, names: Sequence[str] = names) -> bool:
                code, functions = found
                for one in functions:
                    one.__code__ = code
                return _passes([items[name] for name in names])

            running.add(number, work, BEYOND + 2 * sum(map(self.seen.seconds.__getitem__, names)))
        running.wait()
        return True


class Chosen:
    """A pytest plugin that keeps some of the tests, in their order."""

    def __init__(self, names: Sequence[str]) -> None:
        self.places = {name: at for at, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drop the others."""
        items[:] = sorted((one for one in items if one.nodeid in self.places), key=lambda one: self.places[one.nodeid])


def _there(copy: Path) -> None:
    """Work in a copy of the project."""
    os.chdir(copy)
    sys.path[:] = [str(copy), *(place for place in sys.path if Path(place or ".").resolve() not in (ROOT, copy))]


def _inside(faults: Sequence[Fault], copy: Path, jobs: int, until: float, answers: Path) -> None:
    _there(copy)
    sys.dont_write_bytecode = True
    seen = Seen()
    with answers.open("w") as out:

        def heard(number: int, fate: str) -> None:
            out.write(json.dumps([number, fate]) + "\n")
            out.flush()

        trying = Trying(faults, seen, jobs, until, heard)
        seen.coverage.start()
        # Dots of tests are no answer; why there is none is told.
        os.dup2(2, 1)
        options = ["-q", "-n0", "-p", "no:cacheprovider", "--capture=sys", "--assert=plain", "--tb=short"]
        if pytest.main([*options, *TESTS], plugins=[seen, trying]):
            raise SystemExit("benchmarks/mutants.py: the tests do not pass as they are")
        out.write(json.dumps([None, [trying.left, seen.seconds]]) + "\n")


def _anew(names: Sequence[str], copy: Path) -> bool:
    """Whether tests pass in a copy of the project, imported anew."""
    _there(copy)
    sys.dont_write_bytecode = True
    files = list(dict.fromkeys(name.partition("::")[0] for name in names))
    options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "--tb=no", "--assert=plain"]
    return pytest.main([*options, *files], plugins=[Chosen(names)]) == 0


def tried(faults: Sequence[Fault], home: Path, jobs: int, until: float, heard: Heard) -> None:
    """Try faults in a copy of the project made in ``home``, and tell what becomes of each, as soon as it is known."""
    copy, answers = home / "copy", home / "answers.jsonl"
    _copied(copy)
    pid = os.fork()
    if not pid:
        status = 1
        try:
            _inside(faults, copy, jobs, until, answers)
            status = 0
        except SystemExit as said:
            print(said, file=sys.stderr, flush=True)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    read, left = 0, None
    while left is None:
        done, status = os.waitpid(pid, os.WNOHANG)
        lines = answers.read_text().splitlines() if answers.exists() else []
        for number, fate in map(json.loads, lines[read:]):
            if number is None:
                left, seconds = fate
            else:
                heard(number, fate)
        read = len(lines)
        if done and left is None:
            raise SystemExit(1)
        time.sleep(1)
    for name in ("hypothesis", "xml.etree.ElementTree", "html.parser", "doctest", "unittest"):
        importlib.import_module(name)
    gc.freeze()
    # Each with a copy of its own, since the fault is in a file.
    places = [home / f"copy-{at}" for at in range(jobs)]
    for place in places:
        shutil.copytree(copy, place)
        compileall.compile_dir(place, quiet=2)
    busy: dict[int, Path] = {}

    def ended(number: int, fate: str) -> None:
        place, path = busy.pop(number), faults[number].path
        shutil.copy2(copy / path, place / path)
        places.append(place)
        heard(number, fate)

    running = Running(jobs, ended)
    for number, names in left:
        if time.monotonic() > until:
            break
        running.wait(jobs - 1)
        place, fault = places.pop(), faults[number]
        busy[number] = place
        (place / fault.path).write_text(fault.source, encoding="utf-8")

        def work(names: Sequence[str] = names, place: Path = place) -> bool:
            return _anew(names, place)

        running.add(number, work, 2 * BEYOND + 2 * sum(seconds[name] for name in names))
    running.wait()


def _copied(copy: Path) -> None:
    kept = ("anatomy", "tests", "model_configs", "site", "benchmarks", "build.py", "pyproject.toml", "README.md")
    made = shutil.ignore_patterns("__pycache__")
    leave = shutil.ignore_patterns("__pycache__", "page", "builder")
    for name in kept:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=leave if name == "tests" else made)
        else:
            copy.mkdir(exist_ok=True, parents=True)
            shutil.copy2(source, copy / name)
