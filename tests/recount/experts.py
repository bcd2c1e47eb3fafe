"""The totals of mixtures of experts, and of latent attention."""

from __future__ import annotations

from tests.recount.keys import Keys, RefusedError, grouped, over, projections, routed, tables


def mixtral(keys: Keys) -> int:
    """Mixtral."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d, 8)
    experts = routed(keys, ("num_local_experts", "num_experts"), ("num_experts_per_tok",), 8, 2)
    return tables(keys, d, False) + blocks * (projections(d, h, few, size) + experts * (d + 3 * d * f) + 2 * d) + d


def qwen_moe(keys: Keys) -> int:
    """Qwen2-MoE and Qwen3-MoE."""
    second = keys.kind == "qwen2_moe"
    d, blocks = keys.size("hidden_size"), keys.size("num_hidden_layers")
    h, few, size = grouped(keys, d, 16 if second else 4)
    bias = keys.flag("qkv_bias", True) if second else keys.flag("attention_bias", False)
    experts = routed(
        keys,
        ("num_experts",) if second else ("num_experts", "num_local_experts"),
        ("num_experts_per_tok",),
        *((60, 4) if second else (128, 8)),
        unread="num_local_experts" if second else "",
    )
    narrow = keys.size("moe_intermediate_size", default=1408 if second else 768)
    step = keys.size("decoder_sparse_step", default=1, most=1000)
    listed = keys.listed("mlp_only_layers", blocks) or []
    mixtures = blocks // step - sum((block + 1) % step == 0 for block in listed)
    dense = (blocks - mixtures) and (blocks - mixtures) * 3 * d * keys.size("intermediate_size")
    shared = 3 * d * keys.size("shared_expert_intermediate_size", default=5632) + d if second else 0
    block = projections(d, h, few, size, bias, bias and not second) + 2 * d + (0 if second else 2 * size)
    return tables(keys, d, False) + blocks * block + dense + mixtures * (experts * (d + 3 * d * narrow) + shared) + d


def dbrx(keys: Keys) -> int:
    """DBRX."""
    d, blocks, h = (
        keys.size("d_model", unread="hidden_size"),
        keys.size("n_layers", "num_hidden_layers"),
        keys.size("n_heads", "num_attention_heads"),
    )
    few = keys.inner("attn_config").size("kv_n_heads", default=1)
    over(h, few)
    inside = keys.inner("ffn_config")
    f, experts = inside.size("ffn_hidden_size"), routed(inside, ("moe_num_experts",), ("moe_top_k",), 4, 1)
    block = projections(d, h, few, over(d, h)) + experts * (d + 3 * d * f) + 2 * d
    return 2 * keys.size("vocab_size") * d + blocks * block + d


def deepseek(keys: Keys) -> int:
    """DeepSeek V2, V3 and Kimi K2."""
    second = keys.kind == "deepseek_v2"
    d, blocks, h = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("num_attention_heads")
    if keys.values.get("num_key_value_heads") not in ((None, h) if second else (None, h, 128)):
        raise RefusedError("num_key_value_heads")
    latent, rope = keys.size("kv_lora_rank", default=512), keys.size("qk_rope_head_dim", default=64)
    nope, value = keys.size("qk_nope_head_dim", default=128), keys.size("v_head_dim", default=128)
    low = keys.size("q_lora_rank", default=1536, null=0)
    bias = keys.flag("attention_bias", False)
    block = low * (d + 1 + h * (nope + rope)) + bias * low if low else d * h * (nope + rope)
    block += (d + bias) * (latent + rope) + latent + latent * h * (nope + value) + h * value * d + bias * d + 2 * d
    mapped, unread = ("num_experts", "num_local_experts") if second else ("num_local_experts", "num_experts")
    dense = min(keys.size("first_k_dense_replace", default=0 if second else 3, least=0), blocks)
    if keys.size("moe_layer_freq", default=1, null=1) != 1:
        raise RefusedError("moe_layer_freq")
    total = blocks * block + (dense and dense * 3 * d * keys.size("intermediate_size")) + d
    if blocks > dense:
        experts = routed(keys, ("n_routed_experts", mapped), ("num_experts_per_tok",), unread=unread)
        narrow = keys.size("moe_intermediate_size")
        shared = keys.size("n_shared_experts", default=2 if second else 1, null=0, least=0)
        total += (blocks - dense) * (experts * d + 3 * d * narrow * (experts + shared))
    return tables(keys, d, False) + total


def gpt_oss(keys: Keys) -> int:
    """gpt-oss."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d, 8, 64)
    bias = keys.flag("attention_bias", True)
    chosen = keys.size("num_experts_per_tok", default=4, unread="experts_per_token")
    experts = keys.size("num_local_experts", "num_experts", default=128)
    if chosen > experts:
        raise RefusedError("num_experts_per_tok")
    block = projections(d, h, few, size, bias, bias) + h + experts * (d + 1 + 2 * (d + 1) * f + (f + 1) * d) + 2 * d
    return tables(keys, d, False) + blocks * block + d


def llama4(keys: Keys) -> int:
    """The text part of Llama 4."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d, 8, 128)
    bias = keys.flag("attention_bias", False)
    experts = routed(keys, ("num_local_experts",), ("num_experts_per_tok",), 16, 1)
    step = keys.size("interleave_moe_layer_step", default=1, most=1000)
    listed = keys.listed("moe_layers", blocks)
    mixtures = blocks // step if listed is None else len(listed)
    dense = (blocks - mixtures) and (blocks - mixtures) * 3 * d * keys.size("intermediate_size_mlp", default=16384)
    block = projections(d, h, few, size, bias, bias) + 2 * d
    total = blocks * block + dense + mixtures * (experts * d + 3 * d * f * (experts + 1)) + d
    return tables(keys, d, False) + total


def glm4_moe(keys: Keys) -> int:
    """GLM-4.5."""
    d, blocks = keys.size("hidden_size"), keys.size("num_hidden_layers")
    h, few, size = grouped(keys, d, 8)
    experts = routed(keys, ("n_routed_experts", "num_local_experts"), ("num_experts_per_tok",), 128, 8)
    narrow, shared = keys.size("moe_intermediate_size", default=1408), keys.size("n_shared_experts", default=1)
    dense = min(keys.size("first_k_dense_replace", default=1, least=0), blocks)
    block = projections(d, h, few, size, keys.flag("attention_bias", False)) + 2 * d
    block += keys.flag("use_qk_norm", False) * 2 * size
    wide = dense and dense * 3 * d * keys.size("intermediate_size")
    total = blocks * block + wide + (blocks - dense) * (experts * d + 3 * d * narrow * (experts + shared)) + d
    return tables(keys, d, False) + total
