"""Qwen's mixtures (Qwen1.5-MoE, Qwen2-MoE, Qwen3-MoE): many small experts, some blocks dense if so configured."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    activation,
    attention,
    gated_mlp,
    heads,
    linear,
    norm,
    table,
    unembedding,
)
from anatomy.families.windows import records
from anatomy.model.architecture import Stack, Traits
from anatomy.model.blocks import (
    Blocks,
    all_but_every,
    excluding,
    runs,
)
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

CLASSES = {"qwen2_moe": "Qwen2Moe", "qwen3_moe": "Qwen3Moe"}


def model(config: Config) -> Model:
    """Qwen2-MoE and Qwen3-MoE of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of Qwen2MoeConfig and Qwen3MoeConfig in transformers: every block routed, untied; Qwen2-MoE has
    16 KV heads, biases on Q, K and V, and 4 of 60 experts; Qwen3-MoE 4 KV heads, no biases, and 8 of 128.
    """
    family = str(config.values["model_type"])
    second = family == "qwen2_moe"
    causal = f"{CLASSES[family]}ForCausalLM"
    architecture = config.architecture((causal, f"{CLASSES[family]}Model"))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 16 if second else 4)
    bias = config.boolean("qkv_bias", default=True) if second else config.boolean("attention_bias", default=False)
    shared = config.integer("shared_expert_intermediate_size", default=5632) if second else 0
    experts = config.integer("num_experts", "num_local_experts", default=60 if second else 128)
    used = config.integer("num_experts_per_tok", default=4 if second else 8)
    share = config.share("num_experts_per_tok", used, "num_experts", experts)
    expert_inner = config.integer("moe_intermediate_size", default=1408 if second else 768)
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=32768)
    tied = config.boolean("tie_word_embeddings", default=False)
    config.only("use_sliding_window", False, None, why="no release has it on, and which blocks it means is not settled")
    dense, routed = dense_and_routed(config, blocks)
    inner = config.integer("intermediate_size") if dense else 0
    every = (range(blocks),)
    headed = architecture == causal
    prefix = "model." if headed else ""
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        output_bias = False if second else bias
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias, output_bias=output_bias)
        if not second:
            yield from norm(f"{layer}.self_attn.q_norm", "block/attention/q-norm", sizes.size, blocks=every)
            yield from norm(f"{layer}.self_attn.k_norm", "block/attention/k-norm", sizes.size, blocks=every)
        if dense:
            yield from gated_mlp(f"{layer}.mlp", width, inner, dense)
        if routed:
            yield from linear(f"{layer}.mlp.gate", "block/router", Matrix("W_router", width, experts), blocks=routed)
            yield from gated_mlp(
                layer + ".mlp.experts.{expert}", width, expert_inner, routed,
                part="block/experts", copies=experts, share=share,
            )  # fmt: skip
        if routed and second:
            part = "block/shared-expert"
            yield from gated_mlp(f"{layer}.mlp.shared_expert", width, shared, routed, part=part)
            # One number per token scales what the shared expert says.
            scale = Matrix("W_scale", width, 1)
            yield from linear(f"{layer}.mlp.shared_expert_gate", f"{part}/scale", scale, blocks=routed)
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every)
        yield from norm(f"{prefix}norm", "final-norm", width)
        if headed:
            yield unembedding("lm_head.weight", "model.embed_tokens.weight" if tied else None, vocabulary, width)

    return Model(
        model_type=family,
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (every, None)),
        stacks=(Stack("decoder", blocks),),
        traits=Traits(
            "RMSNorm", "rotary", activation(config, "hidden_act", default="silu", gated=True),
            experts=experts if routed else None, experts_per_token=used if routed else None,
        ),
        defaults=config.defaults,
    )  # fmt: skip


def dense_and_routed(config: Config, blocks: int) -> tuple[Blocks, Blocks]:
    """Every decoder_sparse_step-th block is routed, but for those that mlp_only_layers lists; the others are dense."""
    step = config.integer("decoder_sparse_step", default=1, maximum=1000)
    listed = runs(config.indices("mlp_only_layers", blocks) or [])
    _, routed = all_but_every(step, blocks)
    if listed and routed:
        routed = excluding(blocks, routed, listed)
    return excluding(blocks, (range(blocks),), routed), routed
