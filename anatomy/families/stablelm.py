"""StableLM: LayerNorm, rotary positions, a gated MLP; in the 12B model the parts in parallel and a norm per head."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import attention, heads, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, gated_mlp, norm
from anatomy.families.outputs import TOKENS, classes
from anatomy.model.architecture import ONE_NORM, PRE_NORM, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """StableLM of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of StableLmConfig in transformers: 32 KV heads, an untied unembedding, no biases and no QK norm,
    the parts one after the other, a context of 4,096.
    """
    architecture = config.architecture(classes("StableLm", TOKENS))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 32, own_size=False)
    inner = config.integer("intermediate_size")
    frame = Frame.read(config, architecture, width, blocks, context=4096)
    bias = config.boolean("use_qkv_bias", default=False)
    qk_norm = config.boolean("qk_layernorm", default=False)
    flow = ONE_NORM if config.boolean("use_parallel_residual", default=False) else PRE_NORM
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias, output_bias=False)
        if qk_norm:
            # A LayerNorm without a shift for every head, each stored on its own.
            for letter, count in (("q", sizes.query), ("k", sizes.kv)):
                name, part = f"{layer}.self_attn.{letter}_layernorm.norms.{{head}}", f"block/attention/{letter}-norm"
                yield Row(f"{name}.weight", (sizes.size,), part, every, copies=count, symbol=f"γ_{letter.upper()}")
        yield from gated_mlp(f"{layer}.mlp", width, inner, every)
        yield from block_norms(layer, width, every, flow=flow, bias=True)
        yield from norm(f"{frame.prefix}norm", "final-norm", width, bias=True)
        yield from frame.head()

    gate = activation(config, "hidden_act", default="silu", gated=True)
    return frame.model(tuple(rows()), records(sizes, (every, None)), Traits("LayerNorm", "rotary", gate), flow=flow)
