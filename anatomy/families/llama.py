"""Llama and its kin: RMSNorm, rotary positions, grouped-query attention, a gated MLP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from anatomy.families.layers import (
    activation,
    attention,
    gated_mlp,
    heads,
    norm,
    table,
)
from anatomy.families.outputs import head
from anatomy.families.windows import listed, records
from anatomy.model.architecture import Known, Stack, Traits
from anatomy.model.blocks import Blocks
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config


class Kin(NamedTuple):
    """What one family has of its own: its class names, its biases and norms, the defaults of its configuration."""

    classes: str
    context: int
    kv_heads: int | None = None
    head_size: int | None = None
    tied: bool = False
    attention_bias: bool = False
    mlp_bias: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    heads: tuple[str, ...] = ("ForCausalLM", "Model", "ForSequenceClassification", "ForTokenClassification")


# Defaults: LlamaConfig, MistralConfig, ... of transformers. attention_bias and mlp_bias say whether the key is read.
KIN = {
    "granite": Kin("Granite", 2048, attention_bias=True, mlp_bias=True, heads=("ForCausalLM", "Model")),
    "llama": Kin("Llama", 2048, attention_bias=True, mlp_bias=True),
    "mistral": Kin("Mistral", 131072, kv_heads=8),
    "qwen2": Kin("Qwen2", 32768, kv_heads=32, qkv_bias=True),
    "qwen3": Kin("Qwen3", 32768, kv_heads=32, head_size=128, attention_bias=True, qk_norm=True),
    "smollm3": Kin("SmolLM3", 32768, kv_heads=4, tied=True, attention_bias=True, mlp_bias=True),
}


def model(config: Config) -> Model:
    """Llama 1 to 3, Mistral, Qwen2, Qwen3, Granite and SmolLM3 of any size; raises ``ConfigError``."""
    family = str(config.values["model_type"])
    kin = KIN[family]
    architecture = config.architecture([kin.classes + ending for ending in kin.heads])
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, kin.kv_heads, kin.head_size)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=kin.context)
    tied = config.boolean("tie_word_embeddings", default=kin.tied)
    bias = config.boolean("attention_bias", default=False) if kin.attention_bias else False
    mlp_bias = config.boolean("mlp_bias", default=False) if kin.mlp_bias else False
    every = (range(blocks),)
    # Files of a bare model (LlamaModel) carry no "model." before their names.
    prefix = "" if architecture.endswith("Model") else "model."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias or kin.qkv_bias, output_bias=bias)
        if kin.qk_norm:
            yield from norm(f"{layer}.self_attn.q_norm", "block/attention/q-norm", sizes.size, blocks=every)
            yield from norm(f"{layer}.self_attn.k_norm", "block/attention/k-norm", sizes.size, blocks=every)
        yield from gated_mlp(f"{layer}.mlp", width, inner, every, bias=mlp_bias)
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every)
        yield from norm(f"{prefix}norm", "final-norm", width)
        yield from head(config, architecture, vocabulary, width, f"{prefix}embed_tokens.weight" if tied else None)

    return Model(
        model_type=family,
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, *windows(config, family, blocks)),
        stacks=(Stack("decoder", blocks),),
        traits=Traits("RMSNorm", "rotary", activation(config, "hidden_act", default="silu", gated=True)),
        known=(Known(r"(model\.)?layers\.\d+\.self_attn\.rotary_emb\.inv_freq", "rotary inverse frequencies"),),
        defaults=config.defaults,
    )


def windows(config: Config, family: str, blocks: int) -> list[tuple[Blocks, int | None]]:
    """Which blocks attend through which sliding window (None: to every earlier token).

    Llama, Granite, SmolLM3: none. Mistral: every block, 4,096 where the key is left out (MistralConfig). Qwen: only
    with use_sliding_window, as layer_types lists or from block max_window_layers on (Qwen2Config, Qwen3Config).
    """
    every = (range(blocks),)
    if family in ("llama", "granite"):
        return [(every, None)]
    if family == "smollm3":
        config.only("use_sliding_window", False, None, why="no released SmolLM3 has windows")
        return [(every, None)]
    if family == "mistral":
        return [(every, config.integer_or_none("sliding_window", 4096))]
    if not config.boolean("use_sliding_window", default=False):
        return [(every, None)]
    window = config.integer_or_none("sliding_window", 4096)
    pair = listed(config, blocks)
    if pair is None:
        first = min(config.integer("max_window_layers", default=28, minimum=0), blocks)
        pair = (range(first, blocks),), (range(first),)
    return [(pair[1], None), (pair[0], window)]
