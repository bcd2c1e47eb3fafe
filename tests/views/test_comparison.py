"""Every value of the page's comparison against a second count, and where a second model cannot stand beside it."""

import json
from fractions import Fraction
from typing import NamedTuple

import pytest

from anatomy.views.page import regions
from anatomy.visit import brought
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model, choose_other, choose_seq_len
from tests.checkpoints import LLAMA
from tests.elements import Element, elements
from tests.second_count import Second, reads, rounded, second, share

FIGURES = {
    "parameters": "Parameters",
    "without-embeddings": "Without embeddings",
    "active": "Active per token",
    "flops": "Forward FLOPs per token, full square",
    "kv-cache": "KV cache bytes at T, bf16",
    "kv-per-token": "KV cache bytes per token, bf16",
    "decode-flops": "FLOPs of a decode step",
    "weights-bytes": "Weights as released, bytes",
    "blocks": "Blocks",
    "blocks-dense": "Blocks with an MLP",
    "block-dense": "One block with an MLP, parameters",
    "blocks-routed": "Blocks with experts",
    "block-routed": "One block with experts, parameters",
    "blocks-encoder-dense": "Encoder blocks with an MLP",
    "block-encoder-dense": "One encoder block with an MLP, parameters",
    "blocks-decoder-dense": "Decoder blocks with an MLP",
    "block-decoder-dense": "One decoder block with an MLP, parameters",
    "width": "Width",
    "heads": "Query heads",
    "kv-heads": "KV heads",
    "head-size": "Head size",
    "mlp-width": "MLP width",
    "expert-width": "Width of an expert",
    "experts": "Experts",
    "experts-per-token": "Experts per token",
    "vocabulary": "Vocabulary",
    "context": "Context",
}


class Pair(NamedTuple):
    """Two models, the T that is asked for and the one that both take, and the parts in the table's order."""

    first: str
    second: str
    asked: str
    taken: int
    parts: str


PAIRS = [
    Pair("gpt2", "llama-3-8b", "1024", 1024, "embedding norm-attention attention norm-mlp mlp final-norm unembedding"),
    Pair(
        "mixtral-8x7b",
        "deepseek-v2-lite",
        "9001",
        9001,
        "embedding norm-attention attention norm-mlp mlp router experts shared-expert final-norm unembedding",
    ),
    Pair(
        "t5-small",
        "whisper-tiny",
        "7",
        7,
        "embedding norm-attention attention norm-mlp mlp final-norm norm-cross-attention cross-attention unembedding",
    ),
    Pair(
        "gpt2",
        "vit-base",
        "8",
        197,
        "embedding norm-attention attention norm-mlp mlp final-norm head unembedding",
    ),
]


def beside(first: str, other: str, seq_len: str = "8") -> Element:
    """The comparison as elements."""
    state = choose_other(choose_seq_len(choose_model(State(), first), seq_len), other)
    assert not state.notices
    return elements(regions(state, ("comparison",))["comparison"])


def parts(count: Second) -> dict[str, int]:
    """The parameters of each part, all its places together; the residual stream has no tensor."""
    found: dict[str, int] = {}
    for place in count.places():
        if place.id != "residual":
            found[place.id] = found.get(place.id, 0) + count.held(place)
    return found


def ratio(cell: Element, first: int | Fraction | None, other: int | Fraction | None) -> None:
    """How many times the first number the second is, exactly and in words."""
    if not first or not other:
        assert (cell.text, cell.values) == ("–", [])
        return
    by = Fraction(other) / Fraction(first)
    ((value, words),) = cell.values
    assert value == (str(by.numerator) if by.denominator == 1 else f"{by.numerator}/{by.denominator}")
    times = words.removesuffix(" ×")
    assert words == f"{times} ×"
    assert reads(times, by) or (by == 1 and times == "1")
    assert cell.text == words


def number(cell: Element, value: int | Fraction | None, total: int | None = None) -> None:
    """A number of one model, with its share of that model's total among the parts."""
    if value is None:
        assert (cell.text, cell.values) == ("–", [])
        return
    ((exactly, words),) = cell.values
    assert float(exactly) == float(value)
    assert reads(words, value)
    more = cell.all("span", "more")
    assert cell.text == words + "".join(one.text for one in more)
    assert len(more) == (total is not None)
    for one in more:
        assert share(one.text, Fraction(value, total or 1))
        assert one["title"] == f"{rounded(Fraction(value, total or 1) * 100, 4)}%"


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.first}-{pair.second}")
def test_the_table(pair: Pair) -> None:
    shown = beside(pair.first, pair.second, pair.asked)
    counts = [second(slug, pair.taken) for slug in (pair.first, pair.second)]
    totals = [one.total for one in counts]
    moved = f" {counts[1].model.name} does not run at {pair.asked}." if pair.asked != str(pair.taken) else ""
    note = shown.one("div", id="side-by-side").all("p", "note")[0].text
    head = f"Both at T = {pair.taken:,}.{moved} {counts[1].model.name} has "
    assert note.startswith(head)
    times, _, rest = note.removeprefix(head).partition(" times as many parameters as ")
    assert reads(times, Fraction(totals[1], totals[0]))
    assert rest == f"{counts[0].model.name}; every ratio is of its number to the other’s."
    table = shown.one("table", "comparison")
    heads = [one.text for one in table.one("thead").all("th")]
    assert heads == ["Part", *(one.model.name for one in counts), "Ratio"]
    held = [parts(one) for one in counts]
    *lines, last = table.one("tbody", "by-part").children
    assert [line["data-line"] for line in lines] == pair.parts.split()
    for line in lines:
        values = [one.get(line["data-line"]) for one in held]
        one, other, by = line.all("td")
        number(one, values[0], totals[0])
        number(other, values[1], totals[1])
        ratio(by, *values)
        group = {row.group for count in counts for row in count.model.rows if row.part_id == line["data-line"]}
        assert line.classes[0].removeprefix("g-") in group
        assert len(line.one("th").all("span", "key")) == 1
    assert last.one("th").text == "Total"
    for at, cell in enumerate(last.all("td")[:2]):
        ((value, words),) = cell.values
        assert value == str(totals[at])
        assert reads(words, totals[at])
        worded = [line.all("td")[at].all("span", "more")[0].text for line in lines if line.all("td")[at].values]
        whole = not any("r" in one for one in worded) and sum(Fraction(one[:-1]) for one in worded) == 100
        assert cell.one("span", "more").text == ("100%" if whole else "100%, rounded")
    between, *lines = table.one("tbody", "by-figure").children
    assert between.text == "In figures"
    found = [one.compared() for one in counts]
    had = {name for one in found for name, value in one.items() if value is not None}
    named = {line["data-line"]: line.one("th").text for line in lines}
    assert named == {name: label for name, label in FIGURES.items() if name in had}
    assert list(named) == [name for name in FIGURES if name in had]
    for line in lines:
        values_ = [one.get(line["data-line"]) for one in found]
        one, other, by = line.all("td")
        number(one, values_[0])
        number(other, values_[1])
        ratio(by, *values_)
        assert not line.all("span", "key")


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.first}-{pair.second}")
def test_the_bars(pair: Pair) -> None:
    shown = beside(pair.first, pair.second, pair.asked)
    counts = [second(slug, pair.taken) for slug in (pair.first, pair.second)]
    largest = max(one.total for one in counts)
    for side, count in zip(shown.all("div", "side"), counts, strict=True):
        name = side.one("p", "bar-name")
        ((value, words),) = name.values
        assert (value, name.text) == (str(count.total), f"{count.model.name}: {words}")
        assert reads(words, count.total)
        for style, whole, high in (("scaled", Fraction(count.total, largest), "14"), ("shares", Fraction(1), "30")):
            bar = side.one("svg", style)
            assert (bar["width"], bar["height"]) == ("100%", high)
            at = Fraction(0)
            for piece, (group, held) in zip(bar.all("g"), count.groups.items(), strict=True):
                wide, box = whole * Fraction(held, count.total), piece.one("rect")
                assert (piece["data-piece"], piece.classes) == (group, ["piece", f"g-{group}"])
                assert (box["x"], box["width"]) == (f"{rounded(at * 100, 2)}%", f"{rounded(wide * 100, 2)}%")
                assert (box["y"], box["height"]) == ("0", high)
                at += wide
            rest = [(one["x"], one["y"], one["width"], one["height"]) for one in bar.all("rect", "rest")]
            assert rest == ([("0", "0", "100%", high)] if style == "scaled" else [])


def test_the_picker_offers_the_catalogue_and_a_configuration_of_ones_own() -> None:
    state = brought.own_config(choose_other(State(), "llama-3-8b"), json.dumps(LLAMA))
    for other in ("llama-3-8b", "own", None):
        shown = elements(regions(choose_other(state, other), ("comparison",))["comparison"])
        options = shown.one("select", id="with").all("option")
        assert [(one["value"], one.text) for one in options[:2]] == [("", "no other model"), ("own", "Your model")]
        assert [one["value"] for one in options if one.get("selected") is not None] == [other or ""]
        assert bool(shown.one("div", id="side-by-side").children) == bool(other)
        assert shown.one("label", for_="with").text == "Compare your model with"
    assert "own" not in {one["value"] for one in beside("gpt2", "gpt2-xl").one("select", id="with").all("option")}


def test_two_models_of_one_kind_and_two_that_never_meet() -> None:
    alike = beside("gpt2", "gpt2-xl").one("div", id="side-by-side")
    assert alike.children[-1].text == "Nothing: the two differ in size only."
    short = brought.own_config(State(), json.dumps(LLAMA | {"max_position_embeddings": 64}))
    apart = elements(regions(choose_other(short, "vit-base"), ("comparison",))["comparison"])
    said = "Your model and ViT base run at no common sequence length."
    assert apart.one("div", id="side-by-side").text == said
