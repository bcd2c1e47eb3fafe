"""A real browser on the built page; a console error or a request to another origin fails the test that caused it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Playwright, Request, Route, sync_playwright

import build
from builder.server import running

READY = 'html[data-python="ready"]'
INSTALLED = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
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


@pytest.fixture
def visit(browser: Browser, site_url: str) -> Iterator[Visit]:
    """Open the page in a fresh browser context: ``visit(hash, ready=True, **context options)``."""
    opened: list[tuple[Page, Guard]] = []

    def go(where: str = "", **how: Any) -> Page:
        try:
            return once(where, **how)
        except Error as error:
            # A browser's process that dies (seen once in some thousand loads, as "Target crashed") says nothing of the
            # page, unless it does so again.
            if "crashed" not in str(error):
                raise
            page, _ = opened.pop()
            page.context.close()
            return once(where, **how)

    def once(where: str, *, ready: bool = True, prepare: Callable[[Page], None] | None = None, **options: Any) -> Page:
        context = browser.new_context(**options)
        page = context.new_page()
        url = where if "://" in where else site_url + where
        origin = "{0.scheme}://{0.netloc}".format(urlsplit(url))
        guard = Guard(page, origin)
        page.guard = guard  # type: ignore[attr-defined]
        opened.append((page, guard))
        if prepare:
            prepare(page)
        page.goto(url)
        if ready:
            page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
        return page

    yield go
    for page, _ in opened:
        page.context.close()
    for _, guard in opened:
        guard.check()


@pytest.fixture(scope="module")
def shared_page(browser: Browser, site_url: str) -> Iterator[Page]:
    """One ready page for a whole module's tests that start from any state."""
    context = browser.new_context()
    page = context.new_page()
    guard = Guard(page, "{0.scheme}://{0.netloc}".format(urlsplit(site_url)))
    page.goto(site_url)
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    yield page
    context.close()
    guard.check()


@pytest.fixture
def page(visit: Visit) -> Page:
    """The page as a first visitor finds it, Python ready."""
    return visit()


def absent(route: Route) -> None:
    """Answer as a host does that lacks the file."""
    route.fulfill(status=404, body="not here")


def run(page: Page, code: str) -> str:
    """What the page's cell prints for that code."""
    page.locator("#code-cell").fill(code)
    page.locator("#code-run").click()
    page.wait_for_selector('#code-status[data-state="done"], #code-status[data-state="error"]', timeout=START_TIMEOUT)
    return page.locator("#code-output").inner_text()
