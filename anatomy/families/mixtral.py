"""Mixtral (Jiang et al. 2024): Mistral's attention, and in every block a router that picks some of its gated MLPs."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import attention, heads, records
from anatomy.families.experts import experts, routed
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, norm
from anatomy.families.outputs import TOKENS, classes
from anatomy.model.architecture import Known, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """Mixtral of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of MixtralConfig in transformers: 8 KV heads, 2 of 8 experts, no sliding window, untied.
    """
    architecture = config.architecture(classes("Mixtral", TOKENS))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 8)
    inner = config.integer("intermediate_size")
    mixture = experts(config, ("num_local_experts", "num_experts"), ("num_experts_per_tok",), 8, 2)
    frame = Frame.read(config, architecture, width, blocks, context=131072)
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from attention(f"{layer}.self_attn", width, sizes, every)
        yield from routed(f"{layer}.block_sparse_moe", width, inner, mixture, every, names=("w1", "w3", "w2"))
        yield from block_norms(layer, width, every)
        yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    gate = activation(config, "hidden_act", default="silu", gated=True)
    return frame.model(
        tuple(rows()),
        records(sizes, (every, config.integer_or_none("sliding_window", None))),
        Traits("RMSNorm", "rotary", gate, *mixture),
        known=(Known(r"(model\.)?layers\.\d+\.self_attn\.rotary_emb\.inv_freq", "rotary inverse frequencies"),),
    )
