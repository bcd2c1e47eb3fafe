"""Qwen's mixtures (Qwen1.5-MoE, Qwen2-MoE, Qwen3-MoE): many small experts, some blocks dense if so configured."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import attention, heads, qk_norms, records
from anatomy.families.experts import experts, routed
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, gated_mlp, linear, norm
from anatomy.families.outputs import TOKENS, classes
from anatomy.model.architecture import Traits
from anatomy.model.blocks import Blocks, all_but_every, excluding, runs
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """Qwen2-MoE and Qwen3-MoE of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of Qwen2MoeConfig and Qwen3MoeConfig in transformers: every block routed, untied; Qwen2-MoE has
    16 KV heads, biases on Q, K and V, and 4 of 60 experts; Qwen3-MoE 4 KV heads, no biases, and 8 of 128.
    """
    second = config.values["model_type"] == "qwen2_moe"
    architecture = config.architecture(classes("Qwen2Moe" if second else "Qwen3Moe", TOKENS))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 16 if second else 4)
    bias = config.boolean("qkv_bias", default=True) if second else config.boolean("attention_bias", default=False)
    shared = config.integer("shared_expert_intermediate_size", default=5632) if second else 0
    mapped, unread = ((), "num_local_experts") if second else (("num_local_experts",), "")
    config.repeats("num_experts", unread)
    defaults = (60, 4) if second else (128, 8)
    mixture = experts(config, ("num_experts", *mapped), ("num_experts_per_tok",), *defaults)
    expert_inner = config.integer("moe_intermediate_size", default=1408 if second else 768)
    frame = Frame.read(config, architecture, width, blocks, context=32768)
    config.only("use_sliding_window", False, None, why="no release has it on, and which blocks it means is not settled")
    dense, mixed = dense_and_routed(config, blocks)
    inner = config.integer("intermediate_size") if dense else 0
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        output_bias = False if second else bias
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias, output_bias=output_bias)
        if not second:
            yield from qk_norms(f"{layer}.self_attn", sizes, every)
        if dense:
            yield from gated_mlp(f"{layer}.mlp", width, inner, dense)
        if mixed:
            yield from routed(f"{layer}.mlp", width, expert_inner, mixture, mixed)
        if mixed and second:
            part = "block/shared-expert"
            yield from gated_mlp(f"{layer}.mlp.shared_expert", width, shared, mixed, part=part)
            # One number per token scales what the shared expert says.
            scale = Matrix("W_scale", width, 1)
            yield from linear(f"{layer}.mlp.shared_expert_gate", f"{part}/scale", scale, blocks=mixed)
        yield from block_norms(layer, width, every)
        yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    gate = activation(config, "hidden_act", default="silu", gated=True)
    traits = Traits("RMSNorm", "rotary", gate, *(mixture if mixed else ()))
    return frame.model(tuple(rows()), records(sizes, (every, None)), traits)


def dense_and_routed(config: Config, blocks: int) -> tuple[Blocks, Blocks]:
    """Every decoder_sparse_step-th block is routed, but for those that mlp_only_layers lists; the others are dense."""
    step = config.integer("decoder_sparse_step", default=1, maximum=1000)
    listed = runs(config.indices("mlp_only_layers", blocks) or [])
    _, routed = all_but_every(step, blocks)
    if listed and routed:
        routed = excluding(blocks, routed, listed)
    return excluding(blocks, (range(blocks),), routed), routed
