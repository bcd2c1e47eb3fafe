"""The bar that stays in sight, the line below it, and how tall the page is."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import Visit

# Below what sticks at the top nothing of what has the focus may lie.
COVERED = """() => {
  const one = document.activeElement, bar = document.getElementById("bar");
  if (!one || one === document.body || bar.contains(one) || one.closest("[popover]")) return null;
  const box = one.getBoundingClientRect(), x = box.x + box.width / 2;
  const seen = [box.y + 2, box.y + box.height / 2, box.bottom - 2].map((y) => document.elementFromPoint(x, y));
  return box.height && seen.some((each) => bar.contains(each)) ? one.outerHTML.slice(0, 80) : null;
}"""


@pytest.mark.parametrize(("width", "height", "most"), [(1440, 900, 6500), (390, 844, 9500)])
def test_the_page_is_no_taller_than_it_may_be(visit: Visit, width: int, height: int, most: int) -> None:
    page = visit(viewport={"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollHeight") <= most


@pytest.mark.parametrize(
    ("width", "height", "most"), [(1440, 900, 56), (768, 1024, 56), (390, 844, 48), (360, 225, 48)]
)
def test_the_bar_stays_in_sight_and_low(visit: Visit, width: int, height: int, most: int) -> None:
    page = visit(viewport={"width": width, "height": height})
    page.locator("#notes").scroll_into_view_if_needed()
    page.wait_for_function("scrollY > 1000")
    box = page.locator("#bar .controls").bounding_box()
    assert box
    assert -1 <= box["y"] <= 1
    assert box["height"] <= most
    for control in ("#model", "#seq-len", "[data-headline=parameters]"):
        expect(page.locator(f"#bar {control}")).to_be_in_viewport()


def test_each_headline_figure_opens_its_working_and_escape_closes_it(page: Page) -> None:
    for figure, ending in (("parameters", "= 124,439,808"), ("flops", "= 247,358,976"), ("kv-cache", "= 294,912")):
        page.locator(f"[data-headline={figure}]").press("Enter")
        opened = page.locator(f"#bar-{figure}")
        expect(opened).to_be_visible()
        expect(opened.locator(".equation").last).to_contain_text(ending)
        page.keyboard.press("Escape")
        expect(opened).to_be_hidden()
        expect(page.locator(f"[data-headline={figure}]")).to_be_focused()


def test_on_a_phone_the_rest_of_the_bar_opens(visit: Visit) -> None:
    page = visit(viewport={"width": 390, "height": 844})
    slider = page.locator("#seq-len-slider")
    expect(slider).to_be_hidden()
    page.locator("#bar-fold").click()
    slider.press("End")
    expect(page.locator("#seq-len")).to_have_value("1024")
    expect(slider).to_be_visible()
    expect(page.locator("[data-headline=kv-cache] data")).to_have_text("37.7 MB")


def test_the_link_to_what_is_shown_can_be_copied(visit: Visit) -> None:
    page = visit("#model=llama-3-8b&t=64&part=mlp", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#copy-link").click()
    expect(page.locator("#told")).to_have_text("The link to what the page shows is copied.")
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert page.url.endswith("#model=llama-3-8b&t=64&part=mlp")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (720, 450), (360, 225)])
def test_what_has_the_focus_is_never_covered(visit: Visit, width: int, height: int) -> None:
    page = visit(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.locator("#kept").evaluate("(one) => { one.open = true; }")
    # With a line that is told.
    page.locator("#seq-len").fill("16")
    page.locator("#seq-len").blur()
    expect(page.locator("#told")).to_be_visible()
    seen: list[str] = []
    while not seen or seen[-1] != "forget-copy":
        page.keyboard.press("Tab")
        assert page.evaluate(COVERED) is None
        seen.append(page.evaluate("document.activeElement.id"))
        assert len(seen) < 250
    assert len(seen) > 60
    assert {"code-cell", "own-config"} <= set(seen)
    for _ in range(30):
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(COVERED) is None


@pytest.mark.parametrize("width", [1440, 768, 390])
def test_selecting_a_part_leaves_the_panels_heading_in_sight(visit: Visit, width: int) -> None:
    page = visit("#model=deepseek-v3", viewport={"width": width, "height": 800})
    for part in ("embedding", "experts", "unembedding"):
        page.locator(f"#diagram [data-part={part}]").last.click()
        heading = page.locator("#panel h2")
        expect(heading).to_have_text(re.compile("mbedding|Routed experts"))
        expect(heading).to_be_in_viewport()
    page.locator("#diagram [data-part=final-norm]").press("Enter")
    expect(page.locator("#panel h2")).to_have_text("Final norm")
    expect(page.locator("#panel h2")).to_be_in_viewport()


def test_what_solves_a_challenge_is_said_at_once_and_gone_at_the_next_act(page: Page) -> None:
    page.select_option("#model", "llama-3-70b")
    said = "the MLPs hold 56,371,445,760 of 70,553,706,496 parameters, 80%"
    expect(page.locator("#told")).to_contain_text(said)
    page.locator("#diagram [data-part=mlp]").click()
    expect(page.locator("#told")).not_to_contain_text(said)
    expect(page.locator("li[data-challenge=mlp]")).to_contain_text(said)


def test_in_a_frame_the_top_of_the_diagram_is_in_sight(visit: Visit) -> None:
    page = visit(viewport={"width": 700, "height": 500})
    box = page.locator("#diagram").bounding_box()
    assert box
    assert box["y"] + 250 <= 500


def test_from_700_pixels_on_diagram_and_panel_stand_side_by_side(visit: Visit) -> None:
    page = visit(viewport={"width": 768, "height": 1024})
    diagram, panel = page.locator("#diagram").bounding_box(), page.locator("#panel").bounding_box()
    assert diagram
    assert panel
    assert panel["x"] >= diagram["x"] + diagram["width"]
    expect(page.locator("#panel h2")).to_be_in_viewport()
