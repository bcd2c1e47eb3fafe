"""Bytes of weights and KV cache, against public figures and by properties that hold for any model."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anatomy
from anatomy.catalog import LoadedModel
from anatomy.counts import flops, memory, passes
from anatomy.model.switches import CAUSAL, FULL, Options
from anatomy.model.terms import ByPart, total

SLUGS = list(anatomy.entries())


@pytest.mark.parametrize(
    ("slug", "per_token"),
    [
        # Multi-head: every query head has keys and values of its own.
        ("gpt2", 36864),
        ("llama-2-7b", 524288),
        ("mpt-7b", 524288),
        ("gpt-3-175b", 4718592),
        ("gemma-7b", 458752),
        # Grouped-query.
        ("llama-3-8b", 131072),
        ("llama-3-70b", 327680),
        ("llama-2-70b", 327680),
        ("llama-3.1-405b", 516096),
        ("mixtral-8x7b", 131072),
        ("qwen2.5-7b", 57344),
        ("qwen3-235b-a22b", 192512),
        # Multi-query: one KV head.
        ("falcon-7b", 8192),
        ("starcoderbase", 20480),
        ("gemma-2b", 18432),
        # Latent: 512 + 64 numbers a layer, whatever the heads (DeepSeek-V2, arXiv 2405.04434; V3: 70 KB a token).
        ("deepseek-v2", 69120),
        ("deepseek-v2-lite", 31104),
        ("deepseek-v3", 70272),
        ("kimi-k2", 70272),
        # Windows in some layers: below every window each layer keeps each token.
        ("gemma-3-27b", 507904),
        ("gpt-oss-120b", 73728),
        ("mistral-7b-v0.1", 131072),
    ],
)
def test_kv_bytes_per_token(slug: str, per_token: int) -> None:
    model = anatomy.load(slug)
    assert memory.kv_bytes_per_token(model) == per_token
    assert model.kv_cache_bytes(seq_len=100) == 100 * per_token
    assert model.kv_cache_bytes(seq_len=100, batch=3, dtype="fp32") == 600 * per_token


@pytest.mark.parametrize("slug", ["bert-base-uncased", "roberta-base", "vit-base"])
def test_encoders_keep_nothing(slug: str) -> None:
    model = anatomy.load(slug)
    assert memory.kv_bytes_per_token(model) is None
    assert model.kv_cache_bytes(flops.longest(model)) is None


def test_a_window_holds_no_more_tokens_than_it_is_long() -> None:
    model = anatomy.load("mistral-7b-v0.1")
    assert model.kv_cache_bytes(4096) == model.kv_cache_bytes(4097) == model.kv_cache_bytes(32768) == 4096 * 131072


def test_windows_chunks_and_full_layers_side_by_side() -> None:
    gemma = anatomy.load("gemma-3-27b")
    assert gemma.kv_cache_bytes(131072) == 2 * 16 * 128 * 2 * (10 * 131072 + 52 * 1024)
    gpt_oss = anatomy.load("gpt-oss-20b")
    assert gpt_oss.kv_cache_bytes(8192) == 2 * 8 * 64 * 2 * (12 * 8192 + 12 * 128)
    llama = anatomy.load("llama-4-scout")
    assert llama.kv_cache_bytes(100000) == 2 * 8 * 128 * 2 * (12 * 100000 + 36 * 8192)


def test_cross_attention_keeps_the_source_whatever_t() -> None:
    model = anatomy.load("whisper-small")
    own, source = memory.kv_cache(model, 7)
    assert (own.value, source.value) == (2 * 12 * 64 * 2 * 12 * 7, 2 * 12 * 64 * 2 * 12 * 1500)
    assert memory.kv_bytes_per_token(model) == 36864


def test_weights_by_number_type() -> None:
    model = anatomy.load("gpt2")
    sizes = [memory.weights_bytes(model, dtype) for dtype in ("fp32", "bf16", "int8", "int4")]
    assert sizes == [497759232, 248879616, 124439808, 62219904]


def test_small_types_keep_embeddings_norms_and_biases_in_16_bits() -> None:
    model = anatomy.load("gpt2")
    matrices = 12 * 12 * 768 * 768
    for dtype, halves in (("fp8", 2), ("int8", 2), ("int4", 1)):
        assert memory.weights_bytes(model, dtype, mixed=True) == matrices * halves // 2 + 2 * (124439808 - matrices)
    assert memory.weights_bytes(model, "bf16", mixed=True) == 248879616
    routed = anatomy.load("mixtral-8x7b")
    quantised = 32 * (8 * 3 * 4096 * 14336 + 2 * 4096 * 4096 + 2 * 4096 * 1024)
    assert memory.weights(routed, "int4", mixed=True)[0].value == quantised // 2


@pytest.mark.parametrize("slug", SLUGS)
def test_smaller_types_take_less(slug: str) -> None:
    model = anatomy.load(slug)
    for mixed in (False, True):
        sizes = [memory.weights_bytes(model, dtype, mixed=mixed) for dtype in ("int4", "int8", "bf16", "fp32")]
        assert sizes == sorted(set(sizes))
    assert memory.weights_bytes(model, "fp8") == memory.weights_bytes(model, "int8") == model.parameters


def test_half_a_byte_is_a_byte() -> None:
    model = anatomy.load(
        {"model_type": "gpt2", "vocab_size": 1, "n_positions": 1, "n_embd": 1, "n_layer": 1, "n_head": 1}
    )
    assert model.parameters % 2
    assert memory.weights_bytes(model, "int4") == model.parameters // 2 + 1


def test_an_unknown_number_type_and_an_impossible_batch_are_refused() -> None:
    model = anatomy.load("gpt2")
    with pytest.raises(anatomy.AnatomyError, match="number type is 'fp12'; accepted: fp32, bf16"):
        model.kv_cache_bytes(8, dtype="fp12")
    with pytest.raises(anatomy.AnatomyError, match="batch is 0; accepted: an integer of at least 1"):
        model.kv_cache_bytes(8, batch=0)
    with pytest.raises(anatomy.SequenceLengthError):
        model.kv_cache_bytes(1025)


@st.composite
def mistrals(draw: st.DrawFn) -> dict[str, Any]:
    kv_heads, sharing = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    return {
        "model_type": "mistral",
        "vocab_size": draw(st.integers(1, 500)),
        "hidden_size": draw(st.integers(1, 300)),
        "intermediate_size": draw(st.integers(1, 300)),
        "num_hidden_layers": draw(st.integers(1, 20)),
        "num_attention_heads": kv_heads * sharing,
        "num_key_value_heads": kv_heads,
        "head_dim": draw(st.integers(1, 64)),
        "max_position_embeddings": 10_000,
        "sliding_window": draw(st.none() | st.integers(1, 5000)),
        "tie_word_embeddings": draw(st.booleans()),
    }


def made(values: dict[str, Any], **other: Any) -> LoadedModel:
    return anatomy.load({**values, **other})


lengths = st.integers(1, 9_999)


@settings(max_examples=60, deadline=None)
@given(mistrals(), lengths, st.sampled_from(["prefill", "decode", "train"]), st.sampled_from(["full", "causal"]))
def test_cache_and_flops_grow_with_t(values: dict[str, Any], t: int, run: str, square: str) -> None:
    model, options = made(values), Options(run=run, square=square)
    assert (model.kv_cache_bytes(t) or 0) <= (model.kv_cache_bytes(t + 1) or 0)
    before, after = (passes.run(model, at, options) for at in (t, t + 1))
    assert before.per_pass <= after.per_pass
    assert before.per_token <= after.per_token


@settings(max_examples=60, deadline=None)
@given(mistrals(), lengths)
def test_a_window_of_t_is_none(values: dict[str, Any], t: int) -> None:
    windowed, free = made(values, sliding_window=t), made(values, sliding_window=None)
    assert windowed.kv_cache_bytes(t) == free.kv_cache_bytes(t)
    for square in (FULL, CAUSAL):
        assert windowed.flops(t, square) == free.flops(t, square)


@settings(max_examples=60, deadline=None)
@given(mistrals(), lengths)
def test_as_many_kv_heads_as_heads_is_multi_head(values: dict[str, Any], t: int) -> None:
    heads, size = values["num_attention_heads"], values["head_dim"]
    model = made(values, num_key_value_heads=heads, sliding_window=None)
    assert model.kv_cache_bytes(t) == 2 * heads * size * 2 * values["num_hidden_layers"] * t
    shared = made(values, sliding_window=None)
    assert shared.flops(t).attention == model.flops(t).attention
    assert (shared.kv_cache_bytes(t) or 0) * heads == (model.kv_cache_bytes(t) or 0) * values["num_key_value_heads"]


@settings(max_examples=60, deadline=None)
@given(mistrals(), lengths, st.sampled_from(["full", "causal"]))
def test_parts_add_up_to_the_total(values: dict[str, Any], t: int, square: str) -> None:
    model = made(values)
    shown = anatomy.describe(model, t)
    run = model.flops(t, square)
    terms = ByPart(run.terms)
    assert sum(int(total(terms.of(part.id, None, part.blocks))) for part in shown.parts) == run.per_pass
    assert sum(part.parameters for part in shown.parts) == model.parameters
