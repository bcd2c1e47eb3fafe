"""StarCoder2: LayerNorm, rotary positions, grouped-query attention, a plain MLP, biases everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    activation,
    attention,
    heads,
    norm,
    plain_mlp,
    table,
)
from anatomy.families.outputs import head
from anatomy.families.windows import records
from anatomy.model.architecture import Stack, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

HEADS = ("ForCausalLM", "Model", "ForSequenceClassification", "ForTokenClassification")


def model(config: Config) -> Model:
    """StarCoder2 of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of Starcoder2Config in transformers: 2 KV heads, biases, a tied unembedding, no window, a context
    of 4,096.
    """
    architecture = config.architecture(["Starcoder2" + ending for ending in HEADS])
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 2)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=4096)
    tied = config.boolean("tie_word_embeddings", default=True)
    bias = config.boolean("use_bias", default=True)
    config.only("mlp_type", "default", None, why="a gated MLP has other tensors")
    config.only("norm_type", "layer_norm", None, why="another norm has other tensors")
    every = (range(blocks),)
    # Files of a bare model (Starcoder2Model) carry no "model." before their names.
    prefix = "" if architecture.endswith("Model") else "model."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        yield from plain_mlp(f"{layer}.mlp.c_fc", f"{layer}.mlp.c_proj", width, inner, every, bias=bias)
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every, bias=True)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every, bias=True)
        yield from norm(f"{prefix}norm", "final-norm", width, bias=True)
        yield from head(config, architecture, vocabulary, width, f"{prefix}embed_tokens.weight" if tied else None)

    return Model(
        model_type="starcoder2",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (every, config.integer_or_none("sliding_window", None))),
        stacks=(Stack("decoder", blocks),),
        traits=Traits("LayerNorm", "rotary", activation(config, "hidden_act", default="gelu")),
        defaults=config.defaults,
    )
