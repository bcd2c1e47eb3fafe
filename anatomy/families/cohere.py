"""Command R, R+ and R7B (Cohere): attention and MLP in parallel behind one LayerNorm without a shift, tied tables."""

from __future__ import annotations

from collections.abc import Iterator

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

PARALLEL = (Branch(("norm-block", "attention")), Branch(("mlp",), reads="norm"))
CLASSES = {"cohere": "Cohere", "cohere2": "Cohere2"}


def model(config: Config) -> Model:
    """Cohere and Cohere2 of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of CohereConfig and Cohere2Config in transformers: as many KV heads as query heads, a tied
    unembedding, a context of 8,192; in Cohere2 every fourth block attends in full, the others to 4,096 tokens.
    """
    family = str(config.values["model_type"])
    architecture = config.architecture((f"{CLASSES[family]}ForCausalLM", f"{CLASSES[family]}Model"))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=8192)
    tied = config.boolean("tie_word_embeddings", default=True)
    bias = config.boolean("attention_bias", default=False)
    qk_norm = config.boolean("use_qk_norm", default=False) if family == "cohere" else False
    every = (range(blocks),)
    # Files of a bare model (CohereModel) carry no "model." before their names.
    prefix = "" if architecture.endswith("Model") else "model."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        if qk_norm:
            # A scale for every head, stored as one matrix of heads x head size.
            for letter, count in (("q", sizes.query), ("k", sizes.kv)):
                name, part = f"{layer}.self_attn.{letter}_norm.weight", f"block/attention/{letter}-norm"
                yield Row(name, (count, sizes.size), part, every, symbol=f"γ_{letter.upper()}")
        yield from gated_mlp(f"{layer}.mlp", width, inner, every)
        yield from norm(f"{layer}.input_layernorm", "block/norm-block", width, blocks=every)
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
        stacks=(Stack("decoder", blocks, PARALLEL),),
        traits=Traits("LayerNorm", "rotary", activation(config, "hidden_act", default="silu", gated=True)),
        defaults=config.defaults,
    )


def windows(config: Config, family: str, blocks: int) -> list[tuple[Blocks, int | None]]:
    """Which blocks attend through which sliding window (None: to every earlier token)."""
    if family == "cohere":
        return [((range(blocks),), None)]
    local, full = alternating(config, blocks, period(config, 4))
    return [(local, config.integer_or_none("sliding_window", 4096)), (full, None)]
