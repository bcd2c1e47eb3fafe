"""Which keys and spellings the class of each family reads, as its source in transformers 5.24 has it."""

import re
from typing import Any

import pytest

import anatomy
from anatomy.reading.config import ConfigError
from tests.families.changes import inside, like

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "Falcon: blocks under a name that FalconConfig does not map": (
        like("falcon-7b", "num_hidden_layers", n_layer=32),
        "n_layer is 32; accepted: null or the same value under num_hidden_layers, the spelling that is read",
    ),
    "Falcon: heads so": (like("falcon-7b", "num_attention_heads", n_head=71), "n_head is 71; accepted: null or the"),
    "Falcon: KV heads so": (like("falcon-40b", "num_kv_heads", n_head_kv=8), "n_head_kv is 8; accepted: null or the"),
    "Falcon: two numbers of blocks": (
        like("falcon-7b", n_layer=31),
        "n_layer is 31; accepted: the same value as num_hidden_layers, 32",
    ),
    "DBRX: the width so": (
        like("dbrx", "d_model", hidden_size=6144),
        "hidden_size is 6144; accepted: null or the same",
    ),
    "DeepSeek V3: experts so": (
        like("deepseek-v3", "n_routed_experts", num_experts=256),
        "num_experts is 256; accepted: null or the same value under n_routed_experts",
    ),
    "DeepSeek V2: experts so": (
        like("deepseek-v2", "n_routed_experts", num_local_experts=160),
        "num_local_experts is 160; accepted: null or the same value under n_routed_experts",
    ),
    "Qwen2-MoE: experts so": (
        like("qwen2-57b-a14b", "num_experts", num_local_experts=64),
        "num_local_experts is 64; accepted: null or the same value under num_experts",
    ),
    "gpt-oss: experts of a token so": (
        like("gpt-oss-20b", "num_experts_per_tok", experts_per_token=4),
        "experts_per_token is 4; accepted: null or the same value under num_experts_per_tok",
    ),
    "pruned heads": (
        like("qwen2.5-7b", layer_head_num=[28] * 27 + [20]),
        "layer_head_num is a list of 28 items; accepted: null (sizes of single blocks, which qwen2 does not have)",
    ),
    "pruned MLPs": (like("qwen2.5-7b", layer_inter_size=[18944] * 28), "layer_inter_size is a list of 28 items"),
    "settings of single blocks": (
        like("llama-3-8b", per_layer_config={"3": {"intermediate_size": 1024}}),
        "per_layer_config is an object of 1 keys; accepted: null (sizes of single blocks, which llama does not have)",
    ),
    "blocks of a searched architecture": (like("llama-3-8b", block_configs=[{"ffn": {}}]), "block_configs is a list"),
    "an indexer on DeepSeek V3": (
        like("deepseek-v3", index_topk=2048),
        "index_topk is 2048; accepted: null (an indexer that chooses keys, which deepseek_v3 does not have)",
    ),
    "experts in a dense model": (like("llama-3-8b", num_local_experts=8), "num_local_experts is 8; accepted: null ("),
    "latents in a model without": (like("qwen3-8b", kv_lora_rank=512), "kv_lora_rank is 512; accepted: null (latent"),
    "ViT: heads of a size of their own": (
        like("vit-base", head_dim=32),
        "head_dim is 32; accepted: 64 (hidden_size / num_attention_heads)",
    ),
    "DeepSeek V2: another number of KV heads": (
        like("deepseek-v2-lite", num_key_value_heads=128),
        "num_key_value_heads is 128; accepted: 16 or null",
    ),
    "Qwen3-MoE: null is no number of experts": (
        like("qwen3-30b-a3b", num_experts=None),
        "num_experts is null; accepted: an integer from 1 to 1,000,000,000,000",
    ),
    "DeepSeek: nor a size of a latent": (like("deepseek-v3", kv_lora_rank=None), "kv_lora_rank is null; accepted: an"),
    "Llama: nor a context": (
        like("llama-3-8b", max_position_embeddings=None),
        "max_position_embeddings is null; accepted: an integer from 1",
    ),
    "gpt_bigcode: null is no default of true": (
        like("starcoderbase", multi_query=None),
        "multi_query is null; accepted: true or false",
    ),
    "Gemma: null is no tie": (
        like("gemma-2b", tie_word_embeddings=None),
        "tie_word_embeddings is null; accepted: true or false",
    ),
    "Gemma 3: nor outside": (
        like("gemma-3-4b", tie_word_embeddings=None),
        "tie_word_embeddings is null; accepted: true or false",
    ),
    "BERT: null is no tie": (
        like("bert-base-uncased", tie_word_embeddings=None),
        "tie_word_embeddings is null; accepted: true (the head's matrix is the token table)",
    ),
    "OPT: null is no bias": (like("opt-125m", enable_bias=None), "enable_bias is null; accepted: true or false"),
    "ViT: null is no bias": (like("vit-base", qkv_bias=None), "qkv_bias is null; accepted: true or false"),
    "BART: two depths of the encoder": (
        like("bart-large", num_hidden_layers=6),
        "num_hidden_layers is 6; accepted: the same value as encoder_layers, 12",
    ),
    "BART: two numbers of heads": (
        like("bart-large", num_attention_heads=8),
        "num_attention_heads is 8; accepted: the same value as encoder_attention_heads, 16",
    ),
    "Whisper: two depths of the encoder": (
        like("whisper-tiny", num_hidden_layers=5),
        "num_hidden_layers is 5; accepted: the same value as encoder_layers, 4",
    ),
    "Whisper: another number of heads": (
        like("whisper-tiny", num_key_value_heads=2),
        "num_key_value_heads is 2; accepted: the same value as encoder_attention_heads, 6",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_class_would_read_otherwise_is_refused(case: str) -> None:
    values, said = REFUSED[case]
    with pytest.raises(ConfigError, match=re.escape(f"config: {said}")):
        anatomy.load(values)


def test_inside_a_multimodal_configuration_too() -> None:
    said = "text_config: layer_head_num is a list of 1 items; accepted: null (sizes of single blocks, which gemma3_text"
    with pytest.raises(ConfigError, match=re.escape(said)):
        anatomy.load(inside("gemma-3-4b", "text_config", layer_head_num=[8]))


def test_without_routed_blocks_nothing_of_experts_is_read() -> None:
    dense = like("deepseek-v2", first_k_dense_replace=60)
    without = {key: value for key, value in dense.items() if "expert" not in key and "moe" not in key}
    nulls = {**dense, "num_experts_per_tok": None, "n_routed_experts": None}
    assert anatomy.load(without).rows == anatomy.load(nulls).rows == anatomy.load(dense).rows


def test_null_is_false_where_falcon_lets_it_through() -> None:
    for key in ("multi_query", "parallel_attn"):
        null, false = (like("falcon-7b", "num_kv_heads", **{key: value}) for value in (None, False))
        assert anatomy.load(null).rows == anatomy.load(false).rows != anatomy.load("falcon-7b").rows


SAME: dict[str, dict[str, Any]] = {
    "falcon-40b": like("falcon-40b", n_layer=60, n_head=128, n_head_kv=8),
    "dbrx": like("dbrx", hidden_size=6144),
    "deepseek-v2": like("deepseek-v2", "n_routed_experts", num_experts=160),
    "gpt2": like("gpt2", n_inner=None),
    "opt-125m": like("opt-125m", word_embed_proj_dim=None),
    "t5-small": like("t5-small", num_decoder_layers=None),
    "vit-base-in21k": like("vit-base-in21k", pooler_output_size=None),
    "falcon-7b": like("falcon-7b", ffn_hidden_size=None, num_kv_heads=None, num_ln_in_parallel_attn=None),
    "llama-3-8b": like("llama-3-8b", num_local_experts=0, per_layer_config=None, layer_head_num=[], block_configs={}),
    "vit-base": like("vit-base", head_dim=64),
    "kimi-k2": like("kimi-k2", num_key_value_heads=128),
    "deepseek-v3": like("deepseek-v3", "n_routed_experts", num_local_experts=256),
    "qwen3-30b-a3b": like("qwen3-30b-a3b", "num_experts", num_local_experts=128),
    "gpt-oss-20b": like("gpt-oss-20b", "experts_per_token"),
    "bart-large": like("bart-large", "encoder_layers", "encoder_attention_heads",
                       num_hidden_layers=12, num_attention_heads=16),
    "whisper-tiny": like("whisper-tiny", num_hidden_layers=4, num_key_value_heads=6),
}  # fmt: skip


@pytest.mark.parametrize("slug", SAME)
def test_what_the_class_reads_alike_is_accepted(slug: str) -> None:
    found, released = anatomy.load(SAME[slug]), anatomy.load(slug)
    assert (found.rows, found.attention) == (released.rows, released.attention)
