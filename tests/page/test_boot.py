"""How the page starts: from the snapshot, else the ordinary way; only when wanted; useful before Python is there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.page.conftest import READY, START_TIMEOUT, Guard, Visit, absent, run
from tests.page.hosts import Host

SNAPSHOT = "**/snapshot.*.bin"
START = "document.documentElement.dataset.start"
Answer = Callable[[Route], None]


def test_python_starts_from_the_snapshot(page: Page) -> None:
    assert page.evaluate(START) == "snapshot"
    fetched = "\n".join(page.guard.requests)  # type: ignore[attr-defined]
    # Until the page is ready, neither the standard library nor the package is fetched: both are in the snapshot.
    before = page.evaluate(
        "performance.getEntriesByType('resource').filter((it) => /\\.zip$/.test(it.name)).map((it) => it.name)"
    )
    assert before == []
    assert "snapshot." in fetched


def test_chance_differs_from_visitor_to_visitor(visit: Visit) -> None:
    code = "import random\nprint(random.random())"
    assert run(visit(), code) != run(visit(), code)


def test_modules_that_the_snapshot_lacks_are_brought_when_they_are_imported(page: Page) -> None:
    code = "import difflib, sqlite3, xml.dom.minidom\nprint(sqlite3.sqlite_version, difflib.SequenceMatcher, 'ok')"
    assert run(page, code).rstrip().endswith("ok")


def test_modules_that_are_nowhere_are_missed_as_ever(page: Page) -> None:
    assert "ModuleNotFoundError: No module named 'nonsense'" in run(page, "import nonsense")


def spoilt(body: bytes, at: int, by: int = 0xFF) -> bytes:
    return body[:at] + bytes([body[at] ^ by]) + body[at + 1 :]


def cut(route: Route) -> None:
    route.fulfill(body=route.fetch().body()[:1_000_000])


def corrupt(route: Route) -> None:
    body = route.fetch().body()
    route.fulfill(body=spoilt(body, len(body) // 2))


def page_instead(route: Route) -> None:
    route.fulfill(body="<!doctype html><title>Welcome to the hotel's network</title>", content_type="text/html")


def of_another_build(route: Route) -> None:
    body = route.fetch().body()
    route.fulfill(body=spoilt(body, body.index(b'"build":"') + len(b'"build":"'), 1))


def of_other_webassembly(route: Route) -> None:
    body = route.fetch().body()
    # The last digit of the checksum, another digit.
    route.fulfill(body=spoilt(body, re.search(rb'"sum":-?\d+', body).end() - 1, 1))  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "answer", [absent, cut, corrupt, page_instead, of_another_build, of_other_webassembly], ids=lambda it: it.__name__
)
def test_with_a_spoilt_snapshot_python_starts_the_ordinary_way(visit: Visit, answer: Answer) -> None:
    def spoil(page: Page) -> None:
        page.guard.expected += ["status of 404"]  # type: ignore[attr-defined]
        page.route(SNAPSHOT, answer)

    page = visit(prepare=spoil)
    assert page.evaluate(START) == "ordinary"
    page.select_option("#model", "llama-3-70b")
    expect(page.locator("#figures [data-figure=parameters]").first).to_contain_text("70.6B")
    assert run(page, "import difflib\nprint(6 * 7)").strip() == "42"


NONE = "globalThis.Worker = class { constructor() { throw new Error('none here'); } }"
BROKEN = """
  globalThis.Worker = class extends EventTarget {
    constructor() { super(); setTimeout(() => this.onerror?.(new Event("error"))); }
    terminate() {}
  }
"""


@pytest.mark.parametrize("worker", [NONE, BROKEN], ids=["none", "broken"])
def test_without_a_worker_the_page_makes_ready_by_itself_what_python_starts_from(visit: Visit, worker: str) -> None:
    page = visit(prepare=lambda page: page.add_init_script(worker))
    assert page.evaluate(START) == "snapshot"


@pytest.fixture
def host(site: dict[str, bytes]) -> Iterator[Host]:
    host = Host(site)
    yield host
    host.stop()


@pytest.mark.parametrize("suffix", [".wasm", ".bin", ".zip"])
def test_a_host_that_sends_a_wrong_type_does_not_matter(visit: Visit, host: Host, suffix: str) -> None:
    host.types[suffix] = "text/plain"
    page = visit(host.url)
    assert page.evaluate(START) == "snapshot"


def test_nothing_of_python_is_fetched_on_a_metered_connection_until_something_is_chosen(visit: Visit) -> None:
    def spare(page: Page) -> None:
        page.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")

    page = visit(ready=False, prepare=spare)
    expect(page.locator("#python-status")).to_contain_text("To spare your data")
    expect(page.locator("#offline-status")).to_contain_text("to spare your data")
    assert page.locator("html").get_attribute("data-python") == "waiting"
    assert not [url for url in page.guard.requests if "pyodide" in url or "pyscript" in url]  # type: ignore[attr-defined]
    page.locator("#diagram [data-part=mlp]").click()
    expect(page.locator("#panel h2")).to_have_text("MLP")
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    expect(page.locator("#panel h2")).to_have_text("MLP")
    expect(page.locator("#panel table.shapes")).to_be_visible()


def held(visit: Visit, where: str = "") -> tuple[Page, Callable[[], None]]:
    """The page before Python, and what lets Python come."""
    routes: list[Route] = []
    released = False

    def hold(route: Route) -> None:
        if released:
            route.continue_()
        else:
            routes.append(route)

    page = visit(where, ready=False, prepare=lambda page: page.route("**/*.wasm", hold))
    page.wait_for_selector('html[data-python="loading"]', state="attached")

    def release() -> None:
        nonlocal released
        released = True
        for route in routes:
            route.continue_()
        page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)

    return page, release


def test_before_python_every_part_of_the_model_can_be_read_in_the_panel(visit: Visit) -> None:
    page, release = held(visit)
    parts = page.locator("details[data-part]").evaluate_all("(all) => all.map((it) => it.dataset.part)")
    assert len(parts) >= 7
    for part in parts:
        page.locator(f'#diagram [data-part="{part}"]').first.click()
        entry = page.locator(f'details[data-part="{part}"]')
        name = entry.locator(".name").evaluate("(it) => it.firstChild.textContent")
        expect(page.locator("#panel h2")).to_have_text(name)
        expect(page.locator("#told")).to_contain_text(name)
        counted = entry.locator("[data-count]").first.get_attribute("value")
        assert page.locator("#panel [data-count]").first.get_attribute("value") == counted
        current = page.locator("[aria-current=true]").evaluate_all("(all) => all.map((it) => it.dataset.part)")
        assert set(current) == {part}
    ids = page.locator("[id]").evaluate_all("(all) => all.map((it) => it.id)")
    assert len(ids) == len(set(ids))
    release()
    # All of them were visited, so the sum of the parts is the whole model.
    expect(page.locator("#panel h2")).to_have_text(name)
    assert page.url.endswith(f"part={parts[-1]}")


def test_another_model_and_length_chosen_before_python_take_effect_when_it_is_ready(visit: Visit) -> None:
    page, release = held(visit)
    page.select_option("#model", "llama-3-70b")
    page.locator("#seq-len").fill("512")
    expect(page.locator("#python-status")).to_contain_text("takes effect when it is ready")
    release()
    expect(page.locator("#figures [data-figure=parameters]").first).to_contain_text("70.6B")
    expect(page.locator("#seq-len")).to_have_value("512")
    assert "model=llama-3-70b" in page.url
    assert "t=512" in page.url


def test_a_browser_without_webassembly_gets_a_readable_page_and_a_sentence(visit: Visit) -> None:
    page = visit(ready=False, prepare=lambda page: page.add_init_script("delete globalThis.WebAssembly"))
    page.wait_for_selector('html[data-python="failed"]', state="attached")
    expect(page.locator("#python-status")).to_contain_text("this browser has no WebAssembly")
    page.locator("#all-parts > summary").click()
    page.locator("details[data-part=mlp] summary").click()
    expect(page.locator("details[data-part=mlp] p").first).to_be_visible()


def test_the_guard_sees_the_policy_kept(browser: Browser, host: Host) -> None:
    page = browser.new_page()
    guard = Guard(page, host.url.rstrip("/"))
    page.add_init_script("addEventListener('securitypolicyviolation', (it) => console.error(it.violatedDirective))")
    page.goto(host.url)
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    run(page, "print(1)")
    page.close()
    guard.check()


def test_a_part_that_the_address_names_is_shown_before_python(visit: Visit) -> None:
    page, release = held(visit, "#model=gpt2&t=8&part=mlp")
    expect(page.locator("#panel h2")).to_have_text("MLP")
    release()
    expect(page.locator("#panel h2")).to_have_text("MLP")


def test_where_python_waits_it_is_said_that_the_address_names_something_else(visit: Visit) -> None:
    def spare(page: Page) -> None:
        page.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")

    page = visit("#model=llama-3-70b&t=8192&part=mlp", ready=False, prepare=spare)
    expect(page.locator("#python-status")).to_contain_text("what the address names is shown then")
    expect(page.locator("#panel h2")).not_to_have_text("MLP")
