"""Two models side by side on the page: opened from Try this, by mouse, by keyboard and by a link."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Page, expect

from tests.page.brought import drop
from tests.page.conftest import Visit
from tests.page.test_own import DISTILGPT2

SIDES = "#side-by-side"


@pytest.fixture
def page(shared_page: Page) -> Page:
    """None of these asks for what is kept between visits."""
    return shared_page


def test_try_this_opens_the_comparison(page: Page) -> None:
    page.get_by_role("link", name="Compare where the parameters live in GPT-2 small and in Llama 3 70B").click()
    expect(page.locator(SIDES)).to_contain_text("64 query heads share 8 KV heads; GPT-2 small has 12 of each")
    expect(page.locator("#comparison")).to_be_focused()
    expect(page.locator("#comparison")).to_be_in_viewport()
    assert page.url.endswith("&with=llama-3-70b")
    line = page.locator(f"{SIDES} [data-line=mlp]")
    expect(line.locator("td data").first).to_have_attribute("value", "56669184")
    expect(line.locator("td data").nth(1)).to_have_attribute("value", "56371445760")
    page.go_back()
    expect(page.locator(SIDES)).to_be_empty()


def test_the_second_model_by_keyboard(page: Page) -> None:
    page.locator("#with").focus()
    page.keyboard.type("GPT-2 XL")
    expect(page.locator(f"{SIDES} thead")).to_contain_text("GPT-2 XL")
    expect(page.locator("#with")).to_be_focused()
    expect(page.locator(SIDES)).to_contain_text("Nothing: the two differ in size only.")
    assert page.url.endswith("&with=gpt2-xl")


def test_a_link_opens_it_at_a_length_that_suits_both(visit: Visit) -> None:
    page = visit("#model=llama-3-70b&t=8192&part=mlp&with=gpt2")
    expect(page.locator(SIDES)).to_contain_text("Both at T = 1,024. GPT-2 small does not run at 8,192.")
    expect(page.locator("#seq-len")).to_have_value("8192")
    page.locator("#model").select_option("llama-3-8b")
    expect(page.locator(f"{SIDES} thead")).to_contain_text("Llama 3 8B")


def test_a_link_with_an_unknown_model_says_so(visit: Visit) -> None:
    page = visit("#model=gpt2&with=%3Cimg%20src%3Dx%3E")
    expect(page.locator("#with-notice")).to_contain_text('There is no model "<img src=x>" in this catalogue')
    expect(page.locator(SIDES)).to_be_empty()


def test_the_visitor_s_own_model_can_stand_on_either_side(page: Page) -> None:
    drop(page, {"config.json": json.dumps(DISTILGPT2).encode()})
    expect(page.locator("#model")).to_have_value("own")
    page.locator("#with").select_option("gpt2")
    expect(page.locator(f"{SIDES} [data-line=parameters] td data").first).to_have_attribute("value", "81912576")
    page.locator("#model").select_option("gpt2")
    page.locator("#with").select_option("own")
    expect(page.locator(f"{SIDES} [data-line=parameters] td data").nth(1)).to_have_attribute("value", "81912576")
    page.locator("#own-remove").click()
    expect(page.locator("#with")).to_have_value("")


def test_the_bars_stand_on_one_scale(page: Page) -> None:
    page.locator("#with").select_option("gpt2-xl")
    bars = page.locator(f"{SIDES} svg.scaled")
    expect(bars).to_have_count(2)
    width = "(one) => [...one.querySelectorAll('.piece rect')].reduce((sum, rect) => sum + rect.width.baseVal.value, 0)"
    widths = [bar.evaluate(width) for bar in bars.all()]
    share = widths[0] / widths[1]
    assert abs(share - 124439808 / 1557611200) < 0.01
