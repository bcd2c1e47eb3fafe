"""The diagram of every kind of model: each part once, inside the drawing, wired and named."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field, replace
from html import unescape

import pytest

from anatomy import LoadedModel, entries, load
from anatomy.model.architecture import Attention
from anatomy.views.drawing import glyphs, wiring
from anatomy.views.drawing.canvas import route
from anatomy.views.drawing.diagram import WIDTH, draw
from anatomy.views.page import marked, regions
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model, select_part
from tests.elements import elements

STATES = {slug: choose_model(State(), slug) for slug in entries()}
KINDS = (
    "gpt2",  # one kind of block
    "falcon-7b",  # attention and MLP side by side, one norm
    "gpt-neox-20b",  # side by side, a norm each
    "gemma-2-2b",  # norms before and after, local and global attention
    "bert-base-uncased",  # norms on the stream
    "deepseek-v3",  # dense blocks, then experts with a shared one; a latent
    "bart-large",  # two stacks
    "whisper-tiny",  # frames in, tokens out
    "vit-base",  # patches
)


@dataclass(frozen=True)
class Shown(State):
    """A state that shows a model which is in no catalogue."""

    made: LoadedModel = field(default_factory=lambda: load("gpt2"))

    @property
    def loaded(self) -> LoadedModel:
        """The model itself."""
        return self.made


def links(state: State) -> list[ElementTree.Element]:
    return ElementTree.fromstring(marked(draw(state), state)).findall("a")


@pytest.mark.parametrize("name", STATES)
def test_every_part_is_drawn_once_and_in_order(name: str) -> None:
    state = STATES[name]
    anatomy = state.anatomy
    drawn = [(one.get("data-part"), one.get("data-stack"), one.get("data-blocks")) for one in links(state)]
    assert drawn == [anatomy.address(part) for part in anatomy.parts]


@pytest.mark.parametrize("name", KINDS)
def test_one_part_says_that_it_is_selected(name: str) -> None:
    state = STATES[name]
    for part in state.anatomy.parts:
        chosen = select_part(state, *state.anatomy.address(part))
        current = [one for one in links(chosen) if one.get("aria-current")]
        assert [one.get("href") for one in current] == [chosen.link(part)]


@pytest.mark.parametrize("name", STATES)
def test_a_link_is_named_by_label_and_exact_count(name: str) -> None:
    state = STATES[name]
    for part, one in zip(state.anatomy.parts, links(state), strict=True):
        said = one.get("aria-label") or ""
        assert said.startswith(part.label)
        # What is seen is heard, in the same order.
        seen = " ".join("".join(text.itertext()) for text in one.findall("text"))
        assert " ".join(seen.replace(",", "").split()) in said.replace(",", "")
        assert f"{part.parameters:,} parameters" in said or not part.parameters


@pytest.mark.parametrize("name", STATES)
def test_boxes_stay_inside_the_drawing_are_tall_enough_and_do_not_overlap(name: str) -> None:
    drawing = ElementTree.fromstring(draw(STATES[name]))
    height = float((drawing.get("viewBox") or "").split()[3])
    below = 0.0
    for box in drawing.iterfind("a/rect[@class='box']"):
        x, y, wide, high = (float(box.get(side) or 0) for side in ("x", "y", "width", "height"))
        assert x >= 0
        assert x + wide <= WIDTH
        assert y >= below
        assert high >= 44
        below = y + high
    assert below <= height


def text(name: str) -> str:
    return " ".join("".join(ElementTree.fromstring(draw(STATES[name])).itertext()).split())


def test_gpt2_says_what_stands_behind_its_block() -> None:
    assert "Block 1 of 12, h.0" in text("gpt2")
    assert "11 more blocks with the same shape and their own weights" in text("gpt2")
    assert "T × d = 8 × 768" in text("gpt2")
    assert "Logits, 8 × 50,257" in text("gpt2")


def test_kinds_of_blocks_have_a_frame_each() -> None:
    assert "Blocks 1–3 of 61, layers.0 to layers.2" in text("deepseek-v3")
    assert "Blocks 4–61 of 61, layers.3 to layers.60" in text("deepseek-v3")
    assert "8 of 256 used per token" in text("deepseek-v3")
    assert "Blocks 1, 3, … 25 of 26, layers.0, 2, … 24" in text("gemma-2-2b")
    assert "sees the last 4,096 tokens" in text("gemma-2-2b")
    assert "sees all earlier tokens" in text("gemma-2-2b")


def test_a_window_without_a_causal_mask_reaches_to_both_sides() -> None:
    both = load(dict(entries()["gemma-3-1b"].config) | {"use_bidirectional_attention": True})
    drawn = unescape(draw(Shown(made=both)))
    assert "sees the nearest 513 tokens" in drawn
    assert "sees both directions" in drawn
    assert "the last 51" not in drawn


def test_grouped_heads_are_drawn_as_many_as_they_are() -> None:
    for state, queries, shared in ((STATES["llama-3-70b"], 64, 8), (STATES["gpt2"], 12, 12)):
        attention = next(one for one in links(state) if one.get("data-part") == "attention")
        drawn = {one.get("class"): (one.get("d") or "").count("M") for one in attention.findall("path")}
        assert drawn == {"query": queries, "kv": shared}


@pytest.mark.parametrize(("number", "used"), [(8, 2), (16, 1), (128, 1), (256, 8), (384, 8), (32, 4)])
def test_as_many_experts_are_filled_as_are_used(number: int, used: int) -> None:
    drawn, _ = glyphs.experts(number, used, 0, 0, 230)
    paths = dict(re.findall(r'class="([^"]+)" d="([^"]+)"', drawn))
    assert paths["expert used"].count("M") == used
    assert paths["expert"].count("M") == number - used


def test_a_claim_of_a_billion_heads_is_drawn_as_a_bar() -> None:
    many = replace(load("gpt2").attention[0], query_heads=10**9, kv_heads=10**9)
    assert len(glyphs.heads(many, 0, 0, 200)) < 300
    assert len(glyphs.experts(10**9, 2, 0, 0, 200)[0]) < 300


def test_the_encoder_leads_to_every_kind_of_cross_attention() -> None:
    assert draw(STATES["bart-large"]).count('class="memory"') == 1
    assert draw(STATES["t5-small"]).count('class="memory"') == 2
    assert "Encoder" in text("bart-large")
    assert "Decoder" in text("bart-large")


def test_a_parallel_branch_is_led_past_the_one_before_it() -> None:
    def turns(name: str) -> list[int]:
        return [line.count("Q") for line in re.findall(r'class="branch" d="([^"]+)"', draw(STATES[name]))]

    # Out to the right, down, and back into the MLP.
    assert turns("gpt2").count(2) == 0
    assert turns("falcon-7b").count(2) == 1
    assert turns("gpt-neox-20b").count(2) == 1


def test_experts_read_the_norm_and_are_chosen_by_the_router() -> None:
    mixtures = [slug for slug, state in STATES.items() if state.anatomy.find("router")]
    assert len(mixtures) >= 17
    for slug in mixtures:
        drawn, parts = draw(STATES[slug]), STATES[slug].anatomy.parts
        routers = sum(part.id == "router" for part in parts)
        assert drawn.count('class="choice"') == drawn.count(wiring.CHOICE) == routers, slug
        # A line leads past the router into the experts, and one past both into a shared expert.
        past = [one for one in re.findall(r'class="branch" d="([^"]+)"', drawn) if one.count("Q") == 2]
        past = [one for one in past if not one.startswith("M60 ")]
        assert len(past) == routers + sum(part.id == "shared-expert" for part in parts), slug


def test_blocks_of_one_shape_that_compute_in_two_ways_say_so() -> None:
    assert "9 of the 36 do not rotate queries and keys" in text("smollm3-3b")
    assert "Every other one attends in sparse bands" in text("gpt-3-175b")
    for plain in ("gpt2", "llama-3-70b"):
        assert "do not rotate" not in text(plain)
        assert "sparse bands" not in text(plain)


def test_the_end_says_what_comes_out() -> None:
    assert text("vit-base-in21k").endswith("Pooled, 1 × 768")
    assert text("vit-base").endswith("Logits, 1 × 1,000")
    assert text("gpt2").endswith("Logits, 8 × 50,257")


def test_a_name_is_no_markup() -> None:
    drawn = draw(Shown(made=replace(load("gpt2"), name="<b>&\"'")))
    assert "<b>" not in drawn
    assert "Diagram of <b>&\"'" in unescape(drawn)


def test_a_route_turns_in_rounded_corners() -> None:
    assert route([(0, 0), (20, 0), (20, 30)]) == "M0 0L13 0Q20 0 20 7L20 30"


def test_the_facts_above_the_drawing() -> None:
    for name in KINDS:
        entry, model = entries()[name], load(name)
        made = [f"{entry.maker}, {entry.released[:4]}"]
        for stack in model.stacks:
            made.append(f"{stack.blocks} {f'{stack.id} ' if len(model.stacks) > 1 else ''}blocks")
        made += [f"d = {model.width:,}", *([f"vocabulary {model.vocabulary:,}"] if model.vocabulary else [])]
        shown = elements(regions(STATES[name], ("drawing",))["drawing"]).one("p", "facts")
        assert [one.text for one in shown.children] == made
        assert shown.text == " · ".join(made)


@pytest.mark.parametrize(("queries", "keys", "cells"), [(160, 160, 320), (160, 1, 161), (161, 1, 2), (1, 1, 2)])
def test_heads_that_would_be_thinner_than_a_line_are_one_bar(queries: int, keys: int, cells: int) -> None:
    drawn = elements(glyphs.heads(Attention("decoder", (), queries, keys, 64, 64), 0, 0, 320)).children
    assert [one.classes for one in drawn] == [["query"], ["kv"]]
    assert sum(one["d"].count("M") for one in drawn) == cells
