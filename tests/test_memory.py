"""Bytes of weights and KV cache."""

import pytest

import anatomy
from anatomy import memory


@pytest.mark.parametrize(
    ("slug", "per_token"),
    [("llama-2-7b", 524288), ("llama-3-8b", 131072), ("llama-3-70b", 327680), ("gpt2", 36864), ("qwen2.5-7b", 57344)],
)
def test_kv_bytes_per_token(slug: str, per_token: int) -> None:
    model = anatomy.load(slug)
    assert memory.kv_bytes_per_token(model) == per_token
    assert model.kv_cache_bytes(seq_len=100) == 100 * per_token
    assert model.kv_cache_bytes(seq_len=100, batch=3, dtype="fp32") == 600 * per_token


def test_a_window_holds_no_more_tokens_than_it_is_long() -> None:
    model = anatomy.load("mistral-7b-v0.1")
    assert memory.kv_bytes_per_token(model) == 131072
    assert model.kv_cache_bytes(4096) == model.kv_cache_bytes(4097) == model.kv_cache_bytes(32768) == 4096 * 131072


def test_weights_by_number_type() -> None:
    model = anatomy.load("gpt2")
    sizes = [memory.weights_bytes(model, dtype) for dtype in ("fp32", "bf16", "int8", "int4")]
    assert sizes == [497759232, 248879616, 124439808, 62219904]


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
