"""Python that fails, or hangs: the page says so in a sentence and stays readable."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.page.conftest import Visit, absent

FAILED = 'html[data-python="failed"]'


@pytest.mark.parametrize(
    "patterns",
    [
        ["**/core*.js"],
        ["**/interpreter*.js"],
        ["**/unpack*.js"],
        ["**/fzstd/**"],
        ["**/python.*.bin", "**/*.wasm"],
        ["**/python.*.bin", "**/app.*.zip"],
    ],
    ids=" and ".join,
)
def test_a_start_that_fails_is_said_and_the_page_stays_readable(visit: Visit, patterns: list[str]) -> None:
    def spoil(page: Page) -> None:
        page.guard.expected += [""]  # type: ignore[attr-defined]
        for pattern in patterns:
            page.route(pattern, absent)

    page = visit(ready=False, prepare=spoil)
    page.wait_for_selector(FAILED, state="attached", timeout=60_000)
    expect(page.locator("#python-status")).to_contain_text("Python could not start")
    page.locator("#all-parts > summary").click()
    page.locator("details[data-part=mlp] summary").click()
    expect(page.locator("details[data-part=mlp] p").first).to_be_visible()
    expect(page.locator("#figures [data-figure=parameters]")).to_contain_text("124M")


def test_webassembly_of_a_wrong_type_is_taken_all_the_same(visit: Visit) -> None:
    def spoil(page: Page) -> None:
        page.guard.expected += ["status of 404"]  # type: ignore[attr-defined]
        page.route("**/python.*.bin", absent)
        page.route("**/*.wasm", wrong_type)

    page = visit(prepare=spoil)
    assert page.evaluate("document.documentElement.dataset.start") == "ordinary"


def wrong_type(route: Route) -> None:
    """Answer WebAssembly with a type that browsers refuse to compile from."""
    answer = route.fetch()
    route.fulfill(response=answer, headers={**answer.headers, "content-type": "text/plain"})
