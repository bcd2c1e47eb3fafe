"""How the page starts: from the snapshot, else the ordinary way; only when wanted; useful before Python is there."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.page.conftest import READY, START_TIMEOUT, Guard, Visit, absent, run
from tests.page.hosts import Host

PACKED = "**/python.*.bin"
START = "document.documentElement.dataset.start"


def test_python_starts_from_the_snapshot(page: Page) -> None:
    assert page.evaluate(START) == "snapshot"
    fetched = "\n".join(page.guard.requests)  # type: ignore[attr-defined]
    # Until the page is ready, neither the standard library nor the package is fetched: both are in the snapshot.
    before = page.evaluate(
        "performance.getEntriesByType('resource').filter((it) => /\\.zip$/.test(it.name)).map((it) => it.name)"
    )
    assert before == []
    assert "/python." in fetched
    assert ".wasm" not in fetched


def test_chance_differs_from_visitor_to_visitor(visit: Visit) -> None:
    code = "import random\nprint(random.random())"
    assert run(visit(), code) != run(visit(), code)


def test_modules_that_the_snapshot_lacks_are_brought_when_they_are_imported(page: Page) -> None:
    code = "import difflib, sqlite3, xml.dom.minidom\nprint(sqlite3.sqlite_version, difflib.SequenceMatcher, 'ok')"
    assert run(page, code).rstrip().endswith("ok")


def test_modules_that_are_nowhere_are_missed_as_ever(page: Page) -> None:
    assert "ModuleNotFoundError: No module named 'nonsense'" in run(page, "import nonsense")


Spoil = Callable[[bytes], bytes]


def sealed(body: bytes) -> bytes:
    """The file with the checksum that its other bytes ask for, as a host's own file would have it."""
    total = 0
    for byte in body[8:]:
        total = (total * 31 + byte) & 0xFFFFFFFF
    return body[:4] + total.to_bytes(4, "little") + body[8:]


def changed(key: bytes) -> Spoil:
    """Another last digit or letter of what the header says there, and nothing else amiss."""

    def spoil(body: bytes) -> bytes:
        found = re.search(rb'"%s":"?[^",]+' % key, body)
        assert found
        at = found.end() - 1
        return sealed(body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :])

    return spoil


def cut(body: bytes) -> bytes:
    return sealed(body[:-100_000])


def damaged(body: bytes) -> bytes:
    """Where Python looks for its library: nothing but the checksum can know that it is another place."""
    at = body.index(b".zip")
    return body[: at - 1] + b"5" + body[at:]


def no_memory(_body: bytes) -> bytes:
    return b"<!doctype html><title>Welcome to the hotel's network</title>"


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        pytest.param(damaged, "the file was damaged on its way", id="damaged"),
        pytest.param(no_memory, "the file was damaged on its way", id="another page instead"),
        pytest.param(cut, "the snapshot is cut short", id="cut short"),
        pytest.param(changed(b"build"), "the snapshot is of another build of Pyodide", id="another build"),
        pytest.param(changed(b"sum"), "the snapshot is of other WebAssembly than this", id="another base"),
        pytest.param(changed(b"size"), "the snapshot is of other WebAssembly than this", id="another size"),
    ],
)
def test_each_check_of_a_spoilt_snapshot_lets_python_start_the_ordinary_way(
    visit: Visit, spoil: Spoil, reason: str
) -> None:
    said: list[str] = []

    def prepare(page: Page) -> None:
        page.on("console", lambda message: said.append(message.text))
        page.route(PACKED, lambda route: route.fulfill(body=spoil(route.fetch().body())))

    page = visit(prepare=prepare)
    assert page.evaluate(START) == "ordinary"
    assert f"Python starts the ordinary way: {reason}" in said
    page.select_option("#model", "llama-3-70b")
    expect(page.locator("#figures [data-figure=parameters]").first).to_contain_text("70.6B")


def test_without_its_file_python_starts_the_ordinary_way(visit: Visit) -> None:
    def spoil(page: Page) -> None:
        page.guard.expected += ["status of 404"]  # type: ignore[attr-defined]
        page.route(PACKED, absent)

    page = visit(prepare=spoil)
    assert page.evaluate(START) == "ordinary"
    assert run(page, "import difflib\nprint(6 * 7)").strip() == "42"


STORY = """
window.story = [];
new MutationObserver(() => {
  const said = document.documentElement?.dataset.python;
  if (said && said !== story.at(-1)) story.push(said);
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-python"] });
"""


def test_a_file_broken_off_on_its_way_is_no_failure_while_another_way_is_tried(visit: Visit, host: Host) -> None:
    host.cut = {path for path in host.files if path.endswith(".bin")}

    def prepare(page: Page) -> None:
        page.guard.expected += ["net::ERR_"]  # type: ignore[attr-defined]
        page.add_init_script(STORY)

    page = visit(host.url, prepare=prepare)
    assert page.evaluate(START) == "ordinary"
    assert [said for said in page.evaluate("story") if said != "waiting"] == ["loading", "ready"]


# As browsers do where their user forbids pages to keep anything; some have no databases at all.
FORBIDDEN = """
for (const name of ["localStorage", "sessionStorage", "indexedDB"]) {
  const get = () => { throw new DOMException("The operation is insecure.", "SecurityError"); };
  Object.defineProperty(globalThis, name, { configurable: true, get });
}
"""
NO_DATABASES = "Object.defineProperty(globalThis, 'indexedDB', { configurable: true, value: undefined });"
REFUSED = "IDBFactory.prototype.open = () => { throw new DOMException('Refused.', 'SecurityError'); };"


@pytest.mark.parametrize("script", [FORBIDDEN, NO_DATABASES, REFUSED], ids=["forbidden", "no databases", "refused"])
def test_python_starts_where_nothing_may_be_kept(visit: Visit, script: str) -> None:
    page = visit(prepare=lambda page: page.add_init_script(script))
    says = page.locator("#python-status")
    if script == FORBIDDEN:
        expect(says).to_contain_text("This browser forbids pages to keep anything, so nothing is kept.")
    else:
        expect(says).not_to_contain_text("forbids")
    page.select_option("#model", "llama-3-70b")
    expect(page.locator("#figures [data-figure=parameters]").first).to_contain_text("70.6B")
    assert run(page, "print(6 * 7)").strip() == "42"


# As Pyodide itself does where its Python breaks off: after this it answers nothing.
DIES = """
(async () => {
  const { interpreter } = document.getElementById("cell").dataset;
  const python = await (await import(new URL(interpreter, document.baseURI))).loadPyodide({});
  try { python._api.fatal_error(new RangeError("Maximum call stack size exceeded")); } catch {}
})()
"""


def test_python_that_ends_is_said_and_started_again_with_what_was_chosen(visit: Visit) -> None:
    page = visit()
    page.guard.expected += ["atal", "Maximum call stack"]  # type: ignore[attr-defined]
    page.select_option("#model", "llama-3-70b")
    page.wait_for_function("location.hash.includes('llama-3-70b')")
    page.evaluate(DIES)
    expect(page.locator("html")).to_have_attribute("data-python", "failed")
    expect(page.locator("#python-status")).to_contain_text("Python has ended")
    page.locator("#start-again").press("Enter")
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    expect(page.locator("#model")).to_have_value("llama-3-70b")


NONE = "globalThis.Worker = class { constructor() { throw new Error('none here'); } }"
BROKEN = """
  globalThis.Worker = class extends EventTarget {
    constructor() { super(); setTimeout(() => this.onerror?.(new Event("error", { cancelable: true }))); }
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


@pytest.mark.parametrize("suffix", [".bin", ".zip"])
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

    page = visit(where, ready=False, prepare=lambda page: page.route(PACKED, hold))
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
        name = entry.locator("summary .name").evaluate("(it) => it.firstChild.textContent")
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


def test_on_a_slow_line_it_is_said_how_much_has_come_and_what_was_chosen_is_pending(visit: Visit, host: Host) -> None:
    (packed,) = (path for path in host.files if path.endswith(".bin"))
    host.waits[packed] = threading.Event()
    page = visit(host.url, ready=False)
    whole = len(host.files[packed])
    half = f"{whole // 2 / 1e6:.1f} of {whole / 1e6:.1f}"
    page.wait_for_selector(f'#python-status[data-came="{half}"]')
    shown = "getComputedStyle(document.querySelector('main')).opacity"
    assert page.evaluate(shown) == "1"
    page.select_option("#model", "llama-3-70b")
    assert page.evaluate(shown) == "0.35"
    expect(page.locator("#python-status")).to_have_text("Python is loading; Llama 3 70B takes effect when it is ready.")
    after = "getComputedStyle(document.getElementById('python-status'), '::after').content"
    assert page.evaluate(after) == f'" {half} MB have come."'
    host.waits[packed].set()
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    expect(page.locator("#diagram h2")).to_have_text("Llama 3 70B")
    assert page.evaluate(shown) == "1"
    assert page.evaluate(after) == "none"


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
    assert page.locator("html").get_attribute("data-pending") == ""
