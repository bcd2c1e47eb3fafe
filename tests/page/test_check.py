"""A checkpoint held against the model on show: chosen, dropped, in shards, enormous, broken."""

from __future__ import annotations

import json
from pathlib import Path

import numpy
from playwright.sync_api import Page, expect

import anatomy
from tests.checkpoints import GPT2, LLAMA, arrays, entry, masks, raw, write, write_shards
from tests.page.brought import choose_by_keyboard, drop, drop_folder, drop_huge, drop_paths

REPORT = "#check-report"


def gpt2_header() -> bytes:
    """The header of GPT-2 small's released file, masks and all, without its half a gigabyte of numbers."""
    sizes = {tensor.name: tensor.shape for tensor in anatomy.load("gpt2").tensors()}
    sizes |= {f"h.{block}.attn.bias": (1, 1, 1024, 1024) for block in range(12)}
    return header(sizes)[0]


def header(sizes: dict[str, tuple[int, ...]]) -> tuple[bytes, int]:
    """A header for tensors of these sizes, and the bytes of data that it promises."""
    entries, at = {}, 0
    for name, shape in sizes.items():
        end = at + 4 * int(numpy.prod(shape, dtype="object"))
        entries[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, end]}
        at = end
    return raw(entries), at


def test_gpt2_small_s_file_is_explained_to_the_last_element(page: Page) -> None:
    start = gpt2_header()
    drop_huge(page, "model.safetensors", len(start) + 4 * 137_022_720, start)
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("The tensors are those of GPT-2 small: all 148 match.")
    said = "137,022,720 in the file = 124,439,808 parameters + 12 causal masks of 1,048,576."
    expect(page.locator(REPORT)).to_contain_text(said)
    expect(page.locator(f"{REPORT} [data-fits=true]")).to_have_count(1)


def test_of_a_file_of_tens_of_gigabytes_only_the_header_is_read(page: Page) -> None:
    llama = anatomy.load("llama-3-70b")
    start, data = header({tensor.name: tensor.shape for tensor in llama.tensors()})
    page.locator("#model").select_option("llama-3-70b")
    drop_huge(page, "model.safetensors", len(start) + data, start)
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("all 723 match")
    assert page.evaluate("window.slices") == [[0, 8], [8, len(start)]]


def test_another_model_s_file_leads_to_that_model(page: Page) -> None:
    start, data = header({tensor.name: tensor.shape for tensor in anatomy.load("pythia-70m").tensors()})
    drop_huge(page, "model.safetensors", len(start) + data, start)
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("The tensors are not those of GPT-2 small")
    page.locator("#check-fit").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#model")).to_have_value("pythia-70m")
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("The tensors are those of Pythia 70M")


def test_shards_and_their_index_chosen_by_keyboard(page: Page, tmp_path: Path) -> None:
    drop(page, {"config.json": json.dumps(LLAMA).encode()})
    expect(page.locator("#model")).to_have_value("own")
    write_shards(tmp_path, arrays(LLAMA), 3)
    choose_by_keyboard(page, "#check-checkpoint", *sorted(tmp_path.iterdir()))
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("The tensors are those of your model: all 39 match.")
    page.locator("#check-clear").focus()
    page.keyboard.press("Enter")
    expect(page.locator(REPORT)).to_be_empty()


def test_a_configuration_and_its_file_dropped_together_and_at_once(page: Page, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(GPT2), encoding="utf-8")
    file = write(tmp_path / "model.safetensors", arrays(GPT2) | masks(3, 16))
    drop_paths(page, file, config)
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("all 40 match")
    expect(page.locator("#model")).to_have_value("own")
    # Two drops without a breath between them: neither is lost.
    page.locator("#check-clear").click()
    page.locator("#own-remove").click()
    drop(page, {file.name: file.read_bytes()}, {config.name: config.read_bytes()})
    expect(page.locator("#model")).to_have_value("own")
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("all 40 match")


def test_an_index_without_its_shards_and_with_some(page: Page, tmp_path: Path) -> None:
    drop(page, {"config.json": json.dumps(LLAMA).encode()})
    expect(page.locator("#model")).to_have_value("own")
    index = write_shards(tmp_path, arrays(LLAMA), 3)
    drop_paths(page, index)
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("Without its files no shape can be checked")
    drop_paths(page, index, tmp_path / "model-00001-of-00003.safetensors")
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("2 files of the checkpoint are not here")
    expect(page.locator(REPORT)).to_contain_text("model-00002-of-00003.safetensors, model-00003-of-00003.safetensors")


def test_differences_are_said_in_words_and_markup_stays_text(page: Page, tmp_path: Path) -> None:
    drop(page, {"config.json": json.dumps(GPT2).encode()})
    expect(page.locator("#model")).to_have_value("own")
    tensors = arrays(GPT2)
    del tensors["h.1.ln_1.weight"]
    tensors["wte.weight"] = numpy.zeros((51, 8), "float32")
    tensors["<img src=x onerror=alert(1)>"] = numpy.zeros(3, "float32")
    file = write(tmp_path / "model.safetensors", tensors)
    drop(page, {"<img src=x onerror=alert(1)>.safetensors": file.read_bytes()})
    rows = page.locator(f"{REPORT} .differs tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="h.1.ln_1.weight")).to_contain_text("missing")
    expect(rows.filter(has_text="wte.weight")).to_contain_text("51 × 8 in the file, 50 × 8 expected")
    expect(rows.filter(has_text="onerror")).to_contain_text("unexpected")
    expect(page.locator(REPORT)).to_contain_text("<img src=x onerror=alert(1)>.safetensors")
    assert page.locator("img").count() == 0


BAD = [
    ("model.safetensors", b"", "the file is empty"),
    ("cat.png", b"\x89PNG\r\n\x1a\n" + bytes(64), "cat.png: the file is a PNG picture; accepted: a .safetensors file"),
    ("model.safetensors", gpt2_header()[:400], "and the file holds 392 after its length"),
    ("model.safetensors", raw({}, length=2**60), "claims 1,152,921,504,606,846,976 bytes"),
    ("overlap.safetensors", raw({"a": entry(0, 8), "b": entry(4, 12)}, 12), "starts at byte 4"),
    ("odd.safetensors", raw({"a": entry(0, 8, dtype="F128")}, 8), 'the dtype of "a" is "F128"'),
    ("model.safetensors.index.json", b'{"weight_map": {"a": "../x"}}', "accepted: a file name without a folder"),
    ("model.safetensors.index.json", b"[]", "the index is a list"),
]


def test_bad_files_get_their_sentence_and_nothing_is_lost(page: Page) -> None:
    start = gpt2_header()
    drop_huge(page, "model.safetensors", len(start) + 4 * 137_022_720, start)
    expect(page.locator(f"{REPORT} .verdict")).to_contain_text("all 148 match")
    for name, content, said in BAD:
        drop(page, {name: content})
        expect(page.locator("#check-notice")).to_contain_text(said)
        expect(page.locator(f"{REPORT} .verdict")).to_contain_text("all 148 match")
        expect(page.locator("#model")).to_have_value("gpt2")


def test_a_folder_gets_its_sentence(page: Page) -> None:
    drop_folder(page, "gpt2")
    expect(page.locator("#check-notice")).to_have_text('"gpt2" is a folder; drop the files inside it instead.')
