"""How many plausible faults in what folds and words the tests see: mutants drawn by a fixed seed, killed / all.

python benchmarks/mutants.py                                  2,000 of them, at most two hours on two cores
python benchmarks/mutants.py --number 200 --seed 7            a smaller sample, drawn anew
python benchmarks/mutants.py --only anatomy/words --show      of some modules, the surviving ones as differences

The operators are mutmut's. What they make of a string literal counts only where that holds a figure or is a key.
Those that change nothing anyone can see are listed, each with its reason, in benchmarks/equivalent_mutants.json.
Needs the extras "test" and "mutants".
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from pathlib import Path

import coverage
import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation.mutators import mutation_operators

ROOT = Path(__file__).resolve().parent.parent
EQUIVALENT = ROOT / "benchmarks" / "equivalent_mutants.json"
# What folds the rows into figures for the faces, and what words and draws them.
MUTATED = ("anatomy/report", "anatomy/words", "anatomy/visit", "anatomy/views", "anatomy/commands")
# The tests without a browser that run in a moment; doctests are some of them.
TESTS = (
    *MUTATED,
    *(f"tests/{name}" for name in ("report", "words", "visit", "views", "commands", "teaching", "test_cli.py")),
)
# A mutant meets the quickest tests that run its line first, and if it survives these, more of them; in seconds.
BUDGETS = (1.5, 25.0)
# These see the most, so they come first once the quickest have seen nothing.
BROAD = ("tests/views/test_approved.py", "tests/commands/test_values.py")
# Seconds of the processor, and of the clock, after which a mutant counts as one that never ends.
TIMEOUT, WALL = 90, 900
KEY = re.compile(r'"[\w-]+"(?=: )')
KILLED, SURVIVED, TIMED_OUT = "killed", "survived", "timed out"


@dataclass(frozen=True)
class Mutant:
    """One fault: the file, the line and function it is in, what stood there and what stands there now."""

    path: str
    line: int
    last: int
    function: str
    was: str
    now: str
    source: str

    @property
    def name(self) -> str:
        """The function, with its file."""
        return f"{self.path}::{self.function}"


class Finder(cst.CSTVisitor):
    """Every mutant of a module: mutmut's operators, applied to decorated functions and constants too."""

    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)

    def __init__(self) -> None:
        self.found: list[tuple[cst.CSTNode, cst.CSTNode, str, tuple[int, int]]] = []
        self.within: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Note the mutants of a node; annotations, decorators and imports are no behaviour."""
        if isinstance(node, cst.Annotation | cst.Decorator | cst.Import | cst.ImportFrom | cst.Assert):
            return False
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value in ("len", "isinstance"):
            return False
        if isinstance(node, cst.Assign) and _names_a_type(node):
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.within.append(node.name.value)
        for kind, operator in mutation_operators:
            if isinstance(node, kind) and (not isinstance(node, cst.BaseString) or self._tells(node)):
                for mutated in operator(node):
                    at = self.get_metadata(PositionProvider, node)
                    self.found.append((node, mutated, ".".join(self.within), (at.start.line, at.end.line)))
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """Leave a function or class."""
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self.within.pop()

    def _tells(self, node: cst.BaseString) -> bool:
        """Whether a string literal holds a figure or is a key."""
        if isinstance(node, cst.SimpleString) and any(letter.isdigit() for letter in node.value):
            return True
        parent = self.get_metadata(ParentNodeProvider, node)
        if isinstance(parent, cst.DictElement):
            return parent.key is node
        return isinstance(parent, cst.Index | cst.ComparisonTarget | cst.Comparison)


def _names_a_type(node: cst.Assign) -> bool:
    """Whether an assignment names a type, which nothing reads at run time."""
    words = cst.Module([]).code_for_node(node)
    return any(word in words for word in ("Callable[", "= str | ", "= tuple[", "= int | ", "Mapping[str, Value]"))


def drawn(only: Sequence[str], number: int, seed: int) -> tuple[list[Mutant], int]:
    """Mutants of the modules, drawn by a seed, and how many there are to draw from."""
    places = [ROOT / place for place in only]
    files = sorted(file for place in places for file in (place.rglob("*.py") if place.is_dir() else [place]))
    found = []
    for file in files:
        wrapper = MetadataWrapper(cst.parse_module(file.read_text(encoding="utf-8")))
        finder = Finder()
        wrapper.visit(finder)
        found += [(file, wrapper.module, *one) for one in finder.found]
    chosen = random.Random(seed).sample(found, min(number, len(found)))
    return [_made(*one) for one in chosen], len(found)


def _made(
    file: Path, module: cst.Module, node: cst.CSTNode, mutated: cst.CSTNode, function: str, at: tuple[int, int]
) -> Mutant:
    source = cst.ensure_type(module.deep_replace(node, mutated), cst.Module).code
    was, now = _difference(module.code, source)
    return Mutant(file.relative_to(ROOT).as_posix(), *at, function, was, now, source)


def _difference(before: str, after: str) -> tuple[str, str]:
    """The lines in which two texts differ, without the space around them."""
    old, new = before.splitlines(), after.splitlines()
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    return " ".join(line.strip() for line in old), " ".join(line.strip() for line in new)


class Seen:
    """A pytest plugin that notes which lines each test runs, with nothing remembered from the tests before it."""

    def __init__(self) -> None:
        self.coverage = coverage.Coverage(data_file=None, include=[f"{place}/*" for place in MUTATED])
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Of tests that walk the catalogue keep one model of each kind."""
        from anatomy.catalog import entries
        from tests.second_count import KINDS

        left_out = entries().keys() - KINDS
        items[:] = [one for one in items if left_out.isdisjoint(_given(one))]

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Run a test under its own name."""
        _forget()
        self.coverage.switch_context(item.nodeid)
        start = time.process_time()
        yield
        self.seconds[item.nodeid] = time.process_time() - start
        self.coverage.switch_context("")


def _given(item: pytest.Item) -> set[str]:
    """The words that a test is run with."""
    spec = getattr(item, "callspec", None)
    return {one for one in spec.params.values() if isinstance(one, str)} if spec else set()


def _forget() -> None:
    """Empty the caches of the package, but that of the catalogue, which no mutant is in."""
    for name, module in list(sys.modules.items()):
        if name.startswith("anatomy.") and name != "anatomy.catalog":
            for value in list(vars(module).values()):
                if isinstance(value, _lru_cache_wrapper):
                    value.cache_clear()
        if name == "anatomy.views.page":
            vars(module).get("_made", {}).clear()


def coverage_of_tests(into: Path) -> None:
    """Run the tests once and write, for every line of the modules, the tests that run it with their seconds."""
    seen = Seen()
    seen.coverage.start()
    status = pytest.main(["-q", "-n0", "-p", "no:cacheprovider", *TESTS], plugins=[seen])
    seen.coverage.stop()
    if status:
        raise SystemExit("benchmarks/mutants.py: the tests fail without any mutant")
    data = seen.coverage.get_data()
    lines = {
        Path(file).relative_to(ROOT).as_posix(): {
            line: [one for one in contexts if one] for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    into.write_text(json.dumps({"lines": lines, "seconds": seen.seconds}))


class Chosen:
    """A pytest plugin that keeps some of the tests, the quickest first."""

    def __init__(self, names: Sequence[str]) -> None:
        self.places = {name: at for at, name in enumerate(names)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Drop the others."""
        items[:] = sorted((one for one in items if one.nodeid in self.places), key=lambda one: self.places[one.nodeid])


class Tests:
    """Which tests run a line, and how long each takes."""

    def __init__(self, file: Path) -> None:
        found = json.loads(file.read_text())
        self.seconds: dict[str, float] = found["seconds"]
        self.lines: dict[str, dict[int, list[str]]] = {
            path: {int(line): tests for line, tests in lines.items()} for path, lines in found["lines"].items()
        }

    def of(self, mutant: Mutant, budget: float, broad: Sequence[str]) -> list[str]:
        """The quickest tests that run a mutant's lines (those of its module where it is no function's), in a budget."""
        lines = self.lines.get(mutant.path, {})
        at = range(mutant.line, mutant.last + 1)
        names = {test for line in at for test in lines.get(line, ())}
        if not names:
            names = {test for tests in lines.values() for test in tests}
        chosen: list[str] = []
        spent = 0.0
        for name in sorted(names, key=lambda one: (not one.startswith(tuple(broad)), self.seconds[one], one)):
            spent += self.seconds[name]
            if spent > budget and chosen:
                break
            chosen.append(name)
        return chosen


def tried(mutant: Mutant, tests: Tests, copy: Path, budgets: Sequence[float] = BUDGETS) -> str:
    """What becomes of a mutant in a copy of the project."""
    file, kept = copy / mutant.path, (copy / mutant.path).stat()
    original = file.read_bytes()
    file.write_text(mutant.source, encoding="utf-8")
    try:
        known: list[str] = []
        for budget, broad in zip(budgets, ((), BROAD), strict=False):
            names = tests.of(mutant, budget, broad)
            if names == known:
                break
            fate = _run([name for name in names if name not in known], copy)
            if fate != SURVIVED:
                return fate
            known = names
        return SURVIVED
    finally:
        file.write_bytes(original)
        os.utime(file, ns=(kept.st_atime_ns, kept.st_mtime_ns))


def _run(names: Sequence[str], copy: Path) -> str:
    pid = os.fork()
    if not pid:
        _child(names, copy)
    began = time.monotonic()
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            code = os.waitstatus_to_exitcode(status)
            return TIMED_OUT if code == -signal.SIGXCPU else SURVIVED if code == 0 else KILLED
        if time.monotonic() - began > WALL:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return TIMED_OUT
        time.sleep(0.01)


def _child(names: Sequence[str], copy: Path) -> None:
    status = 1
    resource.setrlimit(resource.RLIMIT_CPU, (TIMEOUT, TIMEOUT + 5))
    try:
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        os.chdir(copy)
        sys.path[:] = [str(copy), *(place for place in sys.path if Path(place).resolve() != ROOT)]
        sys.dont_write_bytecode = True
        files = list(dict.fromkeys(name.partition("::")[0] for name in names))
        options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "--tb=no", "--assert=plain"]
        status = int(pytest.main([*options, *files], plugins=[Chosen(names)]))
    finally:
        os._exit(status)


def _worker(wanted: Sequence[Mutant], seen: Path, home: Path, number: int, until: float) -> list[tuple[Mutant, str]]:
    """Try mutants in a process of its own, which has imported what all tests need and nothing of the project."""
    answers = home / f"answers-{number}.jsonl"
    pid = os.fork()
    if not pid:
        status = 1
        try:
            copy = home / f"copy-{number}"
            _copied(copy)
            tests = Tests(seen)
            # Without a fault all must pass, else what follows would say nothing.
            whole = Mutant(
                "anatomy/views/figures.py", 1, 10**4, "", "", "", (copy / "anatomy/views/figures.py").read_text()
            )
            if tried(whole, tests, copy, BUDGETS[:1]) != SURVIVED:
                raise SystemExit("benchmarks/mutants.py: the tests fail in a copy of the project")
            with answers.open("w") as out:
                for at, mutant in enumerate(wanted):
                    if time.monotonic() > until:
                        break
                    out.write(json.dumps([at, tried(mutant, tests, copy)]) + "\n")
                    out.flush()
            status = 0
        finally:
            os._exit(status)
    os.waitpid(pid, 0)
    return [(wanted[at], fate) for at, fate in map(json.loads, answers.read_text().splitlines())]


def _copied(copy: Path) -> None:
    kept = ("anatomy", "tests", "model_configs", "site", "benchmarks", "build.py", "pyproject.toml", "README.md")
    leave = shutil.ignore_patterns("__pycache__", "page")
    for name in kept:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, copy / name, ignore=leave if name == "tests" else None)
        else:
            copy.mkdir(exist_ok=True, parents=True)
            shutil.copy2(source, copy / name)


def equivalent(mutant: Mutant, listed: Sequence[dict[str, str]]) -> bool:
    """Whether a mutant is listed as one that changes nothing anyone can see."""
    # HTML reads the names of attributes in any case.
    if mutant.path.startswith("anatomy/views/") and '": ' in mutant.was and mutant.was.lower() == mutant.now.lower():
        return _keys_alone(mutant.was, mutant.now)
    return any((one["in"], one["was"], one["now"]) == (mutant.name, mutant.was, mutant.now) for one in listed)


def _keys_alone(was: str, now: str) -> bool:
    """Whether two lines that differ in case do so in the keys of a dict display alone."""
    return KEY.sub("", was) == KEY.sub("", now)


def main() -> None:
    """Draw, try, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=2000, help="how many are drawn (default: 2000)")
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--only", nargs="+", default=MUTATED, metavar="PATH", help="files or folders")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--minutes", type=float, default=115, help="stop after so many (default: 115)")
    parser.add_argument("--show", action="store_true", help="print what survives")
    parser.add_argument("--seen", type=Path, help="keep which tests run which line in this file, or take it from there")
    options = parser.parse_args()
    until = time.monotonic() + options.minutes * 60
    os.chdir(ROOT)
    listed = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    sample, every = drawn(options.only, options.number, options.seed)
    wanted = [one for one in sample if not equivalent(one, listed)]
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        seen = options.seen or home / "seen.json"
        if not seen.exists():
            pid = os.fork()
            if not pid:
                try:
                    coverage_of_tests(seen)
                finally:
                    sys.stdout.flush()
                    os._exit(0)
            os.waitpid(pid, 0)
        for name in ("hypothesis", "xml.etree.ElementTree", "html.parser", "doctest", "unittest"):
            importlib.import_module(name)
        gc.freeze()
        shares = [wanted[at :: options.jobs] for at in range(options.jobs)]
        with ThreadPoolExecutor(options.jobs) as pool:
            work = [pool.submit(_worker, one, seen, home, at, until) for at, one in enumerate(shares)]
            fates = [fate for done in work for fate in done.result()]
    _say(fates, every, len(sample) - len(wanted), options.show)


def _say(fates: Sequence[tuple[Mutant, str]], every: int, left_out: int, show: bool) -> None:
    alive = [mutant for mutant, fate in fates if fate == SURVIVED]
    by_file: dict[str, list[str]] = {}
    for mutant, fate in fates:
        by_file.setdefault(mutant.path, []).append(fate)
    for path, found in sorted(by_file.items()):
        print(f"{len(found) - found.count(SURVIVED):5} of {len(found):5}  {path}")
    if show:
        for mutant in sorted(alive, key=lambda one: (one.path, one.line)):
            print(f"\n{mutant.name}, line {mutant.line}\n- {mutant.was}\n+ {mutant.now}")
    dead = len(fates) - len(alive)
    print(f"\nkilled {dead} of {len(fates)} ({100 * dead / max(1, len(fates)):.1f}%), drawn from {every}; ", end="")
    print(f"{left_out} equivalent ones left out, {[fate for _, fate in fates].count(TIMED_OUT)} killed by time")


if __name__ == "__main__":
    main()
