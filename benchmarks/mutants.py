"""How many plausible faults in what folds and words the tests see: mutants drawn by a fixed seed, killed / all.

python benchmarks/mutants.py                                  2,000 of them, at most two hours on two cores
python benchmarks/mutants.py --number 200 --seed 7            a smaller sample, drawn anew
python benchmarks/mutants.py --only anatomy/words --show      of some modules, the surviving ones as differences
python benchmarks/mutants.py --kept .cache/mutants.json       go on where a run broke off; later, only what survived

The operators are mutmut's. What they make of a string literal counts only where that holds a figure or is a key.
Those that change nothing anyone can see are listed, each with its reason, in benchmarks/equivalent_mutants.json.
Needs the extras "test" and "mutants".
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation.mutators import mutation_operators

ROOT = Path(__file__).resolve().parent.parent
# In place of this folder, whose modules have names that others have too.
sys.path[0] = str(ROOT)

from benchmarks.trying import MUTATED, SURVIVED, TIMED_OUT, Fault, tried

EQUIVALENT = ROOT / "benchmarks" / "equivalent_mutants.json"


@dataclass(frozen=True)
class Mutant:
    """One fault: where it is, what stood there and what stands there now; ``nth`` where a function has it often."""

    path: str
    function: str
    was: str
    now: str
    nth: int
    lines: tuple[int, int]
    module: cst.Module
    node: cst.CSTNode
    mutated: cst.CSTNode

    @property
    def key(self) -> str:
        """What tells it from all others, however the lines around it move."""
        return f"{self.path}::{self.function}: {self.was} -> {self.now}" + (f" ({self.nth + 1})" if self.nth else "")

    def place(self, seed: int) -> str:
        """Where it stands in the draw of a seed, which no change of other lines moves."""
        return hashlib.blake2b(f"{seed} {self.key}".encode()).hexdigest()

    def fault(self) -> Fault:
        """The file with it."""
        source = cst.ensure_type(self.module.deep_replace(self.node, self.mutated), cst.Module).code
        return Fault(self.path, *self.lines, source)

    def difference(self) -> str:
        """The lines that it changes, before and after."""
        old, new = self.module.code.splitlines(), self.fault().source.splitlines()
        while old and new and old[0] == new[0]:
            del old[0], new[0]
        while old and new and old[-1] == new[-1]:
            del old[-1], new[-1]
        said = [f"- {line.strip()}" for line in old] + [f"+ {line.strip()}" for line in new]
        return "\n".join([f"{self.key}, line {self.lines[0]}", *said])


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
        if isinstance(node, cst.Arg) and node.keyword and node.keyword.value == "strict":
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.within.append(node.name.value)
        for kind, operator in mutation_operators:
            if isinstance(node, kind) and (not isinstance(node, cst.BaseString) or self._tells(node)):
                for mutated in operator(node):
                    if _lengths_alone(node, mutated):
                        continue
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


def _lengths_alone(node: cst.CSTNode, mutated: cst.CSTNode) -> bool:
    """Whether a mutant of zip only leaves out that both are of one length, which is an assertion."""
    strict = re.compile(r",\s*(strict=\w+)?\s*(?=\))")
    return isinstance(node, cst.Call) and strict.sub("", _code(node)) == strict.sub("", _code(mutated))


def _names_a_type(node: cst.Assign) -> bool:
    """Whether an assignment names a type, which nothing reads at run time."""
    words = cst.Module([]).code_for_node(node)
    return any(word in words for word in ("Callable[", "= str | ", "= tuple[", "= int | ", "Mapping[str, Value]"))


def every(only: Sequence[str]) -> Iterator[Mutant]:
    """Every mutant of files and folders."""
    places = [ROOT / place for place in only]
    for file in sorted(file for place in places for file in (place.rglob("*.py") if place.is_dir() else [place])):
        wrapper = MetadataWrapper(cst.parse_module(file.read_text(encoding="utf-8")))
        finder = Finder()
        wrapper.visit(finder)
        path, often = file.relative_to(ROOT).as_posix(), Counter[tuple[str, ...]]()
        for node, mutated, function, lines in finder.found:
            words = function, _code(node), _code(mutated)
            yield Mutant(path, *words, often[words], lines, wrapper.module, node, mutated)
            often[words] += 1


def _code(node: cst.CSTNode) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())


def main() -> None:
    """Draw, try, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=2000, help="how many are drawn (default: 2000)")
    parser.add_argument("--seed", type=int, default=20260101)
    parser.add_argument("--only", nargs="+", default=MUTATED, metavar="PATH", help="files or folders")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--minutes", type=float, default=115, help="stop after so many (default: 115)")
    parser.add_argument("--least", type=float, default=0, help="fail where fewer in a hundred are killed")
    parser.add_argument("--show", action="store_true", help="print what survives")
    parser.add_argument("--kept", type=Path, help="a file of what became of each, to go on from")
    options = parser.parse_args()
    until = time.monotonic() + options.minutes * 60
    os.chdir(ROOT)
    listed: dict[str, str] = json.loads(EQUIVALENT.read_text(encoding="utf-8"))
    found = list(every(options.only))
    sample = sorted(found, key=lambda one: one.place(options.seed))[: options.number]
    wanted = [one for one in sample if one.key not in listed]
    fates: dict[str, str] = {}
    if options.kept and options.kept.exists():
        fates = json.loads(options.kept.read_text(encoding="utf-8"))
    # What is new comes first; then what survived meets the tests again.
    trying = [one for one in wanted if one.key not in fates]
    trying += [one for one in wanted if fates.get(one.key) == SURVIVED]

    def heard(number: int, fate: str) -> None:
        fates[trying[number].key] = fate
        if options.kept:
            options.kept.parent.mkdir(parents=True, exist_ok=True)
            options.kept.write_text(json.dumps(fates, indent=0), encoding="utf-8")

    if trying:
        with tempfile.TemporaryDirectory() as folder:
            tried([one.fault() for one in trying], Path(folder).resolve(), options.jobs, until, heard)
    told = [(one, fates[one.key]) for one in wanted if one.key in fates]
    _say(told, len(found), options.show)
    print(f"; {len(sample) - len(wanted)} equivalent ones left out")
    if untried := sum(one.key not in fates for one in wanted):
        raise SystemExit(f"benchmarks/mutants.py: {untried} are untried for want of time")
    if 100 * sum(fate == SURVIVED for _, fate in told) > (100 - options.least) * len(told):
        raise SystemExit(f"benchmarks/mutants.py: fewer than {options.least:g}% are killed")


def _say(fates: Sequence[tuple[Mutant, str]], every: int, show: bool) -> None:
    by_file: dict[str, list[str]] = {}
    for mutant, fate in fates:
        by_file.setdefault(mutant.path, []).append(fate)
    for path, found in sorted(by_file.items()):
        print(f"{len(found) - found.count(SURVIVED):5} of {len(found):5}  {path}")
    if show:
        for mutant in sorted((one for one, fate in fates if fate == SURVIVED), key=lambda one: (one.path, one.lines)):
            print(f"\n{mutant.difference()}")
    all_, alive = [fate for _, fate in fates], [fate for _, fate in fates].count(SURVIVED)
    dead = len(fates) - alive
    print(f"\nkilled {dead} of {len(fates)} ({100 * dead / max(1, len(fates)):.1f}%), ", end="")
    print(f"{all_.count(TIMED_OUT)} of them by time, drawn from {every}", end="")


if __name__ == "__main__":
    main()
