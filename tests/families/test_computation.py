"""What sentences depend on is read from the configuration: for each field, the catalogue models that say it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import anatomy
from anatomy.model.computation import Computation
from anatomy.reading.config import ConfigError

MODELS = {slug: anatomy.load(slug) for slug in anatomy.entries()}
HOW: dict[str, Any] = {slug: model.computation for slug, model in MODELS.items()}
MIXTURES = {slug for slug, model in MODELS.items() if model.traits.experts}


def said(of: Callable[[Computation], Any]) -> dict[str, Any]:
    """What the models of the catalogue say, without those that say nothing or what is usual."""
    return {slug: value for slug, how in HOW.items() if (value := of(how))}


def test_every_model_of_the_catalogue_is_read() -> None:
    assert None not in HOW.values()


def test_embeddings_are_scaled_by_the_root_of_the_width_or_a_number() -> None:
    assert said(lambda how: how.embedding_scale.changes and (how.embedding_scale.number, how.embedding_scale.root)) == {
        **{slug: (model.width, True) for slug, model in MODELS.items() if slug.startswith("gemma")},
        "granite-3.0-2b": (12, False),
        "granite-3.0-8b": (12, False),
    }


def test_residuals_are_scaled() -> None:
    granite = {"granite-3.0-2b", "granite-3.0-8b"}
    assert said(lambda how: how.residual_scale.changes and how.residual_scale.number) == dict.fromkeys(
        granite, Fraction("0.22")
    )


def test_scores_are_divided_by_the_root_of_the_head_size_but_for_these() -> None:
    unusual = {}
    for slug, model in MODELS.items():
        scale = HOW[slug].score_scale
        if (scale.number, scale.root) != (Fraction(1, model.attention[0].qk_size), True):
            unusual[slug] = scale.number, scale.root
    assert unusual == {
        "gemma-2-27b": (Fraction(1, 144), True),
        "gemma-3-27b": (Fraction(1, 168), True),
        "granite-3.0-2b": (Fraction(1, 64), False),
        "granite-3.0-8b": (Fraction(1, 128), False),
        **dict.fromkeys(("t5-small", "t5-base", "t5-v1.1-small", "flan-t5-xl"), (1, False)),
    }


def test_caps() -> None:
    second = dict.fromkeys(("gemma-2-2b", "gemma-2-9b", "gemma-2-27b"))
    assert said(lambda how: how.score_cap) == dict.fromkeys(second, 50)
    assert said(lambda how: how.logit_cap) == dict.fromkeys(second, 30)
    assert said(lambda how: how.qkv_limit) == {"dbrx": 8}


def test_logits_are_scaled() -> None:
    assert said(lambda how: how.logit_scale.changes and (how.logit_scale.number, how.logit_scale.root)) == {
        "command-r": (Fraction("0.0625"), False),
        "command-r-plus": (Fraction("0.8333333333333334"), False),
        "command-r7b": (Fraction("0.25"), False),
        "granite-3.0-2b": (Fraction(1, 8), False),
        "granite-3.0-8b": (Fraction(1, 16), False),
        "t5-small": (Fraction(1, 512), True),
        "t5-base": (Fraction(1, 768), True),
    }


def test_norms_scale_by_one_and_gamma() -> None:
    assert set(said(lambda how: how.norm_offset)) == {slug for slug in MODELS if slug.startswith("gemma")}


def test_a_part_of_each_head_is_rotated() -> None:
    partly = {}
    for slug, model in MODELS.items():
        rotation, record = HOW[slug].rotation, model.attention[0]
        if rotation and rotation.size != record.qk_size:
            partly[slug] = rotation.size, record.qk_size
    assert partly == {
        "gpt-j-6b": (64, 256),
        "pythia-70m": (16, 64),
        "pythia-160m": (16, 64),
        "pythia-12b": (32, 128),
        "gpt-neox-20b": (24, 96),
        "phi-2": (32, 80),
        "phi-1.5": (32, 64),
        "phi-4-mini": (96, 128),
        "stablelm-3b-4e1t": (20, 80),
        "stablelm-2-1.6b": (16, 64),
        "stablelm-2-12b": (40, 160),
        "glm-4.5": (64, 128),
        "glm-4.5-air": (64, 128),
        **dict.fromkeys(("deepseek-v2", "deepseek-v2-lite", "deepseek-v3", "kimi-k2"), (64, 192)),
    }


def test_blocks_without_rotation() -> None:
    without = {slug: how.rotation.without for slug, how in HOW.items() if how.rotation and how.rotation.without}
    assert without == {
        "command-r7b": (range(3, 32, 4),),
        "llama-4-maverick": (range(3, 48, 4),),
        "llama-4-scout": (range(3, 48, 4),),
        "smollm3-3b": (range(3, 36, 4),),
    }


def test_bases_and_scaling_of_rotation() -> None:
    rotated = {slug: how.rotation for slug, how in HOW.items() if how.rotation}
    assert set(rotated) == {slug for slug, model in MODELS.items() if model.traits.positions == "rotary"}
    bases = {slug: (one.base, one.local_base) for slug, one in rotated.items() if one.local_base}
    assert bases == dict.fromkeys(("gemma-3-1b", "gemma-3-4b", "gemma-3-27b"), (1000000, 10000))
    tenth, less = Fraction(1, 10), Fraction("0.0707")
    scaled = {slug: (one.scaling, one.factor, one.sharpening) for slug, one in rotated.items() if one.scaling}
    assert scaled == {
        "deepseek-v2": ("yarn", 40, less),
        "deepseek-v2-lite": ("yarn", 40, less),
        "deepseek-v3": ("yarn", 40, tenth),
        "kimi-k2": ("yarn", 32, tenth),
        "gpt-oss-20b": ("yarn", 32, tenth),
        "gpt-oss-120b": ("yarn", 32, tenth),
        "llama-3.1-405b": ("llama3", 8, None),
        "llama-3.2-1b": ("llama3", 32, None),
        "llama-4-scout": ("llama3", 8, None),
        "gemma-3-4b": ("linear", 8, None),
        "gemma-3-27b": ("linear", 8, None),
    }


def test_routing() -> None:
    routed = {slug: how.routing for slug, how in HOW.items() if how.routing}
    assert set(routed) == MIXTURES
    assert {slug: (one.scores, one.over, one.normalised, one.factor) for slug, one in routed.items()} == {
        "dbrx": ("softmax", "all", True, 1),
        "deepseek-v2": ("softmax", "all", False, 16),
        "deepseek-v2-lite": ("softmax", "all", False, 1),
        "deepseek-v3": ("sigmoid", "all", True, Fraction("2.5")),
        "kimi-k2": ("sigmoid", "all", True, Fraction("2.827")),
        "glm-4.5": ("sigmoid", "all", True, Fraction("2.5")),
        "glm-4.5-air": ("sigmoid", "all", True, 1),
        "gpt-oss-20b": ("softmax", "chosen", True, 1),
        "gpt-oss-120b": ("softmax", "chosen", True, 1),
        "llama-4-scout": ("sigmoid", "all", False, 1),
        "llama-4-maverick": ("sigmoid", "all", False, 1),
        "mixtral-8x7b": ("softmax", "chosen", True, 1),
        "mixtral-8x22b": ("softmax", "chosen", True, 1),
        "qwen1.5-moe-a2.7b": ("softmax", "all", False, 1),
        "qwen2-57b-a14b": ("softmax", "all", False, 1),
        "qwen3-30b-a3b": ("softmax", "all", True, 1),
        "qwen3-235b-a22b": ("softmax", "all", True, 1),
    }
    groups = {slug: (one.groups, one.best_groups) for slug, one in routed.items() if one.groups > 1}
    assert groups == {"deepseek-v2": (8, 3), "deepseek-v3": (8, 4)}
    assert {slug for slug, one in routed.items() if one.weighs == "input"} == {"llama-4-scout", "llama-4-maverick"}


def test_what_one_family_alone_has() -> None:
    oss = ("gpt-oss-20b", "gpt-oss-120b")
    assert said(lambda how: how.gate and (how.gate.limit, how.gate.slope)) == dict.fromkeys(oss, (7, Fraction("1.702")))
    assert {slug: how.bare_qk_norm[0] for slug, how in HOW.items() if how.bare_qk_norm} == {"llama-4-scout": range(3)}
    grown = said(lambda how: how.query_growth and (how.query_growth.rate, how.query_growth.step))
    assert grown == dict.fromkeys(("llama-4-scout", "llama-4-maverick"), (Fraction("0.1"), 8192))
    t5 = ("t5-small", "t5-base", "t5-v1.1-small", "flan-t5-xl")
    assert said(lambda how: (how.buckets, how.farthest) if how.buckets else None) == dict.fromkeys(t5, (32, 128))
    assert set(said(lambda how: how.every_other_banded)) == {"gpt-3-175b"}
    whisper = ("whisper-tiny", "whisper-small", "whisper-large-v3")
    assert said(lambda how: how.fixed_positions) == dict.fromkeys(whisper, ("encoder",))
    assert not said(lambda how: how.score_by_depth)


@pytest.mark.parametrize(
    ("slug", "changed", "key"),
    [
        ("llama-3-8b", {"rope_scaling": {"rope_type": "spiral", "factor": 2}}, "rope_type"),
        ("llama-3-8b", {"rope_scaling": {"rope_type": "yarn"}}, "factor"),
        ("llama-3-8b", {"rope_theta": "500000"}, "rope_theta"),
        ("phi-2", {"partial_rotary_factor": 2}, "partial_rotary_factor"),
        ("granite-3.0-2b", {"embedding_multiplier": True}, "embedding_multiplier"),
        ("gemma-2-2b", {"attn_logit_softcapping": -50}, "attn_logit_softcapping"),
        ("deepseek-v3", {"scoring_func": "softmax"}, "scoring_func"),
        ("smollm3-3b", {"no_rope_layers": [1, 0]}, "no_rope_layers"),
    ],
)
def test_a_value_that_is_not_understood_is_refused(slug: str, changed: dict[str, object], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        anatomy.load(dict(anatomy.entries()[slug].config) | changed)


def test_newer_files_tell_rotation_under_one_key() -> None:
    values = dict(anatomy.entries()["llama-3.2-1b"].config)
    old = values.pop("rope_scaling"), values.pop("rope_theta")
    values["rope_parameters"] = old[0] | {"rope_theta": old[1]}
    assert anatomy.load(values).computation == MODELS["llama-3.2-1b"].computation


def test_gpt2_may_divide_scores_by_depth_or_not_at_all() -> None:
    values = dict(anatomy.entries()["gpt2"].config)
    deep = anatomy.load(values | {"scale_attn_by_inverse_layer_idx": True}).computation
    bare = anatomy.load(values | {"scale_attn_weights": False}).computation
    assert deep
    assert bare
    assert (deep.score_by_depth, bare.score_scale.changes) == (True, False)


def test_kin_that_the_catalogue_lacks_scale_as_their_classes_do() -> None:
    shared: dict[str, object] = {
        "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 4, "num_attention_heads": 4, "vocab_size": 80,
    }  # fmt: skip
    nemotron = anatomy.load({"model_type": "nemotron", **shared}).computation
    assert nemotron is not None
    assert nemotron.norm_offset
    assert nemotron.rotation is not None
    assert nemotron.rotation.size == 8
    latent = {"q_lora_rank": 16, "kv_lora_rank": 8, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8}
    minicpm = anatomy.load({"model_type": "minicpm3", **shared, **latent, "num_key_value_heads": 4}).computation
    assert minicpm is not None
    assert minicpm.embedding_scale.number == 12
    assert minicpm.logit_scale.number == 4
    # 1.4 over the square root of 4 blocks
    assert (minicpm.residual_scale.number, minicpm.residual_scale.root) == (Fraction(49, 100), True)
