"""BLOOM (BigScience 2022): ALiBi instead of positions, a norm on the embeddings, fused QKV stored head by head."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, fused_attention, records
from anatomy.families.frame import Frame
from anatomy.families.layers import norm, plain_mlp
from anatomy.families.outputs import SEQUENCES, classes
from anatomy.model.architecture import Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """BLOOM of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of BloomConfig in transformers: a tied unembedding. The MLP is always four times as wide.
    """
    architecture = config.architecture(classes("Bloom", SEQUENCES))
    width = config.integer("hidden_size", "n_embed")
    blocks = config.integer("n_layer", "num_hidden_layers")
    query = config.integer("n_head", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    tied = config.boolean("tie_word_embeddings", default=True)
    config.only("n_inner", None, 4 * width, why="four times the width in every BLOOM")
    heads = Heads(query, query, config.divided("hidden_size", width, "n_head", query))
    # Released files were saved from the bare model: no "transformer." before their names, with or without a head.
    frame = Frame(config, architecture, width, blocks, vocabulary, None, tied, "", "word_embeddings")
    every, layer = frame.every, "h.{block}"

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from norm("word_embeddings_layernorm", "embedding-norm", width, bias=True)
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every, bias=True)
        # Stored head by head: the rows of a head's query, key and value stand together.
        fused, output = f"{layer}.self_attention.query_key_value", f"{layer}.self_attention.dense"
        yield from fused_attention(fused, output, width, heads, every, bias=True, layout="head by head")
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every, bias=True)
        up, down = f"{layer}.mlp.dense_h_to_4h", f"{layer}.mlp.dense_4h_to_h"
        yield from plain_mlp(up, down, width, 4 * width, every, bias=True)
        yield from norm("ln_f", "final-norm", width, bias=True)
        yield from frame.head()

    return frame.model(tuple(rows()), records(heads, (every, None)), Traits("LayerNorm", "alibi", "GELU"))
