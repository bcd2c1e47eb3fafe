"""StarCoder2: LayerNorm, rotary positions, grouped-query attention, a plain MLP, biases everywhere."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import attention, heads, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, norm, plain_mlp
from anatomy.families.outputs import TOKENS, classes
from anatomy.model.architecture import Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """StarCoder2 of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of Starcoder2Config in transformers: 2 KV heads, biases, a tied unembedding, no window, a context
    of 4,096.
    """
    architecture = config.architecture(classes("Starcoder2", TOKENS))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 2)
    inner = config.integer("intermediate_size")
    frame = Frame.read(config, architecture, width, blocks, context=4096, tied=True)
    bias = config.boolean("use_bias", default=True)
    config.only("mlp_type", "default", None, why="a gated MLP has other tensors")
    config.only("norm_type", "layer_norm", None, why="another norm has other tensors")
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        yield from plain_mlp(f"{layer}.mlp.c_fc", f"{layer}.mlp.c_proj", width, inner, every, bias=bias)
        yield from block_norms(layer, width, every, bias=True)
        yield from norm(f"{frame.prefix}norm", "final-norm", width, bias=True)
        yield from frame.head()

    plain = activation(config, "hidden_act", default="gelu")
    window = config.integer_or_none("sliding_window", None)
    return frame.model(tuple(rows()), records(sizes, (every, window)), Traits("LayerNorm", "rotary", plain))
