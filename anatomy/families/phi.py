"""Phi-1, Phi-1.5 and Phi-2: attention and MLP in parallel behind one LayerNorm, a bias even on the unembedding."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import attention, heads, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, norm, plain_mlp
from anatomy.families.outputs import TOKENS, classes
from anatomy.model.architecture import ONE_NORM, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

NAMES = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "dense"}


def model(config: Config) -> Model:
    """Phi of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of PhiConfig in transformers: as many KV heads as query heads, an untied unembedding, no QK norm,
    a context of 2,048.
    """
    architecture = config.architecture(classes("Phi", TOKENS))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width)
    inner = config.integer("intermediate_size")
    frame = Frame.read(config, architecture, width, blocks, context=2048)
    config.only("qk_layernorm", False, None, why="no released Phi has QK norms")
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=True, names=NAMES)
        yield from plain_mlp(f"{layer}.mlp.fc1", f"{layer}.mlp.fc2", width, inner, every, bias=True)
        yield from block_norms(layer, width, every, flow=ONE_NORM, bias=True)
        yield from norm(f"{frame.prefix}final_layernorm", "final-norm", width, bias=True)
        yield from frame.head(bias=True)

    plain = activation(config, "hidden_act", default="gelu")
    traits = Traits("LayerNorm", "rotary", plain)
    return frame.model(tuple(rows()), records(sizes, (every, None)), traits, flow=ONE_NORM)
