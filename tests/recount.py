"""Totals by closed formulas that only the tests know: a second count of every family, written without the first.

Each formula reads the keys that its network's sizes come from, with the family's defaults, and refuses what cannot be
a size. :class:`Keys` remembers which keys were read, so that a test knows which ones a number may depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

MOST = 10**12
REQUIRED = object()


class RefusedError(Exception):
    """What is there cannot be read for certain."""


class Keys:
    """A configuration that remembers which of its keys were asked for."""

    def __init__(self, values: Mapping[str, Any], architecture: str) -> None:
        self.values, self.architecture = values, architecture
        self.read: set[str] = set()

    def size(self, *names: str, default: Any = REQUIRED, null: Any = REQUIRED, least: int = 1, most: int = MOST) -> int:
        """A whole number under one of its names; ``null`` where null has a meaning of its own."""
        self.read |= set(names)
        found = [self.values[name] for name in names if self.values.get(name) is not None]
        if not found:
            stated = any(name in self.values for name in names)
            value = null if stated and null is not REQUIRED else default
            if value is REQUIRED:
                raise RefusedError(names[0])
            return int(value)
        if any(type(one) is not int or one != found[0] for one in found) or not least <= found[0] <= most:
            raise RefusedError(names[0])
        return int(found[0])

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        self.read.add(name)
        value = self.values.get(name)
        if value is None:
            return default
        if type(value) is not bool:
            raise RefusedError(name)
        return value

    def inner(self, name: str) -> Keys:
        """The keys of an object inside."""
        self.read.add(name)
        if not isinstance(self.values.get(name), Mapping):
            raise RefusedError(name)
        inside = Keys(self.values[name], self.architecture)
        inside.read = self.read
        return inside

    def listed(self, name: str, blocks: int) -> list[int] | None:
        """A list of different block indices."""
        self.read.add(name)
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or any(type(one) is not int or not 0 <= one < blocks for one in value):
            raise RefusedError(name)
        if len(set(value)) != len(value):
            raise RefusedError(name)
        return value

    @property
    def kind(self) -> str:
        """The ``model_type``."""
        return str(self.values["model_type"])

    @property
    def bare(self) -> bool:
        """Whether the class has no head."""
        return self.architecture.endswith("Model") and "LMHead" not in self.architecture


def over(value: int, by: int) -> int:
    """``value / by``, which has to be whole."""
    if value % by:
        raise RefusedError(f"{value} / {by}")
    return value // by


def tables(keys: Keys, width: int, tied: bool, vocabulary: Any = REQUIRED) -> int:
    """The token table, and the unembedding where it is another one."""
    rows = keys.size("vocab_size", default=vocabulary)
    return rows * width * (1 if keys.flag("tie_word_embeddings", tied) or keys.bare else 2)


def grouped(
    keys: Keys, d: int, kv: int | None = None, head: int | None = None, query: Any = REQUIRED
) -> tuple[int, int, int]:
    """Query heads, KV heads, head size."""
    h = keys.size("num_attention_heads", default=query)
    few = keys.size("num_key_value_heads", default=kv or h, null=h)
    over(h, few)
    size = keys.size("head_dim", default=head or 0, null=0) or over(d, h)
    return h, few, size


def projections(d: int, h: int, kv: int, size: int, inward: bool = False, outward: bool = False) -> int:
    """Q, K, V and O with their biases."""
    return 2 * d * size * (h + kv) + inward * size * (h + 2 * kv) + outward * d


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
    f = keys.size("n_inner", default=4 * d)
    size, one = over(d, h), keys.kind == "gpt_bigcode" and keys.flag("multi_query", True)
    fused = d + 2 * (size if one else d)
    block = (d + 1) * fused + (d + 1) * d + (d + 1) * f + (f + 1) * d + 4 * d
    return tables(keys, d, True) + positions * d + blocks * block + 2 * d


def gptj(keys: Keys) -> int:
    """GPT-J, with a bias for every word."""
    d, blocks = keys.size("n_embd", "hidden_size"), keys.size("n_layer", "num_hidden_layers")
    over(d, keys.size("n_head", "num_attention_heads"))
    f = keys.size("n_inner", default=4 * d)
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
    narrow = keys.size("word_embed_proj_dim", default=d)
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
    d, blocks = keys.size("hidden_size", "n_embed"), keys.size("num_hidden_layers", "n_layer")
    h, f = keys.size("num_attention_heads", "n_head"), keys.size("ffn_hidden_size", default=4 * d)
    size, new, bias = over(d, h), keys.flag("new_decoder_architecture", False), keys.flag("bias", False)
    parallel = keys.flag("parallel_attn", True)
    if new:
        few = keys.size("num_kv_heads", "n_head_kv", default=h)
        over(h, few)
    else:
        few = 1 if keys.flag("multi_query", True) else h
        if few == h and keys.values.get("num_kv_heads", h) not in (None, h):
            raise RefusedError("num_kv_heads")
    if new and not parallel:
        raise RefusedError("parallel_attn")
    norms = keys.size("num_ln_in_parallel_attn", default=1 + new, most=1 + new) if parallel else 2
    block = projections(d, h, few, size, bias, bias) + 2 * d * f + bias * (d + f) + norms * 2 * d
    return tables(keys, d, True) + blocks * block + 2 * d


def mixtral(keys: Keys) -> int:
    """Mixtral."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d, 8)
    experts = routed(keys, ("num_local_experts", "num_experts"), ("num_experts_per_tok",), 8, 2)
    return tables(keys, d, False) + blocks * (projections(d, h, few, size) + experts * (d + 3 * d * f) + 2 * d) + d


def routed(
    keys: Keys, of: tuple[str, ...], used: tuple[str, ...], default: Any = REQUIRED, chosen: Any = REQUIRED
) -> int:
    """How many experts there are, of which a token cannot use more than all."""
    experts = keys.size(*of, default=default)
    if keys.size(*used, default=chosen) > experts:
        raise RefusedError(used[0])
    return experts


def qwen_moe(keys: Keys) -> int:
    """Qwen2-MoE and Qwen3-MoE."""
    second = keys.kind == "qwen2_moe"
    d, blocks = keys.size("hidden_size"), keys.size("num_hidden_layers")
    h, few, size = grouped(keys, d, 16 if second else 4)
    bias = keys.flag("qkv_bias", True) if second else keys.flag("attention_bias", False)
    experts = routed(
        keys, ("num_experts", "num_local_experts"), ("num_experts_per_tok",), *((60, 4) if second else (128, 8))
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
        keys.size("d_model", "hidden_size"),
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
    if keys.values.get("num_key_value_heads") not in (None, h):
        raise RefusedError("num_key_value_heads")
    latent, rope = keys.size("kv_lora_rank", default=512), keys.size("qk_rope_head_dim", default=64)
    nope, value = keys.size("qk_nope_head_dim", default=128), keys.size("v_head_dim", default=128)
    low = keys.size("q_lora_rank", default=1536, null=0)
    bias = keys.flag("attention_bias", False)
    block = low * (d + 1 + h * (nope + rope)) + bias * low if low else d * h * (nope + rope)
    block += (d + bias) * (latent + rope) + latent + latent * h * (nope + value) + h * value * d + bias * d + 2 * d
    experts = routed(keys, ("n_routed_experts", "num_experts", "num_local_experts"), ("num_experts_per_tok",))
    narrow = keys.size("moe_intermediate_size")
    shared = keys.size("n_shared_experts", default=2 if second else 1, null=0, least=0)
    first = min(keys.size("first_k_dense_replace", default=0 if second else 3, least=0), blocks)
    step = keys.size("moe_layer_freq", default=1, most=1000)
    mixtures = -(-blocks // step) - -(-first // step)
    dense = (blocks - mixtures) and (blocks - mixtures) * 3 * d * keys.size("intermediate_size")
    total = blocks * block + dense + mixtures * (experts * d + 3 * d * narrow * (experts + shared)) + d
    return tables(keys, d, False) + total


def gpt_oss(keys: Keys) -> int:
    """gpt-oss."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    h, few, size = grouped(keys, d, 8, 64)
    bias = keys.flag("attention_bias", True)
    used = ("num_experts_per_tok", "experts_per_token")
    experts = routed(keys, ("num_local_experts", "num_experts"), used, 128, 4)
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


def bert(keys: Keys) -> int:
    """BERT and RoBERTa."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    over(d, keys.size("num_attention_heads"))
    words, positions = keys.size("vocab_size"), keys.size("max_position_embeddings", default=512)
    types = keys.size("type_vocab_size", default=2)
    if keys.kind == "roberta" and keys.size("pad_token_id", default=1, least=0) + 1 >= positions:
        raise RefusedError("max_position_embeddings")
    total = (words + positions + types + 2) * d + blocks * (4 * d * (d + 1) + 2 * d * f + d + f + 4 * d)
    if keys.bare or keys.architecture == "BertForPreTraining":
        total += d * (d + 1)
    if not keys.bare:
        total += words + d * (d + 1) + 2 * d
    return total + (keys.architecture == "BertForPreTraining") * 2 * (d + 1)


def vit(keys: Keys) -> int:
    """ViT."""
    d, blocks, f = keys.size("hidden_size"), keys.size("num_hidden_layers"), keys.size("intermediate_size")
    over(d, keys.size("num_attention_heads"))
    patch, channels = keys.size("patch_size", default=16), keys.size("num_channels", default=3)
    positions = over(keys.size("image_size", default=224), patch) ** 2 + 1
    block = 3 * d * (d + keys.flag("qkv_bias", True)) + d * (d + 1) + 2 * d * f + d + f + 4 * d
    total = d + positions * d + (channels * patch * patch + 1) * d + blocks * block + 2 * d
    if keys.bare:
        return total + keys.size("pooler_output_size", default=d) * (d + 1)
    keys.read.add("id2label")
    names = keys.values.get("id2label")
    if names is None:
        return total + keys.size("num_labels", default=2) * (d + 1)
    if (
        not isinstance(names, Mapping)
        or not names
        or keys.values.get("num_labels", len(names)) not in (None, len(names))
    ):
        raise RefusedError("id2label")
    return total + len(names) * (d + 1)


def t5(keys: Keys) -> int:
    """T5."""
    d, f, h = keys.size("d_model", "hidden_size"), keys.size("d_ff"), keys.size("num_heads", "num_attention_heads")
    encoder = keys.size("num_layers", "num_hidden_layers")
    decoder = keys.size("num_decoder_layers", default=encoder)
    size, buckets = keys.size("d_kv", "head_dim", default=64), keys.size("relative_attention_num_buckets", default=32)
    keys.read.add("feed_forward_proj")
    kind = keys.values.get("feed_forward_proj")
    if kind not in (None, "relu", "gelu", "gelu_new", "silu", "gated-relu", "gated-gelu", "gated-silu"):
        raise RefusedError("feed_forward_proj")
    keys.read.add("is_gated_act")
    if keys.values.get("is_gated_act") not in (None, bool(kind and kind.startswith("gated-"))):
        raise RefusedError("is_gated_act")
    attention, mlp = 4 * d * h * size + d, (3 if kind and kind.startswith("gated-") else 2) * d * f + d
    total = encoder * (attention + mlp) + decoder * (2 * attention + mlp) + 2 * (buckets * h + d)
    return tables(keys, d, True) + total


def sides(keys: Keys, d: int, key_bias: bool) -> int:
    """The blocks of BART's or Whisper's encoder and decoder."""
    total = 0
    for name, attentions in (("encoder", 1), ("decoder", 2)):
        blocks, f = keys.size(f"{name}_layers"), keys.size(f"{name}_ffn_dim")
        over(d, keys.size(f"{name}_attention_heads"))
        attention = 4 * d * (d + 1) - (0 if key_bias else d) + 2 * d
        total += blocks * (attentions * attention + 2 * d * f + d + f + 2 * d)
    return total


def bart(keys: Keys) -> int:
    """BART."""
    d, positions = keys.size("d_model", "hidden_size"), keys.size("max_position_embeddings", default=1024)
    return keys.size("vocab_size") * d + 2 * (positions + 2 + 2) * d + sides(keys, d, True)


def whisper(keys: Keys) -> int:
    """Whisper."""
    d, bins = keys.size("d_model", "hidden_size"), keys.size("num_mel_bins", default=80)
    source, context = keys.size("max_source_positions", default=1500), keys.size("max_target_positions", default=448)
    convolutions = 3 * bins * d + d + 3 * d * d + d
    return convolutions + (source + context + keys.size("vocab_size") + 4) * d + sides(keys, d, False)


FORMULAS: Mapping[str, Callable[[Keys], int]] = {
    **dict.fromkeys(("granite", "llama", "mistral", "qwen2", "qwen3", "smollm3"), llama),
    **dict.fromkeys(("gemma", "gemma2", "gemma3_text"), gemma),
    **dict.fromkeys(("cohere", "cohere2"), cohere),
    **dict.fromkeys(("olmo", "olmo2"), olmo),
    **dict.fromkeys(("gpt2", "gpt_bigcode"), gpt2),
    **dict.fromkeys(("qwen2_moe", "qwen3_moe"), qwen_moe),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "kimi_k2"), deepseek),
    **dict.fromkeys(("bert", "roberta"), bert),
    "bart": bart,
    "bloom": bloom,
    "dbrx": dbrx,
    "falcon": falcon,
    "glm4_moe": glm4_moe,
    "gpt_neox": gpt_neox,
    "gpt_oss": gpt_oss,
    "gptj": gptj,
    "llama4_text": llama4,
    "mixtral": mixtral,
    "mpt": mpt,
    "opt": opt,
    "phi": phi,
    "phi3": phi3,
    "stablelm": stablelm,
    "starcoder2": starcoder2,
    "t5": t5,
    "vit": vit,
    "whisper": whisper,
}
# The text part of each multimodal configuration.
TEXT = {"gemma3": "gemma3_text", "llama4": "llama4_text", "mistral3": "mistral"}


def recount(values: Mapping[str, Any], architecture: str) -> tuple[int, set[str]]:
    """The total of a configuration for a class, and the keys that it was read from; raises :class:`RefusedError`."""
    kind = values.get("model_type")
    if not isinstance(kind, str) or kind not in {*FORMULAS, *TEXT}:
        raise RefusedError("model_type")
    if kind in TEXT:
        text = values.get("text_config")
        if not isinstance(text, Mapping) or text.get("model_type") not in (None, TEXT[kind]):
            raise RefusedError("text_config")
        outside = values.get("tie_word_embeddings")
        if outside is not None and (
            type(outside) is not bool or text.get("tie_word_embeddings") not in (None, outside)
        ):
            raise RefusedError("tie_word_embeddings")
        if (kind, outside, text.get("tie_word_embeddings")) in (("llama4", True, None), ("gemma3", None, False)):
            raise RefusedError("tie_word_embeddings")
        values = {**text, "model_type": TEXT[kind]}
        if outside is not None:
            values["tie_word_embeddings"] = outside
        kind, architecture = TEXT[kind], "ForCausalLM"
    keys = Keys(values, architecture)
    return FORMULAS[kind](keys), keys.read
