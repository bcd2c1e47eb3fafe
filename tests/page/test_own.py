"""The visitor's own configuration: pasted, chosen, dropped, wrong, kept and removed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Request, Route, expect

from tests.page.brought import choose_by_keyboard, drop
from tests.page.conftest import READY, START_TIMEOUT, Visit

DISTILGPT2 = {
    "model_type": "gpt2",
    "architectures": ["GPT2LMHeadModel"],
    "vocab_size": 50257,
    "n_positions": 1024,
    "n_embd": 768,
    "n_layer": 6,
    "n_head": 12,
}
SMOLLM2_360M = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 960,
    "intermediate_size": 2560,
    "num_hidden_layers": 32,
    "num_attention_heads": 15,
    "num_key_value_heads": 5,
    "vocab_size": 49152,
    "max_position_embeddings": 8192,
    "tie_word_embeddings": True,
}
BERT_TINY = {
    "model_type": "bert",
    "architectures": ["BertModel"],
    "vocab_size": 30522,
    "hidden_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 512,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
}
BLOOM_1B1 = {
    "model_type": "bloom",
    "architectures": ["BloomForCausalLM"],
    "vocab_size": 250880,
    "hidden_size": 1536,
    "n_layer": 24,
    "n_head": 16,
}
VIT_LARGE = {
    "model_type": "vit",
    "architectures": ["ViTForImageClassification"],
    "hidden_size": 1024,
    "num_hidden_layers": 24,
    "num_attention_heads": 16,
    "intermediate_size": 4096,
    "image_size": 224,
    "patch_size": 16,
    "num_channels": 3,
    "id2label": {str(label): f"label {label}" for label in range(1000)},
}
# Released models that the catalogue does not hold, with the totals that their makers or libraries print.
OTHERS = [
    (DISTILGPT2, 81_912_576),
    (SMOLLM2_360M, 361_821_120),
    (BERT_TINY, 4_385_920),
    (BLOOM_1B1, 1_065_314_304),
    (VIT_LARGE, 304_326_632),
]


def text(config: Any) -> bytes:
    return json.dumps(config, indent=1).encode()


def total(page: Page) -> Any:
    return page.locator("#figures [data-figure=parameters] data")


def test_five_configurations_of_other_sizes_read_the_right_totals(page: Page) -> None:
    for config, parameters in OTHERS:
        drop(page, {"config.json": text(config)})
        expect(total(page)).to_have_attribute("value", str(parameters))
        expect(page.locator("#model")).to_have_value("own")
        expect(page.locator("#model option:checked")).to_have_text("Your model")
        expect(page.locator("#where h2")).to_contain_text(f"{parameters:,}")
        expect(page.locator("#own-config-error")).to_be_empty()


def test_pasting_by_keyboard_shows_the_model(page: Page) -> None:
    page.locator("#own-config").focus()
    page.keyboard.insert_text(text(BERT_TINY).decode())
    expect(total(page)).to_have_attribute("value", "4385920")
    expect(page.locator("#own-config")).to_be_focused()
    assert page.url.split("#")[1].startswith("model=own&")
    page.keyboard.press("Tab")
    expect(page.locator("#own-show")).to_be_focused()
    expect(page.locator("#own-config-state")).to_contain_text("4,385,920")
    page.keyboard.press("Enter")
    expect(page.locator("#diagram")).to_be_focused()
    expect(page.locator("#diagram-title")).to_be_in_viewport()


def test_what_cannot_be_shown_leads_nowhere(page: Page) -> None:
    page.locator("#own-config").fill('{"model_type": "bert"')
    page.locator("#own-show").click()
    expect(page.locator("#own-config-error")).not_to_be_empty()
    expect(page.locator("#own-show")).to_be_focused()
    expect(page.locator("#own-config")).to_be_in_viewport()


def test_choosing_a_file_by_keyboard(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(text(DISTILGPT2))
    choose_by_keyboard(page, "#own-file", path)
    expect(total(page)).to_have_attribute("value", "81912576")


WRONG = [
    (b'{"model_type": "gpt9"}', 'config.json: model_type is "gpt9"; accepted: '),
    (text({**DISTILGPT2, "n_layer": -6}), "config.json: n_layer is -6; accepted: an integer from 1 to"),
    (b"not json", "config.json: no JSON"),
    (b"\xff\xfe\x00", "config.json: no JSON"),
    (text({**DISTILGPT2, "n_head": 7}), "n_head is 7, which does not divide n_embd 768"),
    (text([1]), "a list of 1 items at the top"),
]


def test_an_error_stands_beside_the_field_and_the_model_stays(page: Page) -> None:
    for content, said in WRONG:
        # Twice at once is no worse than once.
        drop(page, {"config.json": content}, {"config.json": content})
        expect(page.locator("#own-config-error")).to_contain_text(said)
        expect(page.locator("#model")).to_have_value("gpt2")
        expect(total(page)).to_have_attribute("value", "124439808")
        if content.isascii():
            # What was given is there to be mended.
            expect(page.locator("#own-config")).to_have_value(content.decode())
    page.locator("#own-config").fill("")
    expect(page.locator("#own-config-error")).to_be_empty()


def test_what_is_too_long_is_refused_unread(page: Page) -> None:
    drop(page, {"config.json": b" " * 2_000_001})
    expect(page.locator("#own-config-error")).to_contain_text("holds 2,000,001 bytes; accepted: at most 2,000,000")
    expect(page.locator("#model")).to_have_value("gpt2")


def test_texts_of_brackets_get_their_sentence_and_python_lives_on(page: Page) -> None:
    for content in (b"[" * 8_000, b'{"a":' * 20_000, b"[" * 2_000_000):
        drop(page, {"config.json": content})
        expect(page.locator("#own-config-error")).to_contain_text("nested too deeply; accepted: at most 32 levels")
        drop(page, {"model.safetensors.index.json": content})
        expect(page.locator("#check-notice")).to_contain_text("the index is nested more than 32 levels deep")
        drop(page, {"model.safetensors": len(content).to_bytes(8, "little") + content})
        expect(page.locator("#check-notice")).to_contain_text("the header is nested more than 32 levels deep")
        drop(page, {"config.json": text(DISTILGPT2)})
        expect(total(page)).to_have_attribute("value", "81912576")
        page.locator("#own-remove").click()
        expect(total(page)).to_have_attribute("value", "124439808")


def test_stored_brackets_are_not_parsed(page: Page) -> None:
    page.evaluate("for (const key of ['own', 'solved', 'code']) localStorage[`anatomy:${key}`] = '['.repeat(90_000)")
    page.reload()
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    drop(page, {"config.json": text(DISTILGPT2)})
    expect(total(page)).to_have_attribute("value", "81912576")


def test_a_configuration_of_a_billion_blocks_does_not_freeze_the_page(page: Page) -> None:
    drop(page, {"config.json": text({**DISTILGPT2, "n_layer": 10**9})})
    expect(page.locator("#diagram")).to_contain_text("999,999,999 more blocks")
    expect(total(page)).to_have_attribute("value", str(81912576 + (10**9 - 6) * 7087872))


def test_it_is_kept_between_visits_until_it_is_removed(page: Page) -> None:
    drop(page, {"config.json": text(DISTILGPT2)})
    expect(total(page)).to_have_attribute("value", "81912576")
    page.reload()
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    expect(page.locator("#model")).to_have_value("own")
    expect(total(page)).to_have_attribute("value", "81912576")
    page.locator("#model").select_option("gpt2-xl")
    page.locator("#own-again").click()
    expect(total(page)).to_have_attribute("value", "81912576")
    page.locator("#own-remove").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#model")).to_have_value("gpt2")
    expect(page.locator("#model option[value=own]")).to_have_count(0)
    page.reload()
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    expect(page.locator("#own-config")).to_have_value("")


def test_a_link_to_someone_s_own_model_says_that_it_carries_none(visit: Visit) -> None:
    page = visit("#model=own&t=8&part=attention")
    expect(page.locator("#told")).to_contain_text("which no link carries")
    expect(page.locator("#model")).to_have_value("gpt2")


def test_a_drop_while_python_loads_is_read_when_it_is_there(visit: Visit) -> None:
    held: list[Route] = []
    page = visit(ready=False, prepare=lambda page: page.route("**/python.*.bin", lambda one: held.append(one)))
    page.wait_for_selector('html[data-python="loading"]', state="attached")
    drop(page, {"config.json": text(BERT_TINY)})
    expect(page.locator("#python-status")).to_contain_text("your files are read when it is ready")
    for route in held:
        route.continue_()
    page.unroute("**/python.*.bin")
    page.wait_for_selector(READY, state="attached", timeout=START_TIMEOUT)
    expect(total(page)).to_have_attribute("value", "4385920")


def test_markup_in_names_and_values_stays_text(page: Page) -> None:
    name = "<img src=x onerror=alert(1)>.json"
    drop(page, {name: text({"model_type": "<img src=x onerror=alert(1)>"})})
    expect(page.locator("#own-config-error")).to_contain_text(name)
    drop(page, {"config.json": text({**DISTILGPT2, "_name_or_path": "<img src=x onerror=alert(1)>"})})
    expect(total(page)).to_have_attribute("value", "81912576")
    assert page.locator("img").count() == 0


def test_nothing_leaves_the_machine(page: Page) -> None:
    sent: list[Request] = []
    page.context.on("request", lambda request: sent.append(request))
    expect(page.locator("#own")).to_contain_text("nothing leaves this machine")
    drop(page, {"config.json": text(DISTILGPT2)})
    expect(total(page)).to_have_attribute("value", "81912576")
    # The page's own files may still be on their way into its cache; nothing else is asked for, and nothing is sent.
    assert [one.url for one in sent if one.method != "GET" or one.post_data or "?" in one.url] == []
