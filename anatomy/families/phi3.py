"""Phi-3 and Phi-4: Llama's network with fused projections: Q, K, V in one tensor, gate and up in another."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import fused_attention, heads, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, gate_and_up, linear, norm
from anatomy.families.outputs import TOKENS, classes
from anatomy.model.architecture import Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """Phi-3 and Phi-4 of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of Phi3Config in transformers: as many KV heads as query heads, an untied unembedding, no window,
    a context of 4,096.
    """
    architecture = config.architecture(classes("Phi3", TOKENS))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width)
    inner = config.integer("intermediate_size")
    frame = Frame.read(config, architecture, width, blocks, context=4096)
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        at = f"{layer}.self_attn"
        yield from fused_attention(f"{at}.qkv_proj", f"{at}.o_proj", width, sizes, every)
        yield from linear(f"{layer}.mlp.gate_up_proj", "block/mlp/gate-up", *gate_and_up(width, inner), blocks=every)
        yield from linear(f"{layer}.mlp.down_proj", "block/mlp/down", Matrix("W_down", inner, width), blocks=every)
        yield from block_norms(layer, width, every)
        yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    gate = activation(config, "hidden_act", default="silu", gated=True)
    window = config.integer_or_none("sliding_window", None)
    return frame.model(tuple(rows()), records(sizes, (every, window)), Traits("RMSNorm", "rotary", gate))
