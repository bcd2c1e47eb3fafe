"""The totals of dense decoders."""

from __future__ import annotations

from tests.recount.keys import REQUIRED, Keys, RefusedError, grouped, over, projections, tables


def llama(keys: Keys) -> int:
    """Llama and what differs from it in biases and QK norms only."""
    kind = keys.kind
    kv = {"mistral": 8, "qwen2": 32, "qwen3": 32, "smollm3": 4}.get(kind)
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d, kv, 128 if kind == "qwen3" else None)
    bias = kind in ("llama", "granite", "qwen3", "smollm3") and keys.flag("attention_bias", False)
    mlp_bias = kind in ("llama", "granite", "smollm3") and keys.flag("mlp_bias", False)
    block = projections(d, h, few, size, bias or kind == "qwen2", bias)
    block += 3 * d * f + mlp_bias * (2 * f + d) + 2 * d + (kind == "qwen3") * 2 * size
    return tables(keys, d, kind == "smollm3") + blocks * block + d


def gemma(keys: Keys) -> int:
    """Gemma 1 to 3."""
    kind = keys.kind
    third = kind == "gemma3_text"
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d, 16 if kind == "gemma" else 4, 256, 8 if third else REQUIRED)
    bias = keys.flag("attention_bias", False)
    block = projections(d, h, few, size, bias, bias) + 3 * d * f + (2 if kind == "gemma" else 4) * d + third * 2 * size
    return tables(keys, d, True, 262208 if third else REQUIRED) + blocks * block + d


def cohere(keys: Keys) -> int:
    """Command R."""
    first = keys.kind == "cohere"
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d)
    bias = keys.flag("attention_bias", False)
    normed = first and keys.flag("use_qk_norm", False)
    block = projections(d, h, few, size, bias, bias) + 3 * d * f + d + normed * (h + few) * size
    return tables(keys, d, True) + blocks * block + d


def olmo(keys: Keys) -> int:
    """OLMo, whose norms hold nothing, and OLMo 2."""
    second = keys.kind == "olmo2"
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d)
    bias = keys.flag("attention_bias", False)
    block = projections(d, h, few, size, bias, bias) + 3 * d * f + second * (2 * d + (h + few) * size)
    return tables(keys, d, False) + blocks * block + second * d


def stablelm(keys: Keys) -> int:
    """StableLM."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h = keys.size("num_attention_heads")
    few = keys.size("num_key_value_heads", default=32, null=h)
    over(h, few)
    size = over(d, h)
    norms = 2 * d if keys.flag("use_parallel_residual", False) else 4 * d
    per_head = keys.flag("qk_layernorm", False) * (h + few) * size
    block = projections(d, h, few, size, keys.flag("use_qkv_bias", False)) + 3 * d * f + norms + per_head
    return tables(keys, d, False) + blocks * block + 2 * d


def starcoder2(keys: Keys) -> int:
    """StarCoder2."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d, 2)
    bias = keys.flag("use_bias", True)
    block = projections(d, h, few, size, bias, bias) + 2 * d * f + bias * (d + f) + 4 * d
    return tables(keys, d, True) + blocks * block + 2 * d


def phi(keys: Keys) -> int:
    """Phi-1 to Phi-2, with a bias for every word."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d)
    block = projections(d, h, few, size, True, True) + 2 * d * f + d + f + 2 * d
    head_bias = 0 if keys.bare else keys.size("vocab_size")
    return tables(keys, d, False) + blocks * block + 2 * d + head_bias


def phi3(keys: Keys) -> int:
    """Phi-3 and Phi-4: as many numbers as a Llama of their size."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d)
    return tables(keys, d, False) + blocks * (projections(d, h, few, size) + 3 * d * f + 2 * d) + d


def gpt2(keys: Keys) -> int:
    """GPT-2 and GPT-BigCode."""
    d, blocks = keys.size("n_embd", "hidden_size"), keys.size("n_layer", "num_hidden_layers")
    h, positions = keys.size("n_head", "num_attention_heads"), keys.size("n_positions", "max_position_embeddings")
    f = keys.size("n_inner", default=4 * d, null=4 * d)
    size, one = over(d, h), keys.kind == "gpt_bigcode" and keys.flag("multi_query", True)
    fused = d + 2 * (size if one else d)
    block = (d + 1) * fused + (d + 1) * d + (d + 1) * f + (f + 1) * d + 4 * d
    return tables(keys, d, True) + positions * d + blocks * block + 2 * d


def gptj(keys: Keys) -> int:
    """GPT-J, with a bias for every word."""
    d, blocks = keys.size("n_embd", "hidden_size"), keys.size("n_layer", "num_hidden_layers")
    over(d, keys.size("n_head", "num_attention_heads"))
    f = keys.size("n_inner", default=4 * d, null=4 * d)
    block = 4 * d * d + 2 * d * f + d + f + 2 * d
    return tables(keys, d, False) + blocks * block + 2 * d + (0 if keys.bare else keys.size("vocab_size"))


def gpt_neox(keys: Keys) -> int:
    """GPT-NeoX and Pythia."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    over(d, keys.size("num_attention_heads"))
    block = 4 * d * (d + keys.flag("attention_bias", True)) + 2 * d * f + d + f + 4 * d
    return tables(keys, d, False) + blocks * block + 2 * d


def opt(keys: Keys) -> int:
    """OPT, with narrow embeddings where they are said to be."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("ffn_dim")
    over(d, keys.size("num_attention_heads"))
    narrow = keys.size("word_embed_proj_dim", default=d, null=d)
    positions = keys.size("max_position_embeddings", default=2048) + 2
    bias, scaled = keys.flag("enable_bias", True), keys.flag("layer_norm_elementwise_affine", True)
    last = keys.flag("do_layer_norm_before", True) and scaled
    block = 4 * d * (d + bias) + 2 * d * f + bias * (d + f) + scaled * 4 * d
    return tables(keys, narrow, True) + positions * d + (narrow != d) * 2 * narrow * d + blocks * block + last * 2 * d


def bloom(keys: Keys) -> int:
    """BLOOM."""
    d, blocks = keys.size("hidden_size", "n_embed"), keys.size("n_layer", "num_hidden_layers")
    over(d, keys.size("n_head", "num_attention_heads"))
    return tables(keys, d, True) + 2 * d + blocks * (12 * d * d + 13 * d) + 2 * d


def mpt(keys: Keys) -> int:
    """MPT."""
    d, blocks = keys.size("d_model", "hidden_size"), keys.size("n_layers", "num_hidden_layers")
    over(d, keys.size("n_heads", "num_attention_heads"))
    if keys.values.get("ffn_config") is not None and keys.inner("ffn_config").size(
        "ffn_hidden_size", default=4 * d
    ) != (4 * d):
        raise RefusedError("ffn_hidden_size")
    return tables(keys, d, True) + blocks * (12 * d * d + 2 * d) + d


def falcon(keys: Keys) -> int:
    """Falcon in its three forms."""
    d, blocks = keys.size("hidden_size", "n_embed"), keys.size("num_hidden_layers", unread="n_layer")
    h, f = keys.size("num_attention_heads", unread="n_head"), keys.size("ffn_hidden_size", default=4 * d, null=4 * d)
    size, new, bias = over(d, h), keys.flag("new_decoder_architecture", False), keys.flag("bias", False)
    parallel = keys.flag("parallel_attn", True, null=False)
    if new:
        few = keys.size("num_kv_heads", unread="n_head_kv", default=h, null=h)
        over(h, few)
    else:
        few = 1 if keys.flag("multi_query", True, null=False) else h
        if few == h and keys.values.get("num_kv_heads", h) not in (None, h):
            raise RefusedError("num_kv_heads")
    if new and not parallel:
        raise RefusedError("parallel_attn")
    norms = keys.size("num_ln_in_parallel_attn", default=1 + new, null=1 + new, most=1 + new) if parallel else 2
    block = projections(d, h, few, size, bias, bias) + 2 * d * f + bias * (d + f) + norms * 2 * d
    return tables(keys, d, True) + blocks * block + 2 * d
