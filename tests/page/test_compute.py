"""FLOPs, memory and conventions in the browser: switches by mouse and keyboard, workings, curves, every kind."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.formulas import holds
from tests.page.conftest import Visit, show

# One of each kind: multi-head, grouped, one KV head, windows, chunks, latent, experts, encoder, two stacks, patches.
KINDS = (
    "gpt2",
    "llama-3-70b",
    "falcon-7b",
    "gemma-3-1b",
    "llama-4-scout",
    "deepseek-v3",
    "bert-base-uncased",
    "whisper-small",
    "vit-base",
)


@pytest.fixture
def page(shared_page: Page) -> Page:
    """None of these asks for what is kept between visits."""
    return shared_page


def total(page: Page) -> Locator:
    return page.locator("#compute [data-cost=run-pass] > dd > details > summary > data")


def equations(page: Page, within: str) -> list[str]:
    return page.locator(f"{within} .equation").all_inner_texts()


def test_without_python_the_first_state_is_there_and_opens(visit: Visit) -> None:
    page = visit(java_script_enabled=False, ready=False)
    expect(total(page)).to_have_attribute("value", "1978871808")
    page.locator("#w-flops > summary").click()
    expect(page.locator("#w-flops .sum .equation")).to_contain_text("÷ 8 tokens = 247,358,976")


def test_a_decode_step_by_mouse(page: Page) -> None:
    page.locator("#run").select_option("decode")
    expect(total(page)).to_have_attribute("value", "247358976")
    assert page.url.endswith("&run=decode")
    expect(page.locator("#unembedding option[value=last]")).to_be_disabled()
    page.go_back()
    expect(page.locator("#run")).to_have_value("prefill")
    expect(total(page)).to_have_attribute("value", "1978871808")


def test_every_pass_by_keyboard(page: Page) -> None:
    page.locator("#run").focus()
    for value in (247358976, 3 * 1978871808, 4 * 1978871808):
        page.keyboard.press("ArrowDown")
        expect(total(page)).to_have_attribute("value", str(value))
    expect(page.locator("#run")).to_be_focused()
    expect(page.locator("#run")).to_have_value("recompute")
    page.keyboard.press("Tab")
    for square in ("windows", "causal"):
        page.keyboard.press("ArrowDown")
        expect(page.locator("#square")).to_have_value(square)
        assert f"run=recompute&sq={square}" in page.url


def test_number_types_and_batch(page: Page) -> None:
    page.locator("#model").select_option("llama-3-70b")
    page.locator("#weights").select_option("int4")
    page.locator("#cache").select_option("fp8")
    page.locator("#batch").fill("16")
    page.keyboard.press("Tab")
    cache = page.locator("#w-kv > summary data")
    expect(cache).to_have_attribute("value", str(16 * 8 * 327680 // 2))
    expect(page.locator("#memory [data-current] .name")).to_contain_text("int4", use_inner_text=False)
    assert "w=int4&kv=fp8&b=16" in page.url
    page.locator("#batch").fill("0")
    page.keyboard.press("Tab")
    expect(page.locator("#batch-notice")).to_contain_text("no whole number from 1 to 1,000,000")
    expect(cache).to_have_attribute("value", str(16 * 8 * 327680 // 2))


def test_a_working_stays_open_and_follows_t(page: Page) -> None:
    page.locator("#w-kv > summary").click()
    formula = page.locator("#w-kv .equation")
    expect(formula).to_have_text("2 × 12 KV heads × 64 × 2 bytes × 12 layers × 8 tokens = 294,912")
    page.locator("#seq-len").fill("1024")
    expect(formula).to_have_text("2 × 12 KV heads × 64 × 2 bytes × 12 layers × 1,024 tokens = 37,748,736")
    expect(formula).to_be_visible()
    page.locator("#w-kv > summary").press("Enter")
    expect(formula).to_be_hidden()


def test_a_headline_figure_opens_its_working(page: Page) -> None:
    figure = page.locator("#figures [data-figure=parameters]")
    figure.locator("data").click()
    expect(figure.locator(".sum .equation")).to_contain_text("= 124,439,808")


def test_the_marker_follows_t(page: Page) -> None:
    places = []
    page.locator("#w-curve > summary").click()
    page.locator("#w-cache-curve > summary").click()
    for stop, value in (("8", "0.25 G"), ("128", "0.25 G"), ("1024", "0.28 G")):
        page.locator("#seq-len").fill(stop)
        mark = page.locator("#flops-plot .m-now")
        expect(mark).to_have_attribute("data-t", stop)
        expect(mark.locator("text")).to_contain_text(value)
        expect(page.locator("#cache-plot .m-now")).to_have_attribute("data-t", stop)
        places.append(mark.locator("circle").bounding_box())
    lefts = [place["x"] for place in places if place]
    assert lefts == sorted(set(lefts))
    assert page.locator("#compute .behind .now th").text_content() == "1,024"


@pytest.mark.parametrize("slug", KINDS)
def test_every_kind_of_model_has_its_costs(shared_page: Page, slug: str) -> None:
    page = shared_page
    page.locator("#model").select_option(slug)
    expect(page.locator("#conventions .reading").first).to_contain_text(
        page.locator("#model option:checked").inner_text()
    )
    page.evaluate(
        "for (const one of document.querySelectorAll('#figures details, #compute details, #memory details, "
        "#conventions details')) one.open = true"
    )
    shown = [one for where in ("#figures", "#compute", "#memory", "#conventions") for one in equations(page, where)]
    assert len(shown) > 40
    assert [one for one in shown if not holds(one)] == []
    assert page.locator("#compute .list details").count() >= 3


@pytest.mark.parametrize("width", [320, 390, 768, 1440])
def test_text_is_12_pixels_and_words_of_a_plot_do_not_meet(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    for state in ("#model=gemma-3-1b&t=512&part=attention", "#model=llama-3-70b&t=8192&part=attention"):
        show(page, state)
        page.evaluate("for (const one of document.querySelectorAll('#compute details')) one.open = true")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = page.evaluate(
            """() => [...document.querySelectorAll("svg.plot")].flatMap((plot) => {
              const texts = [...plot.querySelectorAll("text")];
              const boxes = texts.map((one) => [one.textContent, one.getBoundingClientRect()]);
              const small = texts.filter((one) => parseFloat(getComputedStyle(one).fontSize) < 12);
              // The marks of the values stand left of the drawing, inside its figure.
              const around = plot.closest("figure").getBoundingClientRect();
              const out = boxes.filter(([, box]) => box.left < around.left - 1 || box.right > around.right + 1);
              const met = boxes.flatMap(([a, p], i) => boxes.slice(i + 1).filter(([, q]) =>
                Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
                Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 4).map(([b]) => a + " / " + b));
              return [...small.map((one) => one.textContent), ...out.map(([text]) => text), ...met];
            })"""
        )
        assert found == []


def test_on_a_phone_choices_are_44_pixels_tall(visit: Visit) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    small = page.evaluate(
        """() => [...document.querySelectorAll("#switches select, #costs summary, #conventions summary,"
          + " #figures summary, #panel summary, #where summary")]
          .filter((one) => one.checkVisibility()).map((one) => [one.textContent, one.getBoundingClientRect().height])
          .filter(([, height]) => height < 43.9)"""
    )
    assert small == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_with_everything_open(page: Page, scheme: Literal["light", "dark"]) -> None:
    page.emulate_media(color_scheme=scheme)
    show(page, "#model=gemma-3-1b&t=600&part=attention")
    page.evaluate("for (const one of document.querySelectorAll('details.working')) one.open = true")
    results = Axe().run(page)
    assert [(one["id"], [node["html"][:120] for node in one["nodes"]]) for one in results.response["violations"]] == []


def test_on_paper_costs_stand_where_their_reader_opened_them(page: Page) -> None:
    page.emulate_media(media="print")
    expect(page.locator("#memory")).to_be_hidden()
    expect(page.locator("#figures [data-figure=parameters] data")).to_be_visible()
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 2
    page.evaluate("document.getElementById('w-cache-curve').open = true")
    expect(page.locator("#cache-plot")).to_be_visible()
    expect(page.locator("#compute")).to_be_hidden()
