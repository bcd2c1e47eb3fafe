"""Whatever is done to a released configuration, the answer is the right number or a refusal; never another, or a hang.

`HYPOTHESIS_PROFILE=nightly` tries 20,000 mutations instead of a few hundred.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anatomy
from anatomy.reading.config import ConfigError
from anatomy.report.anatomy import default_seq_len, describe
from tests import witness
from tests.recount import MOST, RefusedError, recount

COMMON: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "database": None}
settings.register_profile("ordinary", max_examples=400, derandomize=True, **COMMON)
settings.register_profile("nightly", max_examples=20_000, print_blob=True, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ordinary"))

SLUGS = witness.slugs()
INNER = ("text_config", "attn_config", "ffn_config")
# They decide which network is read at all, or hold other keys.
STRUCTURE = {"model_type", "architectures", *INNER}
# They change no total and are read all the same: windows and contexts, and options that only one value of is handled.
CHECKED = {
    "add_bias_logits",
    "add_cross_attention",
    "add_final_layer_norm",
    "alibi",
    "attention_chunk_size",
    "attn_type",
    "expansion_ratio",
    "ffn_type",
    "head_dim",
    "is_gated_act",
    "is_decoder",
    "layer_types",
    "max_position_embeddings",
    "max_seq_len",
    "max_window_layers",
    "mlp_bias",
    "mlp_type",
    "n_inner",
    "n_positions",
    "no_bias",
    "no_rope_layer_interval",
    "no_rope_layers",
    "norm_type",
    "normalize_before",
    "num_key_value_heads",
    "num_kv_heads",
    "position_embedding_type",
    "pruned_heads",
    "qk_layernorm",
    "qk_ln",
    "sliding_window",
    "sliding_window_pattern",
    "_sliding_window_pattern",
    "tie_word_embeddings",
    "use_bidirectional_attention",
    "use_parallel_residual",
    "use_sliding_window",
    "_remove_final_layer_norm",
}
# They feed sentences and no figure, and are refused where they are not understood.
CHECKED |= {
    "attention_multiplier",
    "attention_pattern",
    "attn_logit_softcapping",
    "attn_scale",
    "attn_temperature_tuning",
    "clip_qkv",
    "embedding_multiplier",
    "final_logit_softcapping",
    "floor_scale",
    "logit_scale",
    "logits_scaling",
    "moe_normalize_expert_weights",
    "n_group",
    "norm_topk_prob",
    "partial_rotary_factor",
    "query_pre_attn_scalar",
    "relative_attention_max_distance",
    "residual_multiplier",
    "rope_local_base_freq",
    "rope_scaling",
    "rope_theta",
    "rotary_dim",
    "rotary_emb_base",
    "rotary_pct",
    "routed_scaling_factor",
    "scale_attn_weights",
    "scale_decoder_outputs",
    "scale_embedding",
    "scoring_func",
    "softmax_scale",
    "swiglu_alpha",
    "swiglu_limit",
    "topk_group",
    "use_qk_norm",
}
# Lists with one item for each block have to be as long as the model is deep.
DEPTHS = {"num_hidden_layers", "n_layer", "n_layers", "num_layers"}

LARGE = [0, -1, 1, 2, 3, 7, 64, 96, 1000, 10**9, MOST, MOST + 1, 10**400]
STRANGE: list[Any] = [None, True, False, "", "12", 1.0, 0.5, math.nan, math.inf, [], [1], {}, {"a": 1}, "x" * 5000]


@cache
def released(slug: str) -> str:
    return json.dumps(witness.load(slug).config)


def negated(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return -value if isinstance(value, int | float) else value


@st.composite
def mutations(draw: st.DrawFn) -> tuple[str, dict[str, Any], list[str]]:
    """A released configuration with one to three changes, and the keys that they were made to."""
    slug = draw(st.sampled_from(SLUGS))
    values: dict[str, Any] = json.loads(released(slug))
    touched: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        inside = [key for key in INNER if isinstance(values.get(key), dict) and values[key]]
        place = draw(st.sampled_from([values, *(values[key] for key in inside for _ in range(3))]))
        if not place:
            continue
        key = draw(st.sampled_from(sorted(place)))
        touched.append(key)
        value = place[key]
        match draw(st.sampled_from(["drop", "retype", "negate", "rename", "nest", "change", "change"])):
            case "drop":
                del place[key]
            case "retype":
                place[key] = draw(st.sampled_from([*STRANGE, str(value), [value], float(value)])
                                  if isinstance(value, int) and abs(value) < 10**300
                                  else st.sampled_from([*STRANGE, 5, [value]]))  # fmt: skip
            case "negate":
                place[key] = negated(value)
            case "rename":
                del place[key]
                place[draw(st.sampled_from([key + "_", key.upper(), "x" + key]))] = value
            case "nest":
                place[key] = {"value": value}
            case "change" if isinstance(value, bool):
                place[key] = not value
            case "change" if isinstance(value, int):
                near = [value + 1, value - 1, 2 * value, 3 * value, value // 2]
                place[key] = draw(st.sampled_from(near + LARGE))
            case "change" if isinstance(value, list):
                place[key] = draw(st.sampled_from([value[1:], value + value[:1], value[::-1], value * 3]))
            case "change":
                place[key] = draw(st.sampled_from(["", "relu", "gelu", "silu", "gated-gelu", value]))
    return slug, values, touched


def loaded(values: Mapping[str, Any]) -> anatomy.LoadedModel | ConfigError:
    """The model, or the refusal; every other exception is a failure."""
    before = str(values)
    found: anatomy.LoadedModel | ConfigError
    try:
        found = anatomy.load(values)
    except ConfigError as error:
        found = error
    assert str(values) == before, "a configuration is only read"
    return found


def counted(values: Mapping[str, Any], architecture: str) -> tuple[int, set[str]] | RefusedError:
    """The second count, or its refusal."""
    try:
        return recount(values, architecture)
    except RefusedError as refused:
        return refused


@given(mutations())
def test_a_mutated_configuration_gives_the_right_number_or_a_refusal(
    case: tuple[str, dict[str, Any], list[str]],
) -> None:
    slug, values, touched = case
    found = loaded(values)
    architecture = found.architecture if isinstance(found, anatomy.LoadedModel) else witness.load(slug).architecture
    second = counted(values, architecture)
    if isinstance(found, ConfigError):
        assert "\n" not in str(found)
        assert len(str(found)) < 1500
        if not isinstance(second, RefusedError):
            may_matter = STRUCTURE | CHECKED | (DEPTHS if DEPTHS & set(touched) else set())
            assert may_matter & set(touched), f"{touched} should change the number to {second[0]:,}, but: {found}"
        return
    assert not isinstance(second, RefusedError), f"{second} was let through as {found.parameters:,}"
    expected, read = second
    assert found.parameters == expected
    assert sum(found.groups().values()) == expected
    assert set(touched) & (read | CHECKED | STRUCTURE) or expected == witness.load(slug).total
    assert whole_is_the_sum(found)
    assert_defaults_written_out_change_nothing(values, found)


def whole_is_the_sum(model: anatomy.LoadedModel) -> bool:
    shown = describe(model, default_seq_len(model, 3))
    assert sum(part.flops for part in shown.parts) == shown.full.per_pass >= shown.causal.per_pass
    return sum(part.parameters for part in shown.parts) == model.parameters


def assert_defaults_written_out_change_nothing(values: dict[str, Any], model: anatomy.LoadedModel) -> None:
    """The defaults that an answer tells, put into the configuration, give the same rows and leave nothing to tell."""
    if any(isinstance(value, int) and value > MOST for value in model.defaults.values()):
        return  # An MLP four times as wide as the widest model that can be written out.
    inside = next((key for key in INNER if key in values), None)
    if inside is None:
        written: dict[str, Any] = {**values, **model.defaults}
    elif inside == "text_config":
        own = {key: value for key, value in model.defaults.items() if key == "architectures"}
        text = {key: value for key, value in model.defaults.items() if key not in own}
        written = {**values, **own, "text_config": {**values["text_config"], **text}}
    else:
        return  # DBRX and MPT: a default does not say in which object it belongs.
    again = anatomy.load(written)
    assert (again.rows, again.attention) == (model.rows, model.attention)
    assert again.defaults == {}


@pytest.mark.parametrize("slug", SLUGS)
def test_the_second_count_agrees_where_nothing_is_changed(slug: str) -> None:
    outside = witness.load(slug)
    assert recount(outside.config, outside.architecture)[0] == outside.total


@given(st.sampled_from(SLUGS), st.sampled_from(["text_config", "config", "model"]))
def test_a_configuration_inside_another_is_not_guessed_at(slug: str, key: str) -> None:
    with pytest.raises(ConfigError, match="model_type is missing"):
        anatomy.load({key: json.loads(released(slug))})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)


@given(json_values)
def test_any_json_at_all_is_refused_in_one_line(value: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        anatomy.parse(json.dumps(value))
    assert "\n" not in str(caught.value)


@given(st.sampled_from(SLUGS), st.data())
def test_text_cut_anywhere_is_refused(slug: str, data: st.DataObject) -> None:
    text = released(slug)
    with pytest.raises(ConfigError):
        anatomy.parse(text[: data.draw(st.integers(0, len(text) - 1))])
