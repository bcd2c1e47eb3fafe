"""Challenges and Try this, solved by hand."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.page.conftest import READY, Visit, show
from tests.page.test_reading import PARTS


def test_they_are_not_yet_solved(page: Page) -> None:
    expect(page.locator("#challenges-progress")).to_have_text("0 of 3 complete")
    items = page.locator("#challenges li[data-challenge]")
    expect(items).to_have_count(3)
    for at in range(3):
        expect(items.nth(at)).to_have_attribute("data-done", "false")
        expect(items.nth(at)).to_contain_text("(not yet)")


def test_scores_larger_than_the_weights(page: Page) -> None:
    # With another part selected, grouped-query attention solves nothing by itself.
    page.locator("#diagram [data-part=mlp]").click()
    page.select_option("#model", "smollm2-135m")
    page.locator("#seq-len").fill("940")
    expect(page.locator("#diagram")).to_contain_text("940 × 576")
    expect(page.locator("li[data-challenge=scores]")).to_have_attribute("data-done", "false")
    page.locator("#seq-len").fill("941")
    expect(page.locator("li[data-challenge=scores]")).to_have_attribute("data-done", "true")
    expect(page.locator("#challenges-progress")).to_have_text("1 of 3 complete")


def test_mlps_with_three_quarters(page: Page) -> None:
    page.locator("#diagram [data-part=mlp]").click()
    page.select_option("#model", "mistral-7b-v0.1")
    expect(page.locator("li[data-challenge=mlp]")).to_have_attribute("data-done", "true")
    expect(page.locator("li[data-challenge=keys]")).to_have_attribute("data-done", "false")


def test_a_smaller_key_projection(page: Page) -> None:
    page.locator("#diagram [data-part=embedding]").click()
    page.select_option("#model", "qwen2.5-0.5b")
    expect(page.locator("li[data-challenge=keys]")).to_have_attribute("data-done", "false")
    page.locator("#diagram [data-part=attention]").click()
    expect(page.locator("li[data-challenge=keys]")).to_have_attribute("data-done", "true")
    expect(page.locator("#challenges")).to_contain_text("latent")


def test_progress_is_kept_between_visits_and_can_be_reset(page: Page) -> None:
    page.select_option("#model", "llama-3-70b")
    expect(page.locator("#challenges-progress")).to_have_text("2 of 3 complete")
    page.select_option("#model", "gpt2")
    page.reload()
    page.wait_for_selector(READY, state="attached")
    expect(page.locator("#challenges-progress")).to_have_text("2 of 3 complete")
    page.locator("#challenges [data-action=reset-challenges]").click()
    expect(page.locator("#challenges-progress")).to_have_text("0 of 3 complete")
    page.reload()
    page.wait_for_selector(READY, state="attached")
    expect(page.locator("#challenges-progress")).to_have_text("0 of 3 complete")


def test_the_parts_of_gpt2_small_add_up_to_the_released_total(page: Page) -> None:
    for name in PARTS:
        page.locator(f"#diagram [data-part={name}]").click()
    expect(page.locator("#try-this data[value='124439808']").first).to_be_visible()
    page.select_option("#model", "llama-3-70b")
    expect(page.locator("#try-this")).to_be_visible()


def test_further_challenges_are_folded_with_a_progress_of_their_own(page: Page) -> None:
    expect(page.locator("#more-challenges-progress")).to_have_text("0 of 12 complete")
    expect(page.locator("#more-challenges li").first).to_be_hidden()
    page.locator("#more-challenges > details > summary").click()
    page.locator("#diagram [data-part=unembedding]").click()
    expect(page.locator("#more-challenges-progress")).to_have_text("1 of 12 complete")
    expect(page.locator("#told")).to_contain_text("Solved, one of the further challenges: Unembedding holds 0 ")
    expect(page.locator("li[data-challenge=tied] .by")).to_be_visible()
    expect(page.locator("#challenges-progress")).to_have_text("0 of 3 complete")
    page.locator("#hint-norms > summary").click()
    expect(page.locator("#hint-norms-2 > p")).to_be_hidden()
    page.locator("#hint-norms-2 > summary").click()
    expect(page.locator("#hint-norms-2 > p")).to_contain_text("OLMo")
    page.reload()
    page.wait_for_selector(READY, state="attached")
    expect(page.locator("#more-challenges-progress")).to_have_text("1 of 12 complete")


def test_a_link_chooses_challenges_and_stays_chosen(shared_page: Page) -> None:
    page = shared_page
    show(page, "#model=gpt2&t=8&part=attention&challenges=scores,windows")
    expect(page.locator("li[data-challenge]")).to_have_count(2)
    expect(page.locator("li[data-challenge=windows]")).to_be_visible()
    page.select_option("#model", "gemma-3-1b")
    page.locator("#seq-len").fill("1252")
    expect(page.locator("li[data-challenge=windows]")).to_have_attribute("data-done", "true")
    assert page.url.endswith("&challenges=scores,windows")
    page.locator("#all-challenges").click()
    expect(page.locator("li[data-challenge]")).to_have_count(15)
    assert "model=gemma-3-1b&t=1252&part=attention" in page.url
    assert "challenges" not in page.url


def test_results_are_copied_as_text(visit: Visit) -> None:
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator("#copy-results")).to_be_hidden()
    page.select_option("#model", "llama-3-70b")
    page.locator("#copy-results").click()
    expect(page.locator("#told")).to_have_text("The results are copied as text.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Anatomy of a transformer: 2 of 15 challenges solved\n[ ] Find a model and a sequence")
    assert "\n    Solved: W_K is 8,192 × 1,024, W_Q 8,192 × 8,192.\n" in copied


def test_what_a_task_changes_is_brought_into_view(shared_page: Page) -> None:
    page = shared_page
    for control, shown in (
        ("#try-length", "#panel h2"),
        ("#try-next", "#panel h2"),
        ("#try-compare", "#side-by-side table"),
    ):
        page.locator(control).click()
        expect(page.locator(shown).first).to_be_in_viewport()
