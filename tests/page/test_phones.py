"""Phones and a tablet of each kind, by viewport, touch, pixel density and user agent."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Playwright, expect

from tests.page.conftest import Visit, run

# Kinds: an iPhone and a small one, an iPad, phones of two makers with Android, a foldable, unfolded.
DEVICES = ("iPhone 15", "iPhone SE (3rd gen)", "iPad (gen 11)", "Pixel 9", "Galaxy S24", "Galaxy Z Fold 7")
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(params=DEVICES)
def phone(request: pytest.FixtureRequest, playwright: Playwright, visit: Visit) -> Page:
    """The page as that device shows it."""
    device: dict[str, Any] = {**playwright.devices[request.param]}
    device.pop("default_browser_type")
    return visit(**device)


def test_a_phone_does_what_a_desk_does(phone: Page) -> None:
    assert phone.evaluate("navigator.maxTouchPoints") > 0
    assert phone.evaluate(OVERFLOW) == 0
    phone.locator("#diagram [data-part=mlp]").tap()
    expect(phone.locator("#panel h2")).to_have_text("MLP")
    phone.select_option("#model", "llama-3-70b")
    expect(phone.locator("#panel [data-count=total]").first).to_have_attribute("value", "56371445760")
    phone.locator("#seq-len").fill("8192")
    expect(phone.locator("#diagram [data-part=residual]")).to_contain_text("8,192 × 8,192")
    assert phone.evaluate(OVERFLOW) == 0
    phone.locator("#challenges details summary").first.tap()
    expect(phone.locator("#challenges details").first).to_have_attribute("open", "")
    assert run(phone, "print(6 * 7)").strip() == "42"
    assert phone.evaluate(OVERFLOW) == 0
