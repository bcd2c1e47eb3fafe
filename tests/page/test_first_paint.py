"""What is seen first: the masthead, then all of the page, then Python is asked for; and never a page that stays cut."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import READY, START_TIMEOUT, Visit

# Notes, in order, when the page is held back below its masthead, when all of it is shown, and when Python is asked for.
STORY = """
window.story = [];
const note = (what) => story.includes(what) || story.push(what);
new MutationObserver(() => {
  const { top, python } = document.documentElement?.dataset ?? {};
  note(top === undefined ? "whole" : "masthead");
  if (python === "loading") note("python");
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-top", "data-python"] });
"""
NO_FRAMES = "window.requestAnimationFrame = () => 0;"


def scrolled(page: Page) -> float:
    return float(page.evaluate("scrollY"))


def test_the_masthead_comes_first_then_all_of_the_page_then_python(visit: Visit) -> None:
    page = visit(prepare=lambda page: page.add_init_script(STORY))
    assert page.evaluate("story")[:3] == ["masthead", "whole", "python"]
    for part in ("main", "body > footer"):
        expect(page.locator(part)).to_be_visible()


def test_where_no_frame_is_ever_painted_the_page_and_python_come_all_the_same(visit: Visit) -> None:
    page = visit(ready=False, prepare=lambda page: page.add_init_script(NO_FRAMES))
    page.wait_for_selector('html[data-python="loading"]', state="attached")
    assert page.locator("html").get_attribute("data-top") is None
    page.wait_for_selector("html[data-start=snapshot]", state="attached", timeout=START_TIMEOUT)
    expect(page.locator("main")).to_be_visible()


@pytest.mark.parametrize("anchor", ["compute", "check"])
def test_an_address_that_names_a_place_leads_there(visit: Visit, anchor: str) -> None:
    page = visit(f"#{anchor}", prepare=lambda page: page.add_init_script(STORY))
    assert "masthead" not in page.evaluate("story")
    expect(page.locator(f"#{anchor}")).to_be_in_viewport()
    assert scrolled(page) > 500


def test_a_reload_keeps_the_place_that_was_read(visit: Visit) -> None:
    page = visit()
    page.locator("#compute h3").scroll_into_view_if_needed()
    page.wait_for_function("scrollY > 500")
    before = scrolled(page)
    page.reload()
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    page.wait_for_function("(before) => Math.abs(scrollY - before) < 50", arg=before)


def test_a_choice_made_before_python_was_asked_for_takes_effect(visit: Visit) -> None:
    """Even one that is made before the first frame."""
    early = """
    document.addEventListener("DOMContentLoaded", () => {
      document.querySelector("#diagram [data-part=mlp]").dispatchEvent(
        new MouseEvent("click", { bubbles: true, cancelable: true })
      );
    });
    """
    page = visit(prepare=lambda page: page.add_init_script(early))
    expect(page.locator("#panel h2")).to_have_text("MLP")


def test_a_place_chosen_before_the_page_is_shown_is_gone_to(visit: Visit) -> None:
    early = """
    addEventListener("load", () => {
      window.held = "top" in document.documentElement.dataset;
      document.querySelector('.toc a[href="#costs"]').click();
    });
    """
    page = visit(ready=False, prepare=lambda page: page.add_init_script(NO_FRAMES + early))
    page.wait_for_selector("html:not([data-top])", state="attached")
    assert page.evaluate("held")
    expect(page.locator("#costs")).to_be_in_viewport()


def test_what_is_printed_is_never_held_back(page: Page) -> None:
    page.evaluate("document.documentElement.dataset.top = ''")
    expect(page.locator("main")).to_be_hidden()
    page.emulate_media(media="print")
    expect(page.locator("main")).to_be_visible()
    page.evaluate("delete document.documentElement.dataset.top")  # others use this page after it
