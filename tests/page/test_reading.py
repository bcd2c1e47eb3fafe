"""The page before Python, without JavaScript, and at the moment Python arrives."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from tests.page.conftest import READY, START_TIMEOUT, Visit

PARTS = ["embedding", "residual", "norm-attention", "attention", "norm-mlp", "mlp", "final-norm", "unembedding"]


def test_without_javascript_everything_of_gpt2_small_is_there(visit: Visit) -> None:
    page = visit(ready=False, java_script_enabled=False)
    assert page.locator("html").get_attribute("data-python") == "waiting"
    expect(page.get_by_role("heading", name="Anatomy of a transformer", level=1)).to_be_visible()
    for name, text in (("parameters", "124M"), ("without-embeddings", "85.1M"), ("flops", "0.25 G")):
        expect(page.locator(f"#figures [data-figure={name}]")).to_contain_text(text)
    expect(page.locator("#diagram")).to_contain_text("Block 1 of 12")
    expect(page.locator("#diagram")).to_contain_text("11 more blocks with the same shape and their own weights")
    expect(page.locator("#where")).to_contain_text("124,439,808")
    expect(page.locator("#code-cell")).to_have_value(re.compile("import (numpy as np|math)\n"))
    expect(page.locator("#challenges-progress")).to_have_text("0 of 3 complete")


@pytest.mark.parametrize("part", PARTS)
def test_without_javascript_every_part_can_be_read(visit: Visit, part: str) -> None:
    page = visit(ready=False, java_script_enabled=False)
    details = page.locator(f"details[data-part={part}]")
    assert details.count() == 1
    page.locator("#all-parts > summary").click()
    details.locator("summary").click()
    expect(details.locator("p").first).to_be_visible()


def test_without_javascript_the_diagram_leads_to_the_part_in_the_list(visit: Visit) -> None:
    page = visit(ready=False, java_script_enabled=False)
    page.locator("#diagram [data-part=mlp]").click()
    expect(page.locator("details[data-part=mlp] p").first).to_be_visible()


def test_the_first_run_of_python_changes_nothing_that_a_reader_sees(visit: Visit) -> None:
    shown = "document.querySelector('main').innerText"
    plain = visit(ready=False, java_script_enabled=False)
    before = plain.inner_text("main")
    page = visit()
    after = page.evaluate(shown)
    assert lines(after) == lines(before)


def lines(text: str) -> list[str]:
    """The visible lines, without the sentences that tell how far Python is."""
    return [
        line.strip() for line in text.splitlines() if line.strip() and "Python" not in line and "JavaScript" not in line
    ]


def test_the_first_run_of_python_touches_no_region(visit: Visit) -> None:
    def watch(page: Page) -> None:
        page.add_init_script(
            """
            window.touched = [];
            document.addEventListener("DOMContentLoaded", () => {
              new MutationObserver((all) => all.forEach((one) => {
                const element = one.target.nodeType === 1 ? one.target : one.target.parentElement;
                const region = element?.closest("main [id]");
                if (region && !region.closest("#python-status, #code-status")) window.touched.push(region.id);
              })).observe(document.querySelector("main"), {childList: true, characterData: true, subtree: true});
            });
            """
        )

    page = visit(prepare=watch)
    assert page.evaluate("window.touched.filter((id) => !id.startsWith('code-'))") == []


def test_a_wide_page_is_readable_before_any_script_has_run(visit: Visit) -> None:
    def hold(page: Page) -> None:
        page.route("**/python.*.bin", lambda route: None)

    page = visit(ready=False, prepare=hold)
    expect(page.locator("#panel h2")).to_have_text("Multi-head self-attention")
    expect(page.locator("#python-status")).to_contain_text("Python is loading")


def test_what_is_pressed_early_takes_effect_when_python_is_ready(visit: Visit) -> None:
    held: list[Route] = []

    def hold(page: Page) -> None:
        page.route("**/pyodide.asm.js", lambda route: held.append(route))

    page = visit(ready=False, prepare=hold)
    page.locator("#diagram [data-part=mlp]").click()
    page.select_option("#model", "llama-3-8b")
    expect(page.locator("html")).to_have_attribute("data-python", "loading")
    assert held
    for route in held:
        route.continue_()
    expect(page.locator("html")).to_have_attribute("data-python", "ready", timeout=60_000)
    expect(page.locator("#panel h2")).to_have_text("MLP")
    expect(page.locator("#where")).to_contain_text("8,030,261,248")
    assert "model=llama-3-8b&t=8&part=mlp" in page.url


def test_where_there_is_no_such_page_a_link_leads_to_the_one_that_is(visit: Visit) -> None:
    page = visit("404.html", ready=False)
    page.get_by_role("link", name="Anatomy of a transformer").click()
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    expect(page.locator("h1")).to_have_text("Anatomy of a transformer")
