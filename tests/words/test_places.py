"""Blocks are counted from 1 and, as the checkpoint's names have them, from 0: wherever the page says which."""

import re
from html import unescape

import pytest

import anatomy
from anatomy.model.blocks import Blocks, count
from anatomy.views import compute, panel, parts, try_this
from anatomy.views.drawing import diagram
from anatomy.views.wording import where
from anatomy.visit import steps
from anatomy.visit.state import State
from anatomy.words.places import indices, numbers, places

# Where blocks have numbers, and how the checkpoint's indices have to stand behind them.
NUMBERED = re.compile(r"\b[Bb]locks? \d")
BESIDE = re.compile(r"\b[Bb]locks? \d[\d,–… ]*(?:of [\d,]+)?, (?:encoder\.|decoder\.)?(?:layers?|h|blocks?)\.\d")


@pytest.mark.parametrize(
    ("blocks", "worded", "found"),
    [
        ((range(3, 61),), "4–61", "layers.3 to layers.60"),
        ((range(3),), "1–3", "layers.0 to layers.2"),
        ((range(1),), "1", "layers.0"),
        ((range(0, 26, 2),), "1, 3, … 25", "layers.0, 2, … 24"),
        ((range(0, 3), range(4, 7), range(8, 11)), "1–3, 5–7, 9–11", "layers.0–2, 4–6, 8–10"),
        (tuple(range(at, at + 3) for at in range(0, 32, 4)), "1–3, 5–7, … 29–31", "layers.0–2, 4–6, … 28–30"),
        ((range(0, 3, 2),), "1, 3", "layers.0, 2"),
        ((range(1199, 1201),), "1,200–1,201", "layers.1199 to layers.1200"),
    ],
)
def test_the_same_blocks_are_counted_both_ways(blocks: Blocks, worded: str, found: str) -> None:
    model = anatomy.load("llama-3-70b")
    assert (numbers(blocks), indices(model, "decoder", blocks)) == (worded, found)
    assert places(model, "decoder", blocks) == f"block{'' if count(blocks) == 1 else 's'} {worded}, {found}"


@pytest.mark.parametrize(
    ("slug", "stack", "first"),
    [
        ("gpt2", "decoder", "h.0"),
        ("llama-3-70b", "decoder", "layers.0"),
        ("pythia-160m", "decoder", "layers.0"),
        ("falcon-7b", "decoder", "h.0"),
        ("mpt-7b", "decoder", "blocks.0"),
        ("gemma-3-27b", "decoder", "layers.0"),
        ("bert-base-uncased", "encoder", "encoder.layer.0"),
        ("vit-base", "encoder", "encoder.layer.0"),
        ("t5-small", "decoder", "decoder.block.0"),
        ("whisper-tiny", "encoder", "encoder.layers.0"),
        ("opt-125m", "decoder", "decoder.layers.0"),
    ],
)
def test_a_block_is_named_by_its_models_own_path(slug: str, stack: str, first: str) -> None:
    model = anatomy.load(slug)
    assert indices(model, stack, (range(1),)) == first
    stored = [row.name.replace("{block}", "0") for row in model.rows if row.blocks and row.stack in (None, stack)]
    assert all(f".{first}." in f".{name}" for name in stored)


@pytest.mark.parametrize("slug", ["deepseek-v3", "gemma-2-2b", "t5-small", "gpt-oss-20b", "command-r7b"])
def test_every_view_that_numbers_blocks_says_their_indices(slug: str) -> None:
    state = steps.choose_model(State(), slug)
    shown = state.anatomy
    several = next(part for part in shown.parts if part.blocks and where(shown, part))
    selected = steps.select_part(state, *shown.address(several))
    for view in (panel.view, compute.view, parts.view, diagram.view, try_this.view):
        markup = unescape(str(view(selected)))
        words = re.sub(r'<[^>]*aria-label="([^"]*)"[^>]*>', r" \1. ", re.sub("</?tspan[^>]*>", "", markup))
        words = re.sub("<[^>]+>", "|", words)
        found = [one.start() for one in NUMBERED.finditer(words)]
        assert found or view is try_this.view, view.__module__
        assert not [words[at : at + 60] for at in found if not BESIDE.match(words, at)], view.__module__
