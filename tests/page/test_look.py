"""What a designer and a screen reader look for: nothing scrolls sideways, targets are large, axe finds nothing."""

from __future__ import annotations

import re
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.page.conftest import Visit, show

WIDTHS = (320, 390, 768, 1024, 1440)
MODELS = ("gpt2", "llama-3-70b", "mistral-7b-v0.1")


def of(slug: str) -> str:
    """The address of a model with attention selected."""
    return f"#model={slug}&t=8&part=attention"


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("slug", MODELS)
def test_nothing_scrolls_sideways(shared_page: Page, width: int, slug: str) -> None:
    page = shared_page
    page.set_viewport_size({"width": width, "height": 800})
    show(page, of(slug))
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # A box that scrolls by itself may be wide inside; the page around it may not.
    wide = page.evaluate(
        """(width) => [...document.querySelectorAll("main *")].filter((one) => {
          const box = one.getBoundingClientRect();
          if (!one.checkVisibility() || box.right <= width + 1) return false;
          for (let up = one.parentElement; up; up = up.parentElement)
            if (/(auto|scroll|hidden)/.test(getComputedStyle(up).overflowX)) return false;
          return true;
        }).map((one) => one.outerHTML.slice(0, 80))""",
        width,
    )
    assert wide == []


@pytest.mark.parametrize(
    "state",
    [
        "#model=llama-3-70b&t=8192&part=mlp",
        "#model=llama-4-scout&t=10485760&part=attention",
        "#model=t5-base&t=1048576&part=attention&stack=encoder",
        "#model=deepseek-v3&t=163840&part=attention",
    ],
)
def test_at_no_width_do_the_largest_shapes_scroll_sideways(shared_page: Page, state: str) -> None:
    page = shared_page
    show(page, state)
    for width in range(320, 1460, 20):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_change_of_t_moves_no_column_of_the_shapes(shared_page: Page) -> None:
    page = shared_page
    for width in (390, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        found = []
        for t in (1, 1024):
            show(page, f"#model=gpt2&t={t}&part=attention")
            columns = "all => all.map((one) => one.getBoundingClientRect().left)"
            found.append(page.locator("#panel .shapes thead th").evaluate_all(columns))
        assert found[0] == found[1]


def phone(visit: Visit) -> Page:
    options: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    return visit(**options)


def test_on_a_phone_targets_are_44_pixels_and_text_is_12(visit: Visit) -> None:
    page = phone(visit)
    small = page.evaluate(
        """() => [...document.querySelectorAll("#diagram [data-part], select, button, summary, [id^=seq-len]")]
          .filter((one) => /^(a|g|select|button|summary|input)$/i.test(one.localName))
          .filter((one) => one.checkVisibility())
          .map((one) => [one.dataset.part ?? one.id ?? one.textContent, one.getBoundingClientRect().height])
          .filter(([, height]) => height < 43.9)"""
    )
    assert small == []
    tiny = page.evaluate(
        """() => [...document.querySelectorAll("#diagram text")].map((one) => {
          const scale = one.getScreenCTM().a;
          return [one.textContent, parseFloat(getComputedStyle(one).fontSize) * scale];
        }).filter(([, size]) => size < 11.95)"""
    )
    assert tiny == []


def test_no_text_of_the_drawing_leaves_it_or_meets_another(shared_page: Page) -> None:
    page = shared_page
    page.set_viewport_size({"width": 390, "height": 844})
    for slug in MODELS:
        show(page, of(slug))
        clashes = page.evaluate(
            """() => {
              const svg = document.querySelector("#diagram svg").getBoundingClientRect();
              const all = [...document.querySelectorAll("#diagram text")].filter((one) => one.textContent.trim())
                .map((one) => [one.textContent, one.getBoundingClientRect()]);
              const out = ([, box]) => box.left < svg.left - 1 || box.right > svg.right + 1;
              const found = all.filter(out).map(([text]) => text);
              for (let i = 0; i < all.length; i++) for (let j = i + 1; j < all.length; j++) {
                const a = all[i][1], b = all[j][1];
                const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
                const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
                if (x > 1 && y > 4) found.push(all[i][0] + " / " + all[j][0]);
              }
              return found;
            }"""
        )
        assert clashes == [], slug


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("slug", ["gpt2", "llama-3-70b", "mixtral-8x7b"])
def test_axe_finds_nothing(shared_page: Page, scheme: Literal["light", "dark"], slug: str) -> None:
    page = shared_page
    page.emulate_media(color_scheme=scheme)
    show(page, of(slug))
    for details in page.locator("main details").all()[:3]:
        details.evaluate("one => { one.open = true; }")
    # The accessible name holds what is seen: a rule of WCAG that axe leaves off by itself.
    results = Axe().run(page, options={"rules": {"label-content-name-mismatch": {"enabled": True}}})
    found = [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in results.response["violations"]]
    assert found == []


@pytest.mark.parametrize("slug", MODELS)
def test_it_prints_on_two_pages(shared_page: Page, slug: str) -> None:
    show(shared_page, of(slug))
    pdf = shared_page.pdf(format="A4", print_background=True)
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf)) == 2


def test_on_paper_stand_the_address_and_no_progress(visit: Visit) -> None:
    # What this address shows solves a challenge.
    page = visit("#model=llama-3-70b&t=8&part=mlp")
    page.pdf(format="A4")
    assert page.locator("#printed").text_content() == page.url
    page.emulate_media(media="print")
    assert page.locator("#printed").is_visible()
    told = page.locator("body").inner_text()
    assert not re.search(r"\(done\)|\(not yet\)|Solved|complete|so far", told)
    page.emulate_media(media="screen")
    assert not page.locator("#printed").is_visible()


def test_a_link_to_another_part_leaves_its_heading_in_sight(visit: Visit) -> None:
    page = visit("#model=gpt2&t=8&part=attention", viewport={"width": 390, "height": 800})
    for part in ("mlp", "embedding"):
        show(page, f"#model=gpt2&t=8&part={part}")
        expect(page.locator("#panel h2")).to_be_in_viewport()
    # The panel is as tall as what it says: it scrolls with the page, never by itself.
    assert page.evaluate("getComputedStyle(document.getElementById('panel')).overflowY") == "visible"


def test_no_label_of_a_plot_lies_on_a_rule_or_a_curve(shared_page: Page) -> None:
    page = shared_page
    for slug, width in (("gpt2", 390), ("gemma-3-1b", 390), ("gemma-3-1b", 1440)):
        page.set_viewport_size({"width": width, "height": 800})
        show(page, f"#model={slug}&t=64&part=attention")
        found = page.evaluate(
            """() => {
              for (const one of document.querySelectorAll("#costs details")) one.open = true;
              const clashes = [], box = (one) => one.getBoundingClientRect();
              const plots = [...document.querySelectorAll("#costs svg.plot")];
              for (const plot of plots) {
                const texts = [...plot.querySelectorAll("text")].map((one) => [one.textContent, box(one)]);
                const points = [...plot.querySelectorAll("line")].map(box)
                  .flatMap((one) => Array.from({length: 101}, (_, at) =>
                    [one.left + one.width * at / 100, one.top + one.height * at / 100]));
                for (const path of plot.querySelectorAll("path")) {
                  const at = path.getScreenCTM();
                  for (let step = 0; step <= 200; step++)
                    points.push(path.getPointAtLength(path.getTotalLength() * step / 200).matrixTransform(at));
                }
                for (const [text, room] of texts) {
                  if (room.left < 0 || room.right > innerWidth) clashes.push(text + " leaves the page");
                  for (const {0: a, 1: b, x = a, y = b} of points)
                    if (x > room.left && x < room.right && y > room.top + 2 && y < room.bottom - 2) clashes.push(text);
                }
              }
              return [plots.length, [...new Set(clashes)]];
            }"""
        )
        assert found == [2, []], (slug, width)


def test_no_motion_for_those_who_ask_for_none(visit: Visit) -> None:
    page = visit(reduced_motion="reduce")
    page.locator("#seq-len").fill("16")
    moving = page.evaluate("document.getAnimations().filter((one) => one.effect.getTiming().duration > 1).length")
    assert moving == 0
