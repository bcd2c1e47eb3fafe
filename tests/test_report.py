"""The anatomy record: parts, kinds of blocks, shares, activations."""

import json
from math import prod

import pytest

import anatomy
from anatomy.report import as_dict, default_seq_len, describe, to_json

SLUGS = list(anatomy.entries())


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_shown_adds_up(slug: str) -> None:
    model = anatomy.load(slug)
    shown = describe(model, default_seq_len(model, 8))
    assert sum(part.parameters for part in shown.parts) == model.parameters
    assert sum(part.share for part in shown.parts) == 1
    assert sum(group.share for group in shown.groups) == 1
    for part in shown.parts:
        held = sum(weight.parameters for weight in part.weights)
        assert held == (part.parameters if part.parameters_per_block is None else part.parameters_per_block)
    inside = sum(part.parameters for part in shown.parts if part.blocks)
    assert sum(kind.parameters * sum(map(len, kind.blocks)) for kind in shown.block_kinds) == inside


@pytest.mark.parametrize("slug", SLUGS)
def test_every_part_is_found_by_its_address(slug: str) -> None:
    model = anatomy.load(slug)
    shown = describe(model, default_seq_len(model, 8))
    assert [shown.find(*shown.address(part)) for part in shown.parts] == list(shown.parts)


def test_the_parts_of_gpt2_in_the_order_of_computation() -> None:
    shown = describe(anatomy.load("gpt2"))
    assert [part.id for part in shown.parts] == [
        "embedding",
        "residual",
        "norm-attention",
        "attention",
        "norm-mlp",
        "mlp",
        "final-norm",
        "unembedding",
    ]
    attention = shown.find("attention")
    assert attention is not None
    assert [(one.symbol, one.shape) for one in attention.weights] == [
        ("W_Q", (768, 768)),
        ("W_K", (768, 768)),
        ("W_V", (768, 768)),
        ("W_O", (768, 768)),
        ("b_Q, b_K, b_V", (2304,)),
        ("b_O", (768,)),
    ]
    assert {one.symbol: one.shape for one in attention.activations}["Scores, per head"] == (8, 8)


def test_only_activations_follow_t() -> None:
    model = anatomy.load("llama-3-8b")
    short, long = describe(model, 8), describe(model, 4096)
    for before, after in zip(short.parts, long.parts, strict=True):
        assert before.weights == after.weights
        for one, other in zip(before.activations, after.activations, strict=True):
            grown = prod(other.shape) // prod(one.shape)
            assert grown == (4096 // 8) ** one.depends_on.count("T")


def test_json_has_no_fraction_and_no_surprise() -> None:
    text = to_json(as_dict(describe(anatomy.load("qwen2.5-0.5b"), 7)))
    shown = json.loads(text)
    assert shown["parameters"]["total"] == 494032768
    assert [group["id"] for group in shown["groups"]] == ["embeddings", "attention", "mlp", "norms"]
    assert abs(sum(group["share"] for group in shown["groups"]) - 1) < 1e-12
    with pytest.raises(TypeError, match="is no JSON value"):
        to_json({"a": object()})


def test_the_nearest_legal_length() -> None:
    assert default_seq_len(anatomy.load("gpt2"), 10**6) == 1024
    assert default_seq_len(anatomy.load("gpt2"), 0) == 1
