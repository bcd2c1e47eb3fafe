"""What the benchmarks of the page share: a host as static hosts are, a browser, and the time to ready."""

import gzip
import os
import shutil
import statistics
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [folder for folder in (str(ROOT), str(ROOT / "site")) if folder not in sys.path]

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from builder.server import HOST, SiteHandler

Files = Mapping[str, bytes]

# What hosts of static files compress on the way; GitHub Pages does so too.
COMPRESSED = (".css", ".html", ".js", ".json", ".mjs", ".py", ".svg", ".txt", ".wasm", ".webmanifest")
INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# The moment at which the page says that its Python is ready. A promise, since to ask the page over and over would keep
# it from its work, and the longer the larger it is.
WATCH = """
window.readyAt = new Promise((ready) => {
  new MutationObserver(() => {
    if (document.documentElement?.dataset.python === "ready") ready(performance.now());
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-python"] });
});
"""

LARGEST = """
new Promise((found) => {
  const seen = (list) => found(list.getEntries().at(-1).startTime);
  new PerformanceObserver(seen).observe({ type: "largest-contentful-paint", buffered: true });
})
"""


class Host(ThreadingHTTPServer):
    """Serves files out of memory, compressed where hosts compress, and counts the bytes that it sends."""

    daemon_threads = True

    def __init__(self, files: Files, *, compresses: bool = True) -> None:
        super().__init__((HOST, 0), _Handler)
        self.files = files
        suffixes = COMPRESSED if compresses else ()
        self.packed = {path: gzip.compress(data, 9) for path, data in files.items() if path.endswith(suffixes)}
        self.sent = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address of its root."""
        return f"http://{HOST}:{self.server_port}/"


class _Handler(SiteHandler):
    server: Host

    def do_GET(self) -> None:  # noqa: N802 (the base class names it so)
        """Send a file of the mapping, or say that there is none."""
        path = urlsplit(self.path).path.removeprefix("/")
        if path.endswith("/") or not path:
            path += "index.html"
        data = self.server.files.get(path)
        if data is None:
            self.send_error(404)
            return
        packed = self.server.packed.get(path) if "gzip" in self.headers.get("Accept-Encoding", "") else None
        body = data if packed is None else packed
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(len(body)))
        if packed is not None:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)
        with self.server.lock:
            self.server.sent += len(body)

    def handle(self) -> None:
        """Answer until the browser, which closes its pages while files are on their way, ends the connection."""
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_HEAD(self) -> None:  # noqa: N802
        """Not what a visitor of the page asks for."""
        self.send_error(405)

    def send_header(self, keyword: str, value: str) -> None:
        """As the server that readers start, but to be kept for ten minutes, as GitHub Pages says."""
        super().send_header(keyword, "max-age=600" if keyword == "Cache-Control" else value)


@contextmanager
def hosting(files: Files, *, compresses: bool = True) -> Iterator[Host]:
    """Serve the files for as long as the block runs."""
    with Host(files, compresses=compresses) as host:
        thread = threading.Thread(target=host.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield host
        finally:
            host.shutdown()
            thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    """Headless Chromium: Playwright's own, else an installed one."""
    with sync_playwright() as playwright:
        own = Path(playwright.chromium.executable_path)
        found = None if own.is_file() else next(filter(None, map(shutil.which, INSTALLED)), None)
        # As root (in a container) Chromium runs without its sandbox or not at all.
        sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        options = [*sandbox, "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        launched = playwright.chromium.launch(executable_path=found, args=options)
        yield launched
        launched.close()


@dataclass(frozen=True)
class Link:
    """A network, and a processor, as the browser's own developer tools imitate them."""

    name: str
    megabits: float = 0  # none: as fast as the machine
    milliseconds: float = 0
    slowness: int = 1  # so many times slower than the machine

    def throttle(self, page: Page) -> None:
        """Put the page on this link."""
        if self.slowness > 1:
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": self.slowness})
        if self.megabits:
            rate = self.megabits * 1e6 / 8
            settings = {
                "offline": False,
                "latency": self.milliseconds,
                "downloadThroughput": rate,
                "uploadThroughput": rate,
            }
            page.context.new_cdp_session(page).send("Network.emulateNetworkConditions", settings)


@dataclass(frozen=True)
class Load:
    """One load: milliseconds from the start of navigation, and bytes that the host sent until ready.

    ``painted`` is when anything of the page's content was first seen, ``largest`` when the largest piece of it was.
    """

    painted: float
    largest: float
    ready: float
    sent: int


def load(page: Page, host: Host, url: str) -> Load:
    """Navigate there and wait for Python."""
    before = host.sent
    page.goto(url, wait_until="commit")
    ready = page.evaluate("window.readyAt")
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN")
    return Load(painted, page.evaluate(LARGEST), ready, host.sent - before)


def new_page(context: BrowserContext, link: Link) -> Page:
    """A page of the context on that link that notes when it is ready."""
    page = context.new_page()
    page.add_init_script(WATCH)
    link.throttle(page)
    return page


def median(values: Sequence[Any], key: Callable[[Any], float]) -> float:
    """The median of one figure of each."""
    return statistics.median(map(key, values))
