"""BLOOM (BigScience 2022): ALiBi instead of positions, a norm on the embeddings, fused QKV stored head by head."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    Heads,
    fused_qkv,
    linear,
    norm,
    plain_mlp,
    table,
    unembedding,
)
from anatomy.families.windows import records
from anatomy.model.architecture import Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """BLOOM of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of BloomConfig in transformers: a tied unembedding. The MLP is always four times as wide.
    """
    architecture = config.architecture(("BloomForCausalLM", "BloomModel"))
    width = config.integer("hidden_size", "n_embed")
    blocks = config.integer("n_layer", "num_hidden_layers")
    query = config.integer("n_head", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    tied = config.boolean("tie_word_embeddings", default=True)
    config.only("n_inner", None, 4 * width, why="four times the width in every BLOOM")
    heads = Heads(query, query, config.divided("hidden_size", width, "n_head", query))
    every = (range(blocks),)

    def rows() -> Iterator[Row]:
        # Released files were saved from the bare model: no "transformer." before their names, with or without a head.
        yield table("word_embeddings", "embedding/token", vocabulary, width, "W_E")
        yield from norm("word_embeddings_layernorm", "embedding-norm", width, bias=True)
        yield from norm("h.{block}.input_layernorm", "block/norm-attention", width, blocks=every, bias=True)
        # Stored head by head: the rows of a head's query, key and value stand together.
        fused, qkv = "h.{block}.self_attention.query_key_value", fused_qkv(width, heads)
        yield from linear(fused, "block/attention/qkv", *qkv, blocks=every, bias=True, layout="head by head")
        output = Matrix("W_O", width, width)
        yield from linear("h.{block}.self_attention.dense", "block/attention/output", output, blocks=every, bias=True)
        yield from norm("h.{block}.post_attention_layernorm", "block/norm-mlp", width, blocks=every, bias=True)
        up, down = "h.{block}.mlp.dense_h_to_4h", "h.{block}.mlp.dense_4h_to_h"
        yield from plain_mlp(up, down, width, 4 * width, every, bias=True)
        yield from norm("ln_f", "final-norm", width, bias=True)
        if architecture == "BloomForCausalLM":
            yield unembedding("lm_head.weight", "word_embeddings.weight" if tied else None, vocabulary, width)

    return Model(
        model_type="bloom",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=None,
        rows=tuple(rows()),
        attention=records(heads, (every, None)),
        stacks=(Stack("decoder", blocks),),
        traits=Traits("LayerNorm", "alibi", "GELU"),
        defaults=config.defaults,
    )
