"""Python that fails, or hangs: the page says so in a sentence and stays readable."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.page.conftest import READY, START_TIMEOUT, Visit, absent

FAILED = 'html[data-python="failed"]'


def wrong_type(route: Route) -> None:
    """Answer WebAssembly with a type that browsers refuse to compile from."""
    answer = route.fetch()
    route.fulfill(response=answer, headers={**answer.headers, "content-type": "text/plain"})


def spoilt(visit: Visit, pattern: str, answer: object) -> Page:
    """The page with those files answered otherwise, once its start has come to an end."""

    def spoil(page: Page) -> None:
        page.guard.expected += [""]  # type: ignore[attr-defined]
        page.route(pattern, answer)  # type: ignore[arg-type]

    page = visit(ready=False, prepare=spoil)
    page.wait_for_selector(f"{FAILED}, {READY}", state="attached", timeout=START_TIMEOUT)
    return page


@pytest.mark.parametrize(
    "pattern", ["**/*.wasm*", "**/core*.js", "**/materials*.js"], ids=["WebAssembly", "PyScript", "materials"]
)
def test_a_start_that_fails_is_said_and_the_page_stays_readable(visit: Visit, pattern: str) -> None:
    page = spoilt(visit, pattern, absent)
    expect(page.locator("html")).to_have_attribute("data-python", "failed")
    expect(page.locator("#python-status")).to_contain_text("Python could not start")
    page.locator("#all-parts > summary").click()
    page.locator("details[data-part=mlp] summary").click()
    expect(page.locator("details[data-part=mlp] p").first).to_be_visible()
    expect(page.locator("#figures [data-figure=parameters]")).to_contain_text("124M")


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [("**/*.wasm*", wrong_type), ("**/main*.py", absent), ("**/preparer*.js", absent)],
    ids=["WebAssembly of a wrong type", "main.py, which the snapshot holds", "the preparer"],
)
def test_what_a_start_can_do_without_is_not_missed(visit: Visit, pattern: str, answer: object) -> None:
    page = spoilt(visit, pattern, answer)
    expect(page.locator("html")).to_have_attribute("data-python", "ready")
    page.locator("#diagram [data-part=mlp]").click()
    expect(page.locator("#panel h2")).to_have_text("MLP")
