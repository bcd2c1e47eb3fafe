"""The copy that a browser keeps: it works with the server gone, changes version as a whole, and fails harmlessly."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.page.conftest import READY, START_TIMEOUT, Guard
from tests.page.hosts import Host, version

WORKS = "This copy works offline"
OFFER = "A newer version is ready: reload"
CACHES = "caches.keys().then((names) => names.length)"
# A database of another page of the host, and how much it holds.
OPENED = """
(name) => new Promise((resolve, reject) => {
  const request = indexedDB.open(name);
  request.onupgradeneeded = () => request.result.createObjectStore("store", { autoIncrement: true });
  request.onsuccess = () => {
    const store = request.result.transaction("store", "readwrite").objectStore("store");
    const asked = store.%s;
    asked.onsuccess = () => { request.result.close(); resolve(asked.result); };
  };
  request.onerror = reject;
})
"""
FILL, FILLED = OPENED % "add('kept')", OPENED % "count()"


@pytest.fixture
def host(site: dict[str, bytes]) -> Iterator[Host]:
    """The site's first version on a host of its own."""
    host = Host(version(site, "one"))
    yield host
    host.stop()


@pytest.fixture
def visitor(browser: Browser, host: Host) -> Iterator[BrowserContext]:
    """A browser that has not been here before; any trouble on its pages fails the test."""
    context = browser.new_context()
    guards: list[Guard] = []

    def watch(page: Page) -> None:
        guard = Guard(page, host.url.rstrip("/"))
        # The browser itself says that it could not look for a newer version.
        guard.expected += ["net::ERR_CONNECTION", "Failed to load resource"]
        guards.append(guard)

    context.on("page", watch)
    yield context
    context.close()
    for guard in guards:
        guard.check()


def ready(page: Page) -> Page:
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    return page


def kept(context: BrowserContext, host: Host) -> Page:
    """A first visit, until the copy is said to work offline."""
    page = context.new_page()
    page.goto(host.url)
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)
    return page


def title(page: Page) -> str:
    return page.locator("h1").inner_text()


def gone(host: Host) -> None:
    host.stop()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(host.url, timeout=5)


def use(page: Page) -> None:
    """A little of everything that needs Python."""
    page.select_option("#model", "llama-3-70b")
    expect(page.locator("#figures [data-figure=parameters]").first).to_contain_text("70.6B")
    page.evaluate("document.getElementById('all-parts').open = true")
    page.locator('details[data-part="mlp"] summary').click()
    expect(page.locator("#panel h2")).to_contain_text("MLP")
    page.locator("#code-cell").fill("import difflib\nprint(6 * 7, difflib.__name__)")
    page.locator("#code-run").click()
    expect(page.locator("#code-output")).to_contain_text("42 difflib", timeout=START_TIMEOUT)


def test_after_one_visit_everything_works_without_the_server_twice_in_a_row(
    visitor: BrowserContext, host: Host
) -> None:
    page = kept(visitor, host)
    for _ in range(2):
        gone(host)
        page.goto("about:blank")
        page.goto(host.url)
        use(ready(page))
        page.reload()
        ready(page)
        other = visitor.new_page()
        other.goto(f"{host.url}#model=llama-3-8b")
        expect(ready(other).locator("#model")).to_have_value("llama-3-8b")
        other.close()
        host.start()


def test_the_footer_says_how_far_the_copy_is(visitor: BrowserContext, host: Host) -> None:
    page = visitor.new_page()
    host.cut = {path for path in host.files if path.endswith("python_stdlib.zip")}
    page.goto(host.url)
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text("does not work offline: the browser could not keep it")
    host.cut = set()
    page.reload()
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)


def test_a_newer_version_is_offered_and_taken_as_a_whole(
    visitor: BrowserContext, host: Host, site: dict[str, bytes]
) -> None:
    page = kept(visitor, host)
    host.files = version(site, "two")
    host.asked.clear()
    page.reload()
    assert title(ready(page)).endswith("one")
    expect(page.locator("#python-status")).to_contain_text(OFFER, timeout=START_TIMEOUT)
    # Only what changed was downloaded.
    assert not [path for path in host.asked if path.endswith((".wasm", ".bin", ".zip"))]
    page.reload()
    assert title(ready(page)).endswith("one")
    expect(page.locator("#python-status")).to_contain_text(OFFER, timeout=START_TIMEOUT)
    page.get_by_role("button", name="reload").click()
    expect(page.locator("h1")).to_contain_text("two", timeout=START_TIMEOUT)
    ready(page)
    assert page.evaluate(CACHES) == 1
    gone(host)
    page.reload()
    assert title(ready(page)).endswith("two")


def other_notices(site: dict[str, bytes]) -> dict[str, bytes]:
    """A second version whose notices are others."""
    return version({**site, "THIRD-PARTY.txt": site["THIRD-PARTY.txt"] + b"\nMore.\n"}, "two")


Spoil = Callable[[Host], None]


def break_off(host: Host) -> None:
    host.cut = {"THIRD-PARTY.txt"}


def mix(host: Host) -> None:
    host.files["THIRD-PARTY.txt"] = b"of yet another version"


@pytest.mark.parametrize("spoil", [break_off, mix])
def test_an_update_that_does_not_come_whole_leaves_the_old_version_working(
    visitor: BrowserContext, host: Host, site: dict[str, bytes], spoil: Spoil
) -> None:
    page = kept(visitor, host)
    second = other_notices(site)
    host.files = dict(second)
    spoil(host)
    host.asked.clear()
    page.reload()
    assert title(ready(page)).endswith("one")
    host.await_request("THIRD-PARTY.txt")
    page.wait_for_function("navigator.serviceWorker.getRegistration().then((it) => !it.installing && !it.waiting)")
    assert page.locator("#update").count() == 0
    gone(host)
    page.reload()
    assert title(ready(page)).endswith("one")
    host.start()
    host.cut, host.files = set(), second
    page.reload()
    ready(page)
    expect(page.locator("#python-status")).to_contain_text(OFFER, timeout=START_TIMEOUT)


def test_where_there_is_no_room_the_page_works_and_says_so(visitor: BrowserContext, host: Host) -> None:
    page = visitor.new_page()
    session = visitor.new_cdp_session(page)
    session.send("Storage.overrideQuotaForOrigin", {"origin": host.url.rstrip("/"), "quotaSize": 5_000_000})
    page.goto(host.url)
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text("does not work offline", timeout=START_TIMEOUT)
    expect(page.locator("#offline-status")).to_contain_text("could not keep it", timeout=START_TIMEOUT)
    use(page)
    assert page.evaluate(CACHES) == 0


def test_the_page_can_be_installed(visitor: BrowserContext, host: Host) -> None:
    page = kept(visitor, host)
    session = visitor.new_cdp_session(page)
    assert session.send("Page.getAppManifest")["errors"] == []
    errors = session.send("Page.getInstallabilityErrors")["installabilityErrors"]
    # The tests' browser contexts are private windows, which install nothing.
    assert {error["errorId"] for error in errors} <= {"in-incognito"}


def test_one_button_removes_all_that_visits_have_left(visitor: BrowserContext, host: Host) -> None:
    page = visitor.new_page()
    page.goto(host.url)
    ready(page)
    page.select_option("#model", "mistral-7b-v0.1")
    page.locator("#code-cell").fill("print('mine')")
    page.evaluate("localStorage.setItem('anatomy:other', '1'); localStorage.setItem('neighbour', '1')")
    for name in ("neighbour", "IDBMap/neighbour"):
        page.evaluate(FILL, name)
    assert page.evaluate("Object.keys(localStorage).length") >= 3
    page.locator("#kept summary").click()
    with page.expect_navigation():
        page.locator("#forget").click()
    ready(page)
    # What another page of the same host keeps is not ours to remove.
    assert page.evaluate("Object.keys(localStorage)") == ["neighbour"]
    for name in ("neighbour", "IDBMap/neighbour"):
        assert page.evaluate(FILLED, name) == 1
    expect(page.locator("#model")).to_have_value("gpt2")
    expect(page.locator("#challenges-progress")).to_contain_text("0 of")
    assert "mine" not in page.locator("#code-cell").input_value()


def test_what_is_kept_can_be_removed_while_python_is_loading(visitor: BrowserContext, host: Host) -> None:
    page = visitor.new_page()
    page.goto(host.url)
    ready(page)
    page.evaluate("localStorage.setItem('anatomy:other', '1')")
    page.route("**/python.*.bin", lambda route: None)  # never answered: Python goes on loading
    page.goto(host.url + "?again")
    page.wait_for_selector('html[data-python="loading"]', state="attached")
    page.unroute_all()
    page.locator("#kept summary").click()
    with page.expect_navigation():
        page.locator("#forget").click()
    ready(page)
    assert page.evaluate("localStorage.getItem('anatomy:other')") is None


def test_two_copies_on_one_host_leave_each_other_alone(
    visitor: BrowserContext, host: Host, site: dict[str, bytes]
) -> None:
    copies = {name: version(site, name) for name in ("one", "two")}
    host.files = {f"{name}/{path}": data for name, files in copies.items() for path, data in files.items()}
    for name in copies:
        page = visitor.new_page()
        page.goto(f"{host.url}{name}/")
        ready(page)
        expect(page.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)
    host.stop()
    for name in copies:
        page.goto(f"{host.url}{name}/")
        ready(page)
        expect(page.locator("h1")).to_contain_text(name)


def test_files_that_the_browser_has_thrown_away_are_kept_again(visitor: BrowserContext, host: Host) -> None:
    page = kept(visitor, host)
    page.evaluate("caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))")
    page.reload()
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)
    assert page.evaluate(CACHES) == 1
    host.stop()
    page.reload()
    ready(page)
