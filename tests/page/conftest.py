"""A real browser on the built page; a console error or a request to another origin fails the test that caused it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    Request,
    Route,
    ViewportSize,
    sync_playwright,
)

import build
from builder.server import running

READY = 'html[data-python="ready"]'
# The first is Chromium without the furniture of a window, which costs more than most tests.
INSTALLED = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
APPLICATIONS = (Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),)
# Milliseconds that Python may take to start where many tests share a machine.
START_TIMEOUT = 120_000


class Guard:
    """What went wrong on a page: console errors, uncaught errors, requests that leave the site."""

    def __init__(self, page: Page, origin: str) -> None:
        self.origin = origin
        self.troubles: list[str] = []
        self.requests: list[str] = []
        # Texts that a test means to provoke.
        self.expected: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._trouble(f"uncaught: {error}"))
        page.context.on("request", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self._trouble(f"console: {message.text} ({message.location.get('url')})")

    def _request(self, request: Request) -> None:
        self.requests.append(request.url)
        parts = urlsplit(request.url)
        if parts.scheme not in ("blob", "data", "about") and f"{parts.scheme}://{parts.netloc}" != self.origin:
            self._trouble(f"request to another origin: {request.url}")

    def _trouble(self, text: str) -> None:
        self.troubles.append(text)

    def forget(self) -> None:
        """Begin anew."""
        for told in (self.troubles, self.requests, self.expected):
            told.clear()

    def check(self) -> None:
        """Fail where anything went wrong that the test did not mean to provoke."""
        left = [one for one in self.troubles if not any(word in one for word in self.expected)]
        assert not left, "\n".join(left)


def _executable(playwright: Playwright) -> str | None:
    """Playwright's own browser (None), else an installed one, else what its installer brings."""
    own = Path(playwright.chromium.executable_path)
    if own.is_file():
        return None
    for name in INSTALLED:
        if found := shutil.which(name):
            return found
    for application in APPLICATIONS:
        if application.is_file():
            return str(application)
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or not own.is_file():
        pytest.fail(
            "The page tests need a browser and found none: install Chromium or Chrome (on Debian: apt-get install "
            f"chromium), or let Playwright fetch one. {' '.join(command[1:])} said:\n{done.stdout}{done.stderr}"
        )
    return None


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Playwright itself."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """Headless Chromium."""
    # As root (in a container) Chromium runs without its sandbox or not at all.
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    options = [*sandbox, "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    launched = playwright.chromium.launch(executable_path=_executable(playwright), args=options)
    yield launched
    launched.close()


@pytest.fixture(scope="session")
def site_folder(site: build.Files, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site in a folder."""
    folder = tmp_path_factory.mktemp("dist")
    build.write(site, folder)
    return folder


@pytest.fixture(scope="session")
def site_url(site_folder: Path) -> Iterator[str]:
    """The built site, served under a path as a project page of GitHub's is."""
    parent = site_folder.parent
    with running(parent) as url:
        yield f"{url}{site_folder.name}/"


Visit = Callable[..., Page]
DESK: ViewportSize = {"width": 1280, "height": 720}
# The state of a first visitor, as an address that says all of it.
FIRST = "#model=gpt2&t=8&part=attention"
# Workings that a former test opened are closed, and nothing has the focus.
TIDY = """() => {
  for (const one of document.querySelectorAll("details[open]:not([data-part])")) one.open = false;
  document.activeElement?.blur();
  scrollTo(0, 0);
}"""
FORGET = "localStorage.clear(); sessionStorage.clear()"


def origin_of(url: str) -> str:
    """The origin of an address."""
    return "{0.scheme}://{0.netloc}".format(urlsplit(url))


class Tab:
    """The one tab that a worker's tests use in turn: a load there takes half of what it takes a new browser context."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._page: Page | None = None

    def opened(self, url: str) -> Page:
        """The page at that address as a first visitor finds it."""
        page = self._cleared(url)
        if page.url != "about:blank":
            page.evaluate(FORGET)
            # An address that differs in its hash alone would load nothing.
            page.goto("about:blank")
        self._load(page, url)
        return page

    def kept(self, url: str) -> Page:
        """The page there in the first state, with whatever else former tests have left on it."""
        page = self._cleared(url)
        if page.url.partition("#")[0] != url or page.locator(READY).count() == 0:
            self._load(page, url)
        page.evaluate(TIDY)
        show(page, FIRST)
        return page

    def check(self) -> None:
        """Fail where anything has gone wrong since the page was last asked for; the next test then has a new tab."""
        if self._page is None:
            return
        guard: Guard = self._page.guard  # type: ignore[attr-defined]
        try:
            self._page.evaluate("1")  # what the browser has told before this has been heard
            guard.check()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Leave the browser to others."""
        if self._page:
            self._page.context.close()
        self._page = None

    def _cleared(self, url: str) -> Page:
        if self._page is None:
            # No copy for later: it would answer in the site's place, and is made anew in each context.
            self._page = self._browser.new_context(service_workers="block", viewport=DESK).new_page()
            self._page.guard = Guard(self._page, origin_of(url))  # type: ignore[attr-defined]
        page = self._page
        page.guard.forget()  # type: ignore[attr-defined]
        page.unroute_all()
        page.set_viewport_size(DESK)
        page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
        return page

    def _load(self, page: Page, url: str) -> None:
        page.goto(url)
        page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Tab]:
    """The tab of this worker's tests."""
    tab = Tab(browser)
    yield tab
    tab.close()


@pytest.fixture
def visit(browser: Browser, site_url: str, tab: Tab) -> Iterator[Visit]:
    """Open the page: ``visit(hash)`` in the worker's tab, with ``ready``, ``prepare`` or options in one of its own."""
    opened: list[Page] = []

    def go(where: str = "", **how: Any) -> Page:
        url = where if "://" in where else site_url + where
        try:
            return once(url, **how)
        except Error as error:
            # A browser's process that dies (seen once in some thousand loads, as "Target crashed") says nothing of the
            # page, unless it does so again.
            if "crashed" not in str(error):
                raise
            if alike(url, how):
                tab.close()
            else:
                opened.pop().context.close()
            return once(url, **how)

    def once(url: str, **how: Any) -> Page:
        return tab.opened(url) if alike(url, how) else in_context(url, **how)

    def alike(url: str, how: Mapping[str, Any]) -> bool:
        """Whether it is the worker's tab that is asked for."""
        return url.startswith(site_url) and not how

    def in_context(url: str, *, ready: bool = True, prepare: Callable[[Page], None] | None = None, **how: Any) -> Page:
        page = browser.new_context(**how).new_page()
        page.guard = Guard(page, origin_of(url))  # type: ignore[attr-defined]
        opened.append(page)
        if prepare:
            prepare(page)
        page.goto(url)
        if ready:
            page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
        return page

    yield go
    try:
        for page in opened:
            page.context.cookies()  # what the browser has told before this has been heard
            page.guard.check()  # type: ignore[attr-defined]
        tab.check()
    finally:
        # After that: what a page still fetches then fails, which says nothing of it.
        for page in opened:
            page.context.close()


@pytest.fixture
def shared_page(tab: Tab, site_url: str) -> Iterator[Page]:
    """The ready page in its first state, not loaded anew: for tests that keep nothing and ask for nothing kept."""
    yield tab.kept(site_url)
    tab.check()


@pytest.fixture
def page(visit: Visit) -> Page:
    """The page as a first visitor finds it, Python ready."""
    return visit()


def show(page: Page, where: str) -> None:
    """Have a page that is ready show the state of another address, a hash that says all of it."""
    page.evaluate("(hash) => { location.hash = hash; }", where)
    # An address that was there already changes nothing, and then nothing has to settle.
    page.wait_for_function(
        "(hash) => location.hash === hash && document.documentElement.dataset.settled !== 'false'", arg=where
    )


def absent(route: Route) -> None:
    """Answer as a host does that lacks the file."""
    route.fulfill(status=404, body="not here")


def run(page: Page, code: str) -> str:
    """What the page's cell prints for that code."""
    page.locator("#code-cell").fill(code)
    page.locator("#code-run").click()
    page.wait_for_selector('#code-status[data-state="done"], #code-status[data-state="error"]', timeout=START_TIMEOUT)
    return page.locator("#code-output").inner_text()
