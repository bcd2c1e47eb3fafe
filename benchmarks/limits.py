"""The counts that must hold, each with its limit: met or not. A limit is a promise; a goal is where it should come to.

python benchmarks/limits.py              JavaScript, work done twice, height of the page, bytes of its start
python benchmarks/limits.py --tests      and the seconds of the test command, which count on two cores that rest
python benchmarks/limits.py --mutants    and the small faults that the tests do not see (at most two hours)
"""

import argparse
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from playwright.sync_api import Browser

import build
from benchmarks import folds
from benchmarks.browser import Host, Link, chromium, hosting, load, new_page

# The page of the default state, GPT-2 small at T = 8: viewports with the height that all of it may take there.
VIEWPORTS = ((1440, 900, 6500), (390, 844, 9500))
HEIGHT = "document.documentElement.scrollHeight"
MUTANTS = (sys.executable, "benchmarks/mutants.py")
TESTS = (sys.executable, "-m", "pytest", "-q")


@dataclass(frozen=True)
class Figure:
    """A count, the most that it may be, and the most that it should be where that is less."""

    name: str
    found: int
    limit: int
    goal: int | None = None

    def line(self) -> str:
        """The figure with its limit, and whether that is met."""
        words = _verdict(self.found, self.limit)
        if self.goal is not None:
            words += f", goal {self.goal:,} {_verdict(self.found, self.goal)}"
        return f"{self.name:<46}{self.found:>8,}  limit{self.limit:>8,}  {words}"


def _verdict(found: int, most: int) -> str:
    return "met" if found <= most else "not met"


def javascript() -> Figure:
    """Lines of the page's own JavaScript."""
    site = ROOT / "site"
    paths = [path for path in site.rglob("*.*js") if site / "builder" not in path.parents]
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in paths)
    return Figure("lines of JavaScript", lines, 900, 750)


def repeated() -> Iterator[Figure]:
    """What is worked out more than once where one thing is chosen otherwise: T, the model, a switch."""
    for what, step in folds.STEPS.items():
        found = folds.per_change(step)
        yield Figure(f"figures worked out again by a change of {what}", found.total() - len(found), 0)


def page(browser: Browser, host: Host) -> Iterator[Figure]:
    """What a first visit is sent until Python is ready, and how high the page then stands."""
    for wide, high, limit in VIEWPORTS:
        context = browser.new_context(viewport={"width": wide, "height": high}, service_workers="block")
        opened = new_page(context, Link("loopback"))
        sent = load(opened, host, host.url).sent
        if wide == VIEWPORTS[0][0]:
            yield Figure("kilobytes of the start", -(-sent // 1000), 6300)
        yield Figure(f"height of the page at {wide} px", int(opened.evaluate(HEIGHT)), limit)
        context.close()


def tests() -> Figure:
    """Seconds of the test command; its failures are its own to tell."""
    began = time.monotonic()
    done = subprocess.run(TESTS, cwd=ROOT, check=False)
    name = "seconds of the tests" + ("" if done.returncode == 0 else " (which failed)")
    return Figure(name, round(time.monotonic() - began), 300)


def survivors(said: str) -> Figure:
    """What the last line of ``benchmarks/mutants.py`` says, as the mutants that live: at most 5 in 100."""
    killed, drawn = map(int, re.findall(r"^killed (\d+) of (\d+) ", said, re.MULTILINE)[-1])
    return Figure(f"mutants that live, of {drawn:,}", drawn - killed, drawn * 5 // 100)


def figures(asked: argparse.Namespace) -> Iterator[Figure]:
    """Each count, as soon as it is known."""
    yield javascript()
    yield from repeated()
    with chromium() as browser, hosting(build.files(note=lambda _: None)) as host:
        yield from page(browser, host)
    if asked.tests:
        yield tests()
    if asked.mutants:
        done = subprocess.run(MUTANTS, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
        yield survivors(done.stdout)


def main(arguments: Sequence[str] | None = None) -> int:
    """Count, and print a line for each; 1 where a limit is not met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", action="store_true", help="time the test command too")
    parser.add_argument("--mutants", action="store_true", help="run benchmarks/mutants.py too")
    held = True
    for figure in figures(parser.parse_args(arguments)):
        print(figure.line(), flush=True)
        held = held and figure.found <= figure.limit
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
