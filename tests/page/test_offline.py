"""The copy that a browser keeps: it works with the server gone, changes version as a whole, and fails harmlessly."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, expect

from tests.page.conftest import READY, START_TIMEOUT, Guard
from tests.page.hosts import Host, version

WORKS = "This copy works offline"
OFFER = "A newer version is ready: reload"
CACHES = "caches.keys().then((names) => names.length)"
# Whether no newer version waits, once none is being fetched any more (`wait_for_function` would not await a promise).
GIVEN_UP = """
async () => {
  const registration = await navigator.serviceWorker.getRegistration();
  while (registration.installing) {
    const worker = registration.installing;
    await new Promise((resolve) => worker.addEventListener("statechange", resolve, { once: true }));
  }
  return !registration.waiting;
}
"""
KEYS = "Object.keys(localStorage).filter((key) => key !== 'neighbour').map((key) => key.split(' ').at(-1)).sort()"


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


REDIRECTS = {
    "/": ({"/": "/index.html"}, {}),
    "/index.html": ({"/index.html": "/"}, {}),
    "once, to the page": ({}, {"/": "/index.html"}),
    "once, by a login": ({"/login": "/"}, {"/": "/login"}),
    "once, every file": ({}, {}),
}


@pytest.mark.parametrize(("redirects", "bounces"), REDIRECTS.values(), ids=REDIRECTS)
def test_what_came_by_a_redirect_is_kept_as_the_page_it_is(
    visitor: BrowserContext, host: Host, redirects: dict[str, str], bounces: dict[str, str]
) -> None:
    page = visitor.new_page()
    page.goto(host.url + "index.html")
    # From here on it is the worker that asks.
    host.redirects, host.bounces = dict(redirects), dict(bounces)
    if not redirects and not bounces:
        # Scripts apart: of a worker's own no browser takes a redirect, and a module of two addresses is two modules.
        host.bounces = {f"/{path}": f"/moved/{path}" for path in host.files if not path.endswith(".js")}
        host.files |= {f"moved/{path}": data for path, data in host.files.items()}
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)
    for _ in range(2):
        for address in ("", "index.html"):
            page.goto("about:blank")
            page.goto(host.url + address)
            assert title(ready(page)).endswith("one")
        host.stop()


def test_a_copy_whose_address_lacks_its_slash_is_found_and_kept(visitor: BrowserContext, host: Host) -> None:
    host.files = {f"a/{path}": data for path, data in host.files.items()}
    host.redirects = {"/a": "/a/"}
    page = visitor.new_page()
    page.goto(f"{host.url}a")
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)
    page.goto("about:blank")
    page.goto(f"{host.url}a")
    ready(page)
    host.stop()
    page.goto(f"{host.url}a/")
    ready(page)


def test_a_page_to_log_in_at_is_not_kept_as_this_one(visitor: BrowserContext, host: Host) -> None:
    host.files["login"] = b"<!doctype html><title>Log in</title>"
    page = visitor.new_page()
    page.goto(host.url + "index.html")
    host.redirects = {"/": "/login"}
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text("could not keep it", timeout=START_TIMEOUT)
    host.redirects.clear()
    page.goto(host.url)
    assert title(ready(page)).endswith("one")
    expect(page.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)


# As a worker did that kept and answered what it had received.
TRUSTING = ("found && !found.redirected", "found")
POISON = """
async () => {
  const [name] = await caches.keys();
  const page = await fetch("moved");
  if (page.redirected) await (await caches.open(name)).put("./", page);
  return page.redirected;
}
"""


def test_a_browser_that_a_redirect_has_locked_out_gets_in_again(
    visitor: BrowserContext, host: Host, site: dict[str, bytes]
) -> None:
    worker = host.files["service_worker.js"].decode()
    assert worker.count(TRUSTING[0]) == 1
    host.files["service_worker.js"] = worker.replace(*TRUSTING).encode()
    page = kept(visitor, host)
    host.redirects = {"/moved": "/index.html"}
    assert page.evaluate(POISON)
    with pytest.raises(Error, match="ERR_FAILED"):
        page.goto(host.url)
    host.files = version(site, "two")
    host.asked.clear()
    with pytest.raises(Error, match="ERR_FAILED"):
        page.goto(host.url)
    # The failure was what had the browser look for a newer worker, which mends the page before it fetches anything.
    host.await_request("service_worker.js")
    host.await_request("index.html")
    page.goto(host.url)
    ready(page)


def test_a_worker_that_has_lost_the_page_leaves_it_to_the_network(visitor: BrowserContext, host: Host) -> None:
    page = kept(visitor, host)
    host.redirects = {"/moved": "/index.html"}
    assert page.evaluate(POISON)
    page.goto(host.url)
    assert title(ready(page)).endswith("one")
    page.evaluate("caches.keys().then((names) => Promise.all(names.map((name) => caches.delete(name))))")
    page.goto(host.url)
    assert title(ready(page)).endswith("one")


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


def other_cell(site: dict[str, bytes]) -> dict[str, bytes]:
    """A second version whose cell has a worker of another name."""
    (before,) = (path for path in site if path.startswith("cell_worker."))
    after = "cell_worker.0123456789.py"
    page = site["index.html"].replace(before.encode(), after.encode())
    files = {path: data for path, data in site.items() if path != before}
    return version({**files, "index.html": page, after: site[before]}, "two")


def test_a_version_taken_in_one_tab_is_offered_in_the_others(
    visitor: BrowserContext, host: Host, site: dict[str, bytes]
) -> None:
    taking = kept(visitor, host)
    other = visitor.new_page()
    other.goto(host.url)
    ready(other)
    other.evaluate("window.here = 'still'")
    host.files = other_cell(site)
    taking.reload()
    ready(taking)
    expect(taking.locator("#python-status")).to_contain_text(OFFER, timeout=START_TIMEOUT)
    taking.get_by_role("button", name="reload").click()
    expect(taking.locator("h1")).to_contain_text("two", timeout=START_TIMEOUT)
    ready(taking)
    expect(taking.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)
    # The other works on as it is, with what its own version has kept: the host has its worker no more.
    expect(other.locator("#python-status")).to_contain_text(OFFER)
    use(other)
    assert other.evaluate("window.here") == "still"
    assert title(other).endswith("one")
    other.get_by_role("button", name="reload").click()
    expect(other.locator("h1")).to_contain_text("two", timeout=START_TIMEOUT)
    use(ready(other))
    # Nobody needs the first version now.
    taking.close()
    other.reload()
    ready(other)
    expect(other.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)
    assert other.evaluate(CACHES) == 1


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
    assert page.evaluate(GIVEN_UP)
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
    page.evaluate("localStorage.setItem('anatomy:code', '1'); localStorage.setItem('neighbour', '1')")
    assert page.evaluate("Object.keys(localStorage).length") >= 3
    page.locator("#kept summary").click()
    with page.expect_navigation():
        page.locator("#forget").click()
    ready(page)
    # What another page of the same host keeps is not ours to remove.
    assert page.evaluate("Object.keys(localStorage)") == ["neighbour"]
    expect(page.locator("#model")).to_have_value("gpt2")
    expect(page.locator("#challenges-progress")).to_contain_text("0 of")
    assert "mine" not in page.locator("#code-cell").input_value()


def test_what_is_kept_can_be_removed_while_python_is_loading(visitor: BrowserContext, host: Host) -> None:
    page = visitor.new_page()
    page.goto(host.url)
    ready(page)
    page.select_option("#model", "mistral-7b-v0.1")
    expect(page.locator("li[data-challenge=mlp]")).to_have_attribute("data-done", "true")
    assert page.evaluate(KEYS) == ["solved"]
    page.route("**/python.*.bin", lambda route: None)  # never answered: Python goes on loading
    page.goto(host.url + "?again")
    page.wait_for_selector('html[data-python="loading"]', state="attached")
    page.unroute_all()
    page.locator("#kept summary").click()
    with page.expect_navigation():
        page.locator("#forget").click()
    ready(page)
    assert page.evaluate(KEYS) == []


def test_the_offline_copy_can_be_removed_and_comes_back_with_the_next_visit(
    visitor: BrowserContext, host: Host
) -> None:
    page = kept(visitor, host)
    page.locator("#code-cell").fill("print('mine')")
    page.locator("#kept summary").click()
    page.get_by_role("button", name="Remove the offline copy").click()
    expect(page.locator("#offline-status")).to_contain_text("The offline copy is removed")
    assert page.evaluate(CACHES) == 0
    assert page.evaluate(KEYS) == ["code"]
    # Removing the rest too must not bring it back.
    with page.expect_navigation():
        page.get_by_role("button", name="Remove what you left").click()
    ready(page)
    expect(page.locator("#offline-status")).to_contain_text("The offline copy is removed")
    assert page.evaluate(KEYS) == []
    assert page.evaluate(CACHES) == 0
    assert page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
    page.close()
    kept(visitor, host)


def test_the_offline_copy_can_be_removed_while_python_is_loading(visitor: BrowserContext, host: Host) -> None:
    page = kept(visitor, host)
    # Long before Python is there.
    page.add_init_script("addEventListener('DOMContentLoaded', () => document.getElementById('forget-copy').click())")
    page.goto(host.url + "?again")
    expect(page.locator("#offline-status")).to_contain_text("The offline copy is removed")
    assert page.evaluate(CACHES) == 0


def test_no_database_is_opened(visitor: BrowserContext, host: Host) -> None:
    page = kept(visitor, host)
    page.goto(host.url + "THIRD-PARTY.txt")  # a page without Python, which has the browser's own databases
    assert page.evaluate("indexedDB.databases()") == []


def test_two_copies_on_one_host_leave_each_other_alone(
    visitor: BrowserContext, host: Host, site: dict[str, bytes]
) -> None:
    copies = {name: version(site, name) for name in ("one", "two")}
    host.files = {f"{name}/{path}": data for name, files in copies.items() for path, data in files.items()}
    page = visitor.new_page()
    for name in copies:
        page.goto(f"{host.url}{name}/")
        ready(page)
        expect(page.locator("#offline-status")).to_contain_text(WORKS, timeout=START_TIMEOUT)
        page.locator("#code-cell").fill(f"print({name!r})")
    # What one of them forgets is its own.
    page.locator("#kept summary").click()
    with page.expect_navigation():
        page.locator("#forget").click()
    ready(page)
    assert "print('two')" not in page.locator("#code-cell").input_value()
    page.locator("#kept summary").click()
    page.get_by_role("button", name="Remove the offline copy").click()
    expect(page.locator("#offline-status")).to_contain_text("The offline copy is removed")
    host.stop()
    page.goto(f"{host.url}one/")
    ready(page)
    expect(page.locator("h1")).to_contain_text("one")
    assert page.locator("#code-cell").input_value() == "print('one')"


def test_what_was_kept_for_all_copies_of_a_host_is_taken_over_by_the_first(visitor: BrowserContext, host: Host) -> None:
    host.files = {f"{name}/{path}": data for name in ("one", "two") for path, data in host.files.items()}
    page = visitor.new_page()
    page.goto(host.url + "one/THIRD-PARTY.txt")
    page.evaluate("localStorage['anatomy:code'] = 'print(1)'; localStorage['anatomy:solved'] = '[\"mlp\"]'")
    for name, code in (("one", True), ("two", False), ("one", True)):
        page.goto(f"{host.url}{name}/")
        ready(page)
        assert (page.locator("#code-cell").input_value() == "print(1)") == code
        expect(page.locator("li[data-challenge=mlp]")).to_have_attribute("data-done", str(code).lower())
    assert page.evaluate(KEYS) == ["code", "solved"]


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
