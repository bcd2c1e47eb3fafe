"""The anatomy record: parts, kinds of blocks, shares, activations."""

import json
from math import prod

import pytest

import anatomy
from anatomy.report.anatomy import default_seq_len, describe
from anatomy.report.document import as_dict, to_json
from anatomy.report.weights import order
from anatomy.teaching.explanations import explain
from tests import witness

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


@pytest.mark.parametrize("slug", SLUGS)
def test_matrices_come_first_and_in_the_order_of_the_papers_however_they_are_stored(slug: str) -> None:
    model = anatomy.load(slug)
    for part in describe(model, default_seq_len(model, 8)).parts:
        symbols = [name for weight in part.weights for name in weight.symbol.split(", ")]
        assert symbols == sorted(symbols, key=order)
        if "attention" in part.id and "W_K" in symbols:
            assert [name for name in symbols if name.startswith("W_")] == ["W_Q", "W_K", "W_V", "W_O"]


def test_no_symbol_is_without_its_place() -> None:
    models = [anatomy.load(slug) for slug in SLUGS]
    symbols = {weight.symbol for model in models for part in describe(model, default_seq_len(model, 8)).parts
               for weight in part.weights}  # fmt: skip
    last = order("something else")
    assert not {one for one in symbols if order(one)[0] == last[0]}
    assert not {one for one in symbols if "_" in one and order(one)[1] == last[1]}


def test_whisper_stores_its_keys_first_and_has_no_key_bias() -> None:
    shown = describe(anatomy.load("whisper-small"))
    for part_id in ("attention", "cross-attention"):
        part = shown.find(part_id, "decoder")
        assert part is not None
        assert [weight.symbol for weight in part.weights] == ["W_Q", "W_K", "W_V", "W_O", "b_Q", "b_V", "b_O"]


def test_kinds_of_attention_are_told_apart_where_a_model_has_several() -> None:
    def said(slug: str) -> list[str]:
        return [part.label for part in describe(anatomy.load(slug)).parts if part.id == "attention"]

    assert said("gpt2") == ["Multi-head self-attention"]
    assert said("llama-3-8b") == ["Grouped-query attention"]
    assert said("mistral-7b-v0.1") == ["Grouped-query attention"]
    assert said("gpt-oss-20b") == ["Grouped-query attention, window 128", "Grouped-query attention, full"]
    assert said("gemma-3-1b") == ["Multi-query attention, window 512", "Multi-query attention, full"]
    assert said("llama-4-scout") == ["Grouped-query attention, chunks of 8,192", "Grouped-query attention, full"]
    assert set(said("bart-large")) == {"Multi-head self-attention"}


def test_groups_are_worded_for_one_block_and_for_several_heads() -> None:
    words = {group.label for slug in SLUGS for group in describe(anatomy.load(slug), _length(slug)).groups}
    assert "MLP, 1 block" in words
    assert not {one for one in words if "1 blocks" in one}
    bert = witness.load("bert-base-uncased-pretraining").config
    assert describe(anatomy.load(bert)).groups[-1].label == "Pooler, unembedding and classifier"


def _length(slug: str) -> int:
    return default_seq_len(anatomy.load(slug))


@pytest.mark.parametrize("slug", ["olmo-1b", "olmo-7b"])
def test_norms_that_hold_nothing_are_shown_all_the_same(slug: str) -> None:
    model = anatomy.load(slug)
    shown = describe(model)
    assert [part.id for part in shown.parts] == [
        "embedding", "residual", "norm-attention", "attention", "norm-mlp", "mlp", "final-norm", "unembedding",
    ]  # fmt: skip
    for part_id in ("norm-attention", "norm-mlp", "final-norm"):
        part = shown.find(part_id)
        assert part is not None
        assert (part.group, part.parameters, part.weights, part.flops) == ("norms", 0, (), 0)
        assert part.activations[0].shape == (8, model.width)
        assert "holds no parameters" in explain(shown, part)[1]
    assert "norms" not in model.groups()


def test_opt_without_scales_has_norms_that_hold_nothing() -> None:
    values = {**witness.load("opt-125m").config, "layer_norm_elementwise_affine": False}
    shown = describe(anatomy.load(values))
    assert [part.id for part in shown.parts if part.group == "norms"] == ["norm-attention", "norm-mlp", "final-norm"]
    after = describe(anatomy.load({**values, "do_layer_norm_before": False}))
    assert [part.id for part in after.parts if part.group == "norms"] == ["norm-post-attention", "norm-post-mlp"]
