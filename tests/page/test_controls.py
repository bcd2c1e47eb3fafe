"""Model and sequence length, by mouse and by keyboard."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from anatomy import entries
from anatomy.catalog import START_HERE
from tests.page.conftest import show


@pytest.fixture
def page(shared_page: Page) -> Page:
    """None of these asks for what is kept between visits."""
    return shared_page


def test_choosing_a_model_changes_everything_that_follows_from_it(page: Page) -> None:
    page.get_by_label("Model", exact=True).select_option("llama-3-70b")
    expect(page.locator("#figures [data-figure=parameters] data")).to_have_attribute("value", "70553706496")
    expect(page.locator("#diagram")).to_contain_text("Block 1 of 80")
    expect(page.locator("#diagram")).to_contain_text("79 more blocks with the same shape and their own weights")
    expect(page.locator("#where h2")).to_contain_text("70,553,706,496")
    expect(page.locator("#panel h2")).to_have_text("Grouped-query attention")
    assert page.url.endswith("#model=llama-3-70b&t=8&part=attention")


def test_choosing_a_model_by_keyboard_keeps_the_focus(page: Page) -> None:
    page.locator("#model").focus()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#model")).not_to_have_value("gpt2")
    expect(page.locator("#model")).to_be_focused()
    slug = page.locator("#model").input_value()
    assert f"model={slug}&" in page.url


def test_a_length_by_typing_changes_what_depends_on_it(page: Page) -> None:
    page.locator("#seq-len").fill("64")
    expect(page.locator("#panel table.shapes")).to_contain_text("64 × 64")
    expect(page.locator("#seq-len-slider")).to_have_value("11")
    expect(page.locator("#seq-len-slider")).to_have_attribute("aria-valuetext", "T = 64")
    expect(page.locator("#diagram")).to_contain_text("64 × 768")
    assert "t=64" in page.url


def test_typing_a_length_by_keyboard_keeps_the_focus_and_the_text(page: Page) -> None:
    page.locator("#seq-len").select_text()
    page.keyboard.type("128")
    expect(page.locator("#seq-len")).to_be_focused()
    expect(page.locator("#seq-len")).to_have_value("128")
    page.keyboard.press("Enter")
    expect(page.locator("#panel table.shapes")).to_contain_text("128 × 128")


def test_the_slider_by_keyboard_and_by_value(page: Page) -> None:
    slider = page.locator("#seq-len-slider")
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#seq-len")).to_have_value("12")
    for key, length in (("End", "1024"), ("PageDown", "512"), ("PageDown", "256"), ("ArrowLeft", "192")):
        page.keyboard.press(key)
        expect(page.locator("#seq-len")).to_have_value(length)
    page.keyboard.press("PageUp")
    expect(page.locator("#seq-len")).to_have_value("384")
    expect(slider).to_be_focused()
    slider.fill("3")
    expect(page.locator("#seq-len")).to_have_value("4")


def test_a_typed_length_between_two_steps_of_the_slider_stays(page: Page) -> None:
    page.locator("#seq-len").fill("1000")
    expect(page.locator("#seq-len-slider")).to_have_attribute("aria-valuetext", "T = 1,000")
    page.locator("#seq-len-slider").focus()
    page.locator("#seq-len-slider").blur()
    expect(page.locator("#seq-len")).to_have_value("1000")
    assert "t=1000&" in page.url


def test_dragging_the_slider_is_one_step_back(page: Page) -> None:
    slider = page.locator("#seq-len-slider")
    box = slider.bounding_box()
    assert box
    page.mouse.move(box["x"] + 10, box["y"] + box["height"] / 2)
    page.mouse.down()
    for step in range(1, 9):
        page.mouse.move(box["x"] + step * box["width"] / 9, box["y"] + box["height"] / 2)
    page.mouse.up()
    expect(page.locator("#seq-len")).not_to_have_value("8")
    dragged = page.locator("#seq-len").input_value()
    assert f"t={dragged}&" in page.url
    page.go_back()
    expect(page.locator("#seq-len")).to_have_value("8")


def test_a_change_of_t_or_model_is_said_once_with_the_figures_that_changed(page: Page) -> None:
    page.locator("#seq-len").fill("1024")
    expect(page.locator("#told")).to_have_text("T = 1,024: 0.28 G FLOPs per token, KV cache 37.7 MB.")
    page.select_option("#model", "llama-3-8b")
    expect(page.locator("#told")).to_contain_text("Llama 3 8B: 8.03B parameters; at T = 1,024 ")
    page.locator("#weights").select_option("int4")
    expect(page.locator("#told")).to_be_hidden()
    page.select_option("#model", "gpt2")
    expect(page.locator("#figures [data-figure=flops] data").first).to_have_attribute("value", "284812800")


def test_a_bad_length_is_said_beside_the_control_and_changes_nothing(page: Page) -> None:
    for text in ("0", "1025", "-4"):
        page.locator("#seq-len").fill(text)
        page.keyboard.press("Enter")
        expect(page.locator("#told")).to_contain_text("GPT-2 small takes at most 1,024. T is still 8.")
        expect(page.locator("#panel table.shapes")).to_contain_text("8 × 8")
    page.locator("#seq-len").fill("16")
    page.keyboard.press("Enter")
    expect(page.locator("#told")).not_to_contain_text("T is still")


def test_letters_are_no_length(page: Page) -> None:
    page.locator("#seq-len").select_text()
    page.keyboard.type("e")
    page.keyboard.press("Enter")
    expect(page.locator("#told")).to_contain_text("not a whole number")
    expect(page.locator("#figures [data-figure=parameters] data")).to_have_attribute("value", "124439808")


def test_a_model_that_cannot_run_at_t_takes_the_nearest_and_says_so(page: Page) -> None:
    show(page, "#model=llama-3-8b&t=8192&part=attention")
    page.select_option("#model", "gpt2")
    expect(page.locator("#seq-len")).to_have_value("1024")
    expect(page.locator("#told")).to_contain_text("T was 8,192; GPT-2 small takes at most 1,024")


def test_only_what_depends_on_t_is_marked_as_changed(page: Page) -> None:
    page.locator("#seq-len").fill("16")
    changed = page.locator("#panel table.shapes tr.changed")
    expect(changed.first).to_be_visible()
    texts = " ".join(changed.all_inner_texts())
    assert "Scores" in texts
    assert "16 × 16" in texts
    assert "768 × 768" not in texts


def test_while_t_is_dragged_the_address_is_written_only_when_it_rests(page: Page) -> None:
    """Browsers let a page write some hundred addresses in half a minute, and fail after that."""
    written = page.evaluate(
        """async () => {
          let written = 0;
          for (const name of ["pushState", "replaceState"]) {
            const write = history[name];
            history[name] = function (...how) { written++; return write.apply(this, how); };
          }
          const slider = document.getElementById("seq-len-slider");
          for (let step = 0; step < 60; step++) {
            slider.value = step % 20;
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((then) => setTimeout(then, 1));
          }
          while (document.documentElement.dataset.settled !== "true") await new Promise((then) => setTimeout(then, 5));
          return written;
        }"""
    )
    assert written < 15
    assert page.url.endswith("&t=1024&part=attention")


def test_the_picker_begins_with_one_of_each_kind(page: Page) -> None:
    groups = page.locator("#model optgroup").evaluate_all("(all) => all.map((one) => one.label)")
    assert groups[0] == "Start here"
    assert groups[1:] == sorted(groups[1:], key=str.casefold)
    first = page.locator("#model optgroup").first.locator("option")
    assert first.evaluate_all("(all) => all.map((one) => one.value)") == list(START_HERE)


def test_all_models_are_found_by_keyboard(page: Page) -> None:
    opener = page.get_by_role("button", name="All models")
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="All models")
    expect(dialog.get_by_role("status")).to_have_text(f"{len(entries())} of {len(entries())} models")
    expect(dialog.get_by_label("Model", exact=True)).to_be_focused()
    header = dialog.get_by_role("columnheader", name="Parameters")
    header.get_by_role("button").press("Enter")
    expect(header).to_have_attribute("aria-sort", "ascending")
    expect(header.get_by_role("button")).to_be_focused()
    page.keyboard.press("Space")
    expect(header).to_have_attribute("aria-sort", "descending")
    expect(dialog.locator("tbody th").first).to_have_text("Kimi K2")
    dialog.get_by_label("Kind").select_option("speech")
    expect(dialog.locator("tbody th").first).to_have_text("Whisper large v3")
    dialog.get_by_label("Model", exact=True).fill("tiny")
    expect(dialog.get_by_role("status")).to_have_text(f"1 of {len(entries())} models")
    expect(dialog.get_by_label("Model", exact=True)).to_be_focused()
    dialog.get_by_role("button", name="Whisper tiny").press("Enter")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()
    expect(page.locator("#model")).to_have_value("whisper-tiny")
    page.keyboard.press("Enter")
    expect(dialog.get_by_role("button", name="Whisper tiny")).to_have_attribute("aria-current", "true")
    assert Axe().run(page).response["violations"] == []
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
