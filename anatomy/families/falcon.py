"""Falcon: multi-query or grouped attention, a plain MLP beside it (7B, 40B, 11B) or after it (RW, with ALiBi)."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, fused_attention, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, norm, plain_mlp
from anatomy.families.outputs import SEQUENCES, classes
from anatomy.model.architecture import ONE_NORM, PRE_NORM, TWO_NORMS, Known, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config, ConfigError


def model(config: Config) -> Model:
    """Falcon of any size and form from its ``config.json``; raises ``ConfigError``.

    Defaults are those of FalconConfig in transformers: one KV head unless new_decoder_architecture, parts in parallel
    behind one norm (two with new_decoder_architecture), an MLP four times as wide, rotary positions, no biases, a tied
    unembedding, a context of 2,048.
    """
    architecture = config.architecture(classes("Falcon", SEQUENCES))
    width = config.integer("hidden_size", "n_embed")
    config.repeats("num_hidden_layers", "n_layer")
    blocks = config.integer("num_hidden_layers")
    inner = config.integer("ffn_hidden_size", default=4 * width, null=4 * width)
    vocabulary = config.integer("vocab_size")
    alibi = config.boolean("alibi", default=False)
    context = None if alibi else config.integer("max_position_embeddings", default=2048)
    tied = config.boolean("tie_word_embeddings", default=True)
    bias = config.boolean("bias", default=False)
    heads = kv_heads(config, width)
    norms = parallel_norms(config)
    # Files of a bare model (FalconModel) carry no "transformer." before their names.
    prefix = "" if architecture == "FalconModel" else "transformer."
    frame = Frame(config, architecture, width, blocks, vocabulary, context, tied, prefix, "word_embeddings")
    every, layer = frame.every, prefix + "h.{block}"

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        # In groups of the query heads that share a key and a value, each group's three together; for multi-query
        # attention that is one group: all queries, the key, the value.
        layout = "head by head" if heads.kv == heads.query else "group by group" if heads.kv > 1 else ""
        fused, output = f"{layer}.self_attention.query_key_value", f"{layer}.self_attention.dense"
        yield from fused_attention(fused, output, width, heads, every, bias=bias, layout=layout)
        mlp = f"{layer}.mlp"
        yield from plain_mlp(f"{mlp}.dense_h_to_4h", f"{mlp}.dense_4h_to_h", width, inner, every, bias=bias)
        first, second = {
            0: (f"{layer}.input_layernorm", f"{layer}.post_attention_layernorm"),
            1: (f"{layer}.input_layernorm", None),
            2: (f"{layer}.ln_attn", f"{layer}.ln_mlp"),
        }[norms]
        yield from norm(first, "block/norm-attention" if second else "block/norm-block", width, blocks=every, bias=True)
        if second:
            yield from norm(second, "block/norm-mlp", width, blocks=every, bias=True)
        yield from norm(f"{prefix}ln_f", "final-norm", width, bias=True)
        yield from frame.head()

    plain = activation(config, "activation", default="gelu")
    return frame.model(
        tuple(rows()),
        records(heads, (every, None)),
        Traits("LayerNorm", "alibi" if alibi else "rotary", plain),
        flow=(PRE_NORM, ONE_NORM, TWO_NORMS)[norms],
        known=(Known(r"lm_head\.weight", "the token table, stored again", (vocabulary, width)),) if tied else (),
    )


def kv_heads(config: Config, width: int) -> Heads:
    """The heads: num_kv_heads counts only with new_decoder_architecture, else multi_query decides."""
    config.repeats("num_attention_heads", "n_head")
    query = config.integer("num_attention_heads")
    size = config.divided("hidden_size", width, "num_attention_heads", query)
    if config.boolean("new_decoder_architecture", default=False):
        config.repeats("num_kv_heads", "n_head_kv")
        kv = config.integer("num_kv_heads", default=query, null=query)
        config.divided("num_attention_heads", query, "num_kv_heads", kv)
        return Heads(query, kv, size)
    if config.boolean("multi_query", default=True, null=False):
        return Heads(query, 1, size)
    config.only("num_kv_heads", None, query, why="as many as query heads without multi_query")
    return Heads(query, query, size)


def parallel_norms(config: Config) -> int:
    """How many norms stand before the parallel parts: 1 or 2; 0 where the parts follow each other.

    Raises ``ConfigError`` where the new architecture is not parallel.
    """
    new = config.boolean("new_decoder_architecture", default=False)
    if not config.boolean("parallel_attn", default=True, null=False):
        if new:
            raise ConfigError(config.source, "parallel_attn", "false", "true with new_decoder_architecture")
        return 0
    most = 2 if new else 1
    return config.integer("num_ln_in_parallel_attn", default=most, null=most, maximum=most)
