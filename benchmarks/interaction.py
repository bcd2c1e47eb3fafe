"""Time from a reader's input to the painted answer, over the whole catalogue: select a part, change model, drag T.

python benchmarks/interaction.py
"""

import argparse
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from playwright.sync_api import Page

import build
from anatomy.commands.ask import whole_number
from benchmarks.browser import Link, chromium, hosting, load, new_page

FRAME = 1000 / 60
# The input as an event, then two moments: when its handling and the layout it made necessary are over, and when that is
# painted (the first task after the next frame).
MEASURE = """
async ([selector, value, kind]) => {
  const control = document.querySelector(selector);
  await new Promise((free) => requestIdleCallback(free));
  const start = performance.now();
  if (value !== null) control.value = value;
  control.dispatchEvent(new (kind === "click" ? MouseEvent : Event)(kind, { bubbles: true, cancelable: true }));
  document.getElementById("panel").getBoundingClientRect();
  const worked = performance.now() - start;
  await new Promise((painted) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = painted;
    channel.port2.postMessage(null);
  }));
  return [worked, performance.now() - start];
}
"""


@dataclass(frozen=True)
class Kind:
    """An interaction and the frames that its work may take at the 95th percentile."""

    name: str
    frames: int


PART, MODEL, LENGTH = Kind("select a part", 1), Kind("change model", 3), Kind("drag T", 1)
Times = dict[Kind, list[tuple[float, float]]]


def measured(page: Page, selector: str, value: str | None, kind: str) -> tuple[float, float]:
    """Milliseconds of work, and until it is painted."""
    worked, painted = page.evaluate(MEASURE, [selector, value, kind])
    page.wait_for_function("document.documentElement.dataset.settled !== 'false'")
    return worked, painted


def walk(page: Page, times: Times) -> None:
    """Every model of the catalogue; in each, every part and ten lengths."""
    slugs = page.locator("#model option").evaluate_all("(all) => all.map((it) => it.value)")
    for slug in slugs[1:] + slugs[:1]:
        times[MODEL].append(measured(page, "#model", slug, "change"))
        entries = page.locator("#parts details[data-part]").count()
        for at in range(entries):
            selector = f"#parts details[data-part]:nth-of-type({at + 1}) summary"
            times[PART].append(measured(page, selector, None, "click"))
        if page.locator("#seq-len-slider").is_enabled():
            low, high = (int(page.locator("#seq-len-slider").get_attribute(name) or 0) for name in ("min", "max"))
            for step in range(1, 11):
                value = str(low + (high - low) * step // 10)
                times[LENGTH].append(measured(page, "#seq-len-slider", value, "input"))


def report(times: Times) -> str:
    """A table of the two percentiles, and whether the goal is met."""
    lines = [f"{'milliseconds':16}{'number':>8}{'work p50':>10}{'p95':>8}{'painted p50':>13}{'p95':>8}{'goal p95':>10}"]
    for kind, each in times.items():
        work, paint = ([one[at] for one in each] for at in (0, 1))
        w50, w95, p50, p95 = (value for found in (work, paint) for value in (statistics.median(found), _high(found)))
        goal = kind.frames * FRAME
        said = "met" if w95 <= goal else "missed"
        lines.append(f"{kind.name:16}{len(each):8}{w50:10.1f}{w95:8.1f}{p50:13.1f}{p95:8.1f}{goal:10.1f} {said}")
    return "\n".join(lines)


def _high(values: Sequence[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=whole_number, default=1, help="walks through the catalogue (default: 1)")
    asked = parser.parse_args(arguments)
    times: Times = {PART: [], MODEL: [], LENGTH: []}
    with chromium() as browser, hosting(build.files(note=lambda _: None)) as host:
        page = new_page(browser.new_context(service_workers="block"), Link("loopback"))
        load(page, host, host.url)
        for _ in range(asked.rounds):
            walk(page, times)
        print(f"Chromium {browser.version}\n")
    print(report(times))
    return 0


if __name__ == "__main__":
    sys.exit(main())
