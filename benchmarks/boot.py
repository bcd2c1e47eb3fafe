"""Time to first paint and to ready, of this page and of a stock PyScript page of the same packages, in one run.

python benchmarks/boot.py                    seven cold loads each, on loopback
python benchmarks/boot.py --all              every link, and warm and from the service worker too
python benchmarks/boot.py --link phone       a processor four times slower
python benchmarks/boot.py --uncompressed     from hosts that compress nothing
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from playwright.sync_api import Browser

import build
from anatomy.commands.ask import whole_number
from benchmarks.browser import Files, Host, Link, Load, chromium, hosting, load, median, new_page
from builder import pins, runtime

LINKS = {
    "loopback": Link("loopback"),
    "50": Link("50 Mbit/s, 20 ms", 50, 20),
    "10": Link("10 Mbit/s, 40 ms", 10, 40),
    "phone": Link("loopback, processor / 4", slowness=4),
}
NAMES = ("this", "stock")
COLD, WARM, WORKER = "cold", "warm", "service worker"
# A browser that has just opened a window is busy with it for this long; a visitor's is there already.
SETTLING = 1000

# PyScript as its documentation starts it, but with the packages beside the page: nothing is hinted, nothing prepared.
STOCK = """<!doctype html>
<html lang="en" data-python="loading">
<meta charset="utf-8">
<title>Stock</title>
<link rel="icon" href="data:,">
<script type="module" src="pyscript/core.js"></script>
<h1>A stock PyScript page</h1>
<script type="py" config='{"interpreter": "./pyodide/pyodide.mjs"}'>
from pyscript import document
document.documentElement.dataset.python = "ready"
</script>
"""


def stock() -> Files:
    """The stock page and all files of the pinned packages, as npm has them."""
    pinned = pins.read(build.RUNTIME)
    packed = runtime.contents(pinned, build.CACHE)
    files = {f"{p.folder}/{f.name}": packed[p.name, f.path] for p in pinned.packages for f in p.files}
    return files | {"index.html": STOCK.encode()}


def visits(browser: Browser, host: Host, link: Link, kinds: Sequence[str]) -> Iterator[tuple[str, Load]]:
    """A first visitor's loads: cold, then again, then again once the service worker has taken the page over."""
    context = browser.new_context(service_workers="allow" if WORKER in kinds else "block")
    page = new_page(context, link)
    page.wait_for_timeout(SETTLING)
    yield COLD, load(page, host, host.url)
    if WARM in kinds:
        page.goto("about:blank")
        yield WARM, load(page, host, host.url)
    if WORKER in kinds and page.evaluate("'serviceWorker' in navigator && !!document.getElementById('offline-status')"):
        page.evaluate("navigator.serviceWorker.ready.then(() => null)")
        page.goto("about:blank")
        yield WORKER, load(page, host, host.url)
    context.close()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print a table, and the ratio of the two pages for each line of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--repeat", type=whole_number, default=7, help="first visits of each page and link (default: 7)"
    )
    parser.add_argument("--link", action="append", choices=LINKS, help="a link (default: loopback; may be repeated)")
    parser.add_argument("--all", action="store_true", help="all links; cold, warm and from the service worker")
    parser.add_argument("--uncompressed", action="store_true", help="from hosts that compress nothing")
    parser.add_argument("--json", type=Path, help="also write the single loads there")
    asked = parser.parse_args(arguments)
    kinds = (COLD, WARM, WORKER) if asked.all else (COLD,)
    links = [LINKS[name] for name in (LINKS if asked.all else asked.link or ["loopback"])]
    loads: dict[tuple[str, str, str], list[Load]] = {}
    how = {"compresses": not asked.uncompressed}
    site = build.files(note=lambda _: None)
    with chromium() as browser, hosting(site, **how) as ours, hosting(stock(), **how) as theirs:
        for link in links:
            for _ in range(asked.repeat):
                # In turn, so that whatever else the machine does falls on both alike.
                for name, host in zip(NAMES, (ours, theirs), strict=True):
                    for kind, one in visits(browser, host, link, kinds):
                        loads.setdefault((link.name, kind, name), []).append(one)
        version = browser.version
    print(f"Chromium {version}, {asked.repeat} first visits of each page; medians of milliseconds; kilobytes sent\n")
    print(f"{'':28}{'first paint':>16}{'largest':>16}{'ready':>16}{'':8}{'kB':>16}")
    pair = "".join(f"{name:>8}" for name in NAMES)
    print(f"{'':28}{3 * pair}{'ratio':>8}{pair}")
    for link in links:
        for kind in kinds:
            mine, other = (loads.get((link.name, kind, name), []) for name in NAMES)
            # A stock page has no service worker: its warm load is what there is to compare with.
            other = other or loads[link.name, WARM, NAMES[1]]
            if mine:
                print(_line(f"{link.name}, {kind}", mine, other))
    if asked.json:
        record = {" | ".join(key): [vars(one) for one in each] for key, each in loads.items()}
        asked.json.write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    return 0


def _pair(figures: Sequence[float]) -> str:
    return "".join(f"{one:8.0f}" for one in figures)


def _line(name: str, mine: Sequence[Load], other: Sequence[Load]) -> str:
    painted = [median(each, lambda one: one.painted) for each in (mine, other)]
    largest = [median(each, lambda one: one.largest) for each in (mine, other)]
    ready = [median(each, lambda one: one.ready) for each in (mine, other)]
    sent = [median(each, lambda one: one.sent) / 1000 for each in (mine, other)]
    return f"{name:28}{_pair(painted)}{_pair(largest)}{_pair(ready)}{ready[0] / ready[1]:8.2f}{_pair(sent)}"


if __name__ == "__main__":
    sys.exit(main())
