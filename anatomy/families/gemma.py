"""Gemma 1 to 3: RMSNorm, rotary positions, heads of a size of their own, GeGLU; norms on both sides from Gemma 2 on."""

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
from anatomy.families.windows import alternating, period, records
from anatomy.model.architecture import Branch, Stack, Traits
from anatomy.model.blocks import Blocks
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

SANDWICH = (
    Branch(("norm-attention", "attention", "norm-post-attention")),
    Branch(("norm-mlp", "mlp", "norm-post-mlp")),
)


class Kin(NamedTuple):
    """What one generation has of its own: its class names, its norms, the defaults of its configuration."""

    classes: tuple[str, ...]
    context: int
    kv_heads: int
    sandwich: bool
    qk_norm: bool = False


# Defaults: GemmaConfig, Gemma2Config, Gemma3TextConfig of transformers; head_dim is 256 in all, the unembedding tied.
_HEADS = ("ForCausalLM", "Model", "ForSequenceClassification", "ForTokenClassification")
KIN = {
    "gemma": Kin(tuple("Gemma" + ending for ending in _HEADS), 8192, 16, sandwich=False),
    "gemma2": Kin(tuple("Gemma2" + ending for ending in _HEADS), 8192, 4, sandwich=True),
    "gemma3_text": Kin(
        ("Gemma3ForCausalLM", "Gemma3TextModel", "Gemma3TextForSequenceClassification"),
        131072,
        4,
        sandwich=True,
        qk_norm=True,
    ),
}


def model(config: Config) -> Model:
    """Gemma, Gemma 2 and the text part of Gemma 3, of any size; raises ``ConfigError``."""
    family = str(config.values["model_type"])
    kin = KIN[family]
    third = family == "gemma3_text"
    architecture = config.architecture(kin.classes)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    # Published files of Gemma 3 leave heads and vocabulary to Gemma3TextConfig.
    sizes = heads(config, width, kin.kv_heads, 256, query_default=8 if third else None)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size", default=262208) if third else config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=kin.context)
    tied = config.boolean("tie_word_embeddings", default=True)
    bias = config.boolean("attention_bias", default=False)
    config.only("use_bidirectional_attention", False, None, why="attention that sees later tokens")
    every = (range(blocks),)
    # Files of a bare model (GemmaModel) carry no "model." before their names.
    prefix = "" if architecture.endswith("Model") else "model."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        if kin.qk_norm:
            yield from norm(f"{layer}.self_attn.q_norm", "block/attention/q-norm", sizes.size, blocks=every)
            yield from norm(f"{layer}.self_attn.k_norm", "block/attention/k-norm", sizes.size, blocks=every)
        yield from gated_mlp(f"{layer}.mlp", width, inner, every)
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        if kin.sandwich:
            yield from norm(f"{layer}.post_attention_layernorm", "block/norm-post-attention", width, blocks=every)
            yield from norm(f"{layer}.pre_feedforward_layernorm", "block/norm-mlp", width, blocks=every)
            yield from norm(f"{layer}.post_feedforward_layernorm", "block/norm-post-mlp", width, blocks=every)
        else:
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
        stacks=(Stack("decoder", blocks, SANDWICH) if kin.sandwich else Stack("decoder", blocks),),
        traits=Traits(
            "RMSNorm", "rotary", activation(config, "hidden_activation", "hidden_act", default="gelu", gated=True)
        ),
        defaults=config.defaults,
    )


def windows(config: Config, family: str, blocks: int) -> list[tuple[Blocks, int | None]]:
    """Which blocks attend through which sliding window (None: to every earlier token).

    Gemma: none. Gemma 2: every other block, from the first on (Gemma2Config). Gemma 3: all but every sixth
    (Gemma3TextConfig). Both: 4,096 where sliding_window is left out.
    """
    if family == "gemma":
        return [((range(blocks),), None)]
    local, full = alternating(config, blocks, 2 if family == "gemma2" else period(config, 6))
    return [(local, config.integer_or_none("sliding_window", 4096)), (full, None)]
