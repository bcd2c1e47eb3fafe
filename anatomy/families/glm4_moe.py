"""GLM-4.5 and its kin (Zhipu 2025): grouped-query attention; the first blocks dense, the others routed and shared."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import attention, heads, qk_norms, records
from anatomy.families.experts import experts, routed
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, gated_mlp, norm
from anatomy.families.outputs import classes
from anatomy.model.architecture import Known, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """GLM-4.5 of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of Glm4MoeConfig in transformers: 8 KV heads, no biases, no QK norms, one dense block, one
    shared expert, 8 of 128 routed ones, untied.
    """
    architecture = config.architecture(classes("Glm4Moe"))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 8)
    bias = config.boolean("attention_bias", default=False)
    qk_norm = config.boolean("use_qk_norm", default=False)
    mixture = experts(config, ("n_routed_experts", "num_local_experts"), ("num_experts_per_tok",), 128, 8)
    expert_inner = config.integer("moe_intermediate_size", default=1408)
    shared = expert_inner * config.integer("n_shared_experts", default=1, minimum=0)
    first = min(config.integer("first_k_dense_replace", default=1, minimum=0), blocks)
    dense = (range(first),) if first else ()
    mixed = (range(first, blocks),) if first < blocks else ()
    inner = config.integer("intermediate_size") if dense else 0
    frame = Frame.read(config, architecture, width, blocks, context=131072)
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias, output_bias=False)
        if qk_norm:
            yield from qk_norms(f"{layer}.self_attn", sizes, every)
        if dense:
            yield from gated_mlp(f"{layer}.mlp", width, inner, dense)
        if mixed:
            yield from routed(f"{layer}.mlp", width, expert_inner, mixture, mixed, correction=True)
        if mixed and shared:
            yield from gated_mlp(f"{layer}.mlp.shared_experts", width, shared, mixed, part="block/shared-expert")
        yield from block_norms(layer, width, every)
        yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    gate = activation(config, "hidden_act", default="silu", gated=True)
    return frame.model(
        tuple(rows()),
        records(sizes, (every, None)),
        Traits("RMSNorm", "rotary", gate, *(mixture if mixed else ())),
        known=(
            Known(r".+\.weight_scale(_inv)?", "scales of an FP8 checkpoint"),
            Known(rf"model\.layers\.{blocks}\..+", "multi-token-prediction module"),
        ),
    )
