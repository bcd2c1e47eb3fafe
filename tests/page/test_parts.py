"""Selecting parts: by mouse, by touch, by keyboard; announced, focused, each once in the tab order."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

import anatomy
from anatomy.report.anatomy import default_seq_len, describe
from tests.kinds import WALKED
from tests.page.conftest import Visit
from tests.page.test_reading import PARTS

COUNTS = {"embedding": 39383808, "attention": 28348416, "mlp": 56669184, "final-norm": 1536}


@pytest.mark.parametrize("name", PARTS)
def test_a_click_selects_a_part(shared_page: Page, name: str) -> None:
    page = shared_page
    page.locator(f"#diagram [data-part={name}]").click()
    expect(page.locator(f"#diagram [data-part={name}]")).to_have_attribute("aria-current", "true")
    assert page.locator("#diagram [aria-current=true]").count() == 1
    assert f"part={name}" in page.url
    if name in COUNTS:
        counts = page.locator("#panel [data-count]").evaluate_all(
            "all => all.map((one) => one.value ?? one.getAttribute('value'))"
        )
        assert str(COUNTS[name]) in [str(one) for one in counts]


@pytest.mark.parametrize("name", PARTS)
def test_enter_selects_the_focused_part_and_keeps_the_focus(shared_page: Page, name: str) -> None:
    page = shared_page
    link = page.locator(f"#diagram [data-part={name}]")
    link.focus()
    page.keyboard.press("Enter")
    expect(link).to_have_attribute("aria-current", "true")
    expect(link).to_be_focused()


def test_each_part_stands_in_the_tab_order_once(shared_page: Page) -> None:
    page = shared_page
    page.locator("#seq-len").focus()
    seen: list[str] = []
    for _ in range(60):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.closest('[data-part]')?.dataset.part ?? ''")
        inside = page.evaluate("Boolean(document.activeElement.closest('#code-cell'))")
        if name:
            seen.append(name)
        if inside:
            break
    assert seen == PARTS


def test_the_focus_is_visible(shared_page: Page) -> None:
    page = shared_page
    page.locator("#seq-len").focus()
    while not page.evaluate("document.activeElement.closest('#diagram [data-part]')"):
        page.keyboard.press("Tab")
    outlined = page.evaluate(
        """() => {
          const link = document.activeElement, boxes = [link, ...link.querySelectorAll("*")];
          return boxes.some((one) => {
            const style = getComputedStyle(one);
            const outlined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
            return outlined || parseFloat(style.strokeWidth) >= 3;
          });
        }"""
    )
    assert outlined


def test_a_tap_selects_a_part(visit: Visit) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.locator("#diagram [data-part=mlp]").tap()
    expect(page.locator("#panel h2")).to_have_text("MLP")


def test_the_plain_list_selects_too(shared_page: Page) -> None:
    page = shared_page
    page.locator("#all-parts > summary").click()
    page.locator("details[data-part=mlp] summary").click()
    expect(page.locator("#panel h2")).to_have_text("MLP")


def test_the_selected_part_is_announced_in_a_sentence(shared_page: Page) -> None:
    page = shared_page
    page.locator("#diagram [data-part=mlp]").click()
    live = page.locator("[aria-live=polite], [role=status]").filter(has_text="MLP")
    expect(live.first).to_be_attached()


@pytest.mark.parametrize("slug", WALKED)
def test_every_part_of_every_kind_of_model_is_shown_whole(shared_page: Page, slug: str) -> None:
    page = shared_page
    page.select_option("#model", slug)
    model = anatomy.load(slug)
    shown = describe(model, default_seq_len(model, 8))
    summed = 0
    for one in shown.parts:
        name, stack, blocks = shown.address(one)
        where = f"#diagram [data-part='{name}']"
        where += f"[data-stack='{stack}']" if stack else ":not([data-stack])"
        where += f"[data-blocks='{blocks}']" if blocks else ":not([data-blocks])"
        page.locator(where).click()
        expect(page.locator(where)).to_have_attribute("aria-current", "true")
        cells = page.locator("#panel table.shapes td, #panel table.shapes th").all_inner_texts()
        drawn = page.locator("#panel table.shapes td svg").count()
        assert sum(not cell.strip() for cell in cells) <= drawn, f"{slug} {name}: an empty cell"
        total = page.locator("#panel [data-count=total]")
        value = int(total.first.get_attribute("value") or -1)
        assert value == one.parameters
        summed += value
    assert summed == model.parameters
    groups = page.locator("#where table data").evaluate_all("all => all.map((one) => one.getAttribute('value'))")
    assert {str(group.parameters) for group in shown.groups} <= set(groups)
