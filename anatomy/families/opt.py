"""OPT (Zhang et al. 2022): learned positions with two rows to spare, a plain MLP.

The 350M model has narrow token embeddings that are projected in and out, and a norm after each part, not before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, attention, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, linear, norm, plain_mlp, table
from anatomy.families.outputs import SEQUENCES, classes, head, unembedding
from anatomy.model.architecture import POST_NORM, PRE_NORM, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

NAMES = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}
# Positions 0 and 1 are never looked up: OPTLearnedPositionalEmbedding adds 2 to every position.
SPARE = 2


def model(config: Config) -> Model:
    """OPT of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of OPTConfig in transformers: norms before the parts, biases, token embeddings as wide as the
    model, a tied unembedding, a context of 2,048.
    """
    architecture = config.architecture(classes("OPT", SEQUENCES))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    query = config.integer("num_attention_heads")
    inner = config.integer("ffn_dim")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=2048)
    narrow = config.integer("word_embed_proj_dim", default=width, null=width)
    tied = config.boolean("tie_word_embeddings", default=True)
    before = config.boolean("do_layer_norm_before", default=True)
    bias = config.boolean("enable_bias", default=True)
    scaled = config.boolean("layer_norm_elementwise_affine", default=True)
    without_final = config.boolean("_remove_final_layer_norm") if "_remove_final_layer_norm" in config.values else False
    heads = Heads(query, query, config.divided("hidden_size", width, "num_attention_heads", query))
    # Released files were saved from the bare model: no "model." before their names, with or without a head.
    frame = Frame(config, architecture, width, blocks, vocabulary, context, tied, "decoder.")
    every, layer = frame.every, frame.layer
    final = before and not without_final
    places = ("norm-attention", "norm-mlp") if before else ("norm-post-attention", "norm-post-mlp")
    bare = () if scaled else (*places, *(("final-norm",) if final else ()))

    def norms(name: str, part: str, where: tuple[range, ...]) -> Iterator[Row]:
        if scaled:
            yield from norm(name, part, width, blocks=where, bias=True)

    def rows() -> Iterator[Row]:
        yield table("decoder.embed_tokens", "embedding/token", vocabulary, narrow, "W_E")
        yield table("decoder.embed_positions", "embedding/position", context + SPARE, width, "W_pos")
        if narrow != width:
            inward, out = Matrix("W_in", narrow, width), Matrix("W_out", width, narrow)
            yield from linear("decoder.project_in", "embedding/projection-in", inward)
            yield from linear("decoder.project_out", "embedding/projection-out", out)
        if final:
            yield from norms("decoder.final_layer_norm", "final-norm", ())
        yield from attention(f"{layer}.self_attn", width, heads, every, bias=bias, names=NAMES)
        yield from norms(f"{layer}.self_attn_layer_norm", f"block/{places[0]}", every)
        yield from plain_mlp(f"{layer}.fc1", f"{layer}.fc2", width, inner, every, bias=bias)
        yield from norms(f"{layer}.final_layer_norm", f"block/{places[1]}", every)
        tied_to = "decoder.embed_tokens.weight" if tied else None
        yield from head(config, architecture, unembedding("lm_head.weight", tied_to, vocabulary, narrow))

    plain = activation(config, "activation_function", default="relu")
    flow = PRE_NORM if before else POST_NORM
    traits = Traits("LayerNorm", "learned", plain)
    return frame.model(tuple(rows()), records(heads, (every, None)), traits, flow=flow, bare=bare)
