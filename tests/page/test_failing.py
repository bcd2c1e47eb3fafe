"""Python that fails, or hangs: the page says so in a sentence and stays readable."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.page.conftest import Visit, absent

FAILED = 'html[data-python="failed"]'


def wrong_type(route: Route) -> None:
    """Answer WebAssembly with a type that browsers refuse to compile from."""
    answer = route.fetch()
    route.fulfill(response=answer, headers={**answer.headers, "content-type": "text/plain"})


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        ("**/*.wasm*", wrong_type),
        ("**/*.wasm*", absent),
        ("**/core*.js", absent),
        ("**/main*.py", absent),
        ("**/preparer*.js", absent),
        ("**/materials*.js", absent),
    ],
    ids=["wasm of a wrong type", "no wasm", "no PyScript", "no main.py", "no preparer", "no materials"],
)
def test_a_start_that_fails_is_said_and_the_page_stays_readable(visit: Visit, pattern: str, answer: object) -> None:
    def spoil(page: Page) -> None:
        page.guard.expected += [""]  # type: ignore[attr-defined]
        page.route(pattern, answer)  # type: ignore[arg-type]

    page = visit(ready=False, prepare=spoil)
    page.wait_for_selector(f"{FAILED}, html[data-python=ready]", state="attached", timeout=60_000)
    if page.locator("html").get_attribute("data-python") == "failed":
        expect(page.locator("#python-status")).to_contain_text("Python could not start")
        page.locator("#all-parts > summary").click()
        page.locator("details[data-part=mlp] summary").click()
        expect(page.locator("details[data-part=mlp] p").first).to_be_visible()
        expect(page.locator("#figures [data-figure=parameters]")).to_contain_text("124M")
