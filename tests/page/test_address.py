"""The address carries the state: deep links, Back, Forward, and links that are wrong."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.page.conftest import Visit


@pytest.fixture
def page(shared_page: Page) -> Page:
    """None of these asks for what is kept between visits."""
    return shared_page


def test_a_deep_link_opens_what_it_says(visit: Visit) -> None:
    page = visit("#model=llama-3-70b&t=8192&part=mlp")
    expect(page.locator("#model")).to_have_value("llama-3-70b")
    expect(page.locator("#seq-len")).to_have_value("8192")
    expect(page.locator("#panel h2")).to_have_text("MLP")
    expect(page.locator("#panel [data-count=total]").first).to_have_attribute("value", "56371445760")


def test_back_and_forward_walk_through_the_states(page: Page) -> None:
    page.locator("#diagram [data-part=mlp]").click()
    page.select_option("#model", "llama-3-8b")
    page.go_back()
    expect(page.locator("#model")).to_have_value("gpt2")
    expect(page.locator("#panel h2")).to_have_text("MLP")
    page.go_back()
    expect(page.locator("#panel h2")).to_have_text("Multi-head self-attention")
    page.go_forward()
    page.go_forward()
    expect(page.locator("#model")).to_have_value("llama-3-8b")


def test_an_address_that_comes_before_a_choice_is_settled_holds_for_its_control_too(page: Page) -> None:
    page.evaluate(
        """() => {
          const model = document.getElementById("model");
          model.value = "llama-3-8b";
          model.dispatchEvent(new Event("change", { bubbles: true }));
          location.hash = "#model=gpt2&t=8&part=attention";
        }"""
    )
    expect(page.locator("#diagram h2")).to_have_text("GPT-2 small")
    expect(page.locator("#model")).to_have_value("gpt2")


def test_a_changed_address_is_followed(page: Page) -> None:
    page.evaluate("location.hash = '#model=gpt2-xl&t=32&part=embedding'")
    expect(page.locator("#model")).to_have_value("gpt2-xl")
    expect(page.locator("#seq-len")).to_have_value("32")


def test_a_wrong_address_says_so_and_keeps_the_last_good_state(page: Page) -> None:
    page.locator("#seq-len").fill("16")
    page.evaluate("location.hash = '#model=gpt5&t=abc&part=tail'")
    expect(page.locator("#told")).to_contain_text('There is no model "gpt5" in this catalogue')
    expect(page.locator("#told")).to_contain_text('"abc" is not a whole number')
    expect(page.locator("#told")).to_contain_text('no part "tail"')
    expect(page.locator("#seq-len")).to_have_value("16")
    expect(page.locator("#model")).to_have_value("gpt2")


def test_markup_in_the_address_stays_text(visit: Visit) -> None:
    page = visit("#model=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&t=%3Cb%3E&part=%3Cscript%3E")
    expect(page.locator("#told")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("#bar img, #bar b").count() == 0


def test_the_site_works_under_any_path(visit: Visit, site_url: str) -> None:
    assert site_url.count("/") > 3
    page = visit("index.html#model=gpt2&t=8&part=mlp")
    expect(page.locator("#panel h2")).to_have_text("MLP")
