"""GLM-4.5 and its kin (Zhipu 2025): grouped-query attention; the first blocks dense, the others routed and shared."""

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
from anatomy.model.architecture import Known, Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

ARCHITECTURES = ("Glm4MoeForCausalLM", "Glm4MoeModel")


def model(config: Config) -> Model:
    """GLM-4.5 of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of Glm4MoeConfig in transformers: 8 KV heads, no biases, no QK norms, one dense block, one
    shared expert, 8 of 128 routed ones, untied.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 8)
    bias = config.boolean("attention_bias", default=False)
    qk_norm = config.boolean("use_qk_norm", default=False)
    experts = config.integer("n_routed_experts", "num_local_experts", default=128)
    used = config.integer("num_experts_per_tok", default=8)
    share = config.share("num_experts_per_tok", used, "n_routed_experts", experts)
    expert_inner = config.integer("moe_intermediate_size", default=1408)
    shared = expert_inner * config.integer("n_shared_experts", default=1)
    first = min(config.integer("first_k_dense_replace", default=1, minimum=0), blocks)
    dense = (range(first),) if first else ()
    routed = (range(first, blocks),) if first < blocks else ()
    inner = config.integer("intermediate_size") if dense else 0
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=131072)
    tied = config.boolean("tie_word_embeddings", default=False)
    every = (range(blocks),)
    headed = architecture == "Glm4MoeForCausalLM"
    prefix = "model." if headed else ""
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias, output_bias=False)
        if qk_norm:
            yield from norm(f"{layer}.self_attn.q_norm", "block/attention/q-norm", sizes.size, blocks=every)
            yield from norm(f"{layer}.self_attn.k_norm", "block/attention/k-norm", sizes.size, blocks=every)
        if dense:
            yield from gated_mlp(f"{layer}.mlp", width, inner, dense)
        if routed:
            yield from linear(f"{layer}.mlp.gate", "block/router", Matrix("W_router", width, experts), blocks=routed)
            correction = f"{layer}.mlp.gate.e_score_correction_bias"
            yield Row(correction, (experts,), "block/router", routed, buffer=True, symbol="b_router")
            yield from gated_mlp(
                layer + ".mlp.experts.{expert}", width, expert_inner, routed,
                part="block/experts", copies=experts, share=share,
            )  # fmt: skip
            yield from gated_mlp(f"{layer}.mlp.shared_experts", width, shared, routed, part="block/shared-expert")
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every)
        yield from norm(f"{prefix}norm", "final-norm", width)
        if headed:
            yield unembedding("lm_head.weight", "model.embed_tokens.weight" if tied else None, vocabulary, width)

    return Model(
        model_type="glm4_moe",
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
        known=(
            Known(r".+\.weight_scale(_inv)?", "scales of an FP8 checkpoint"),
            Known(rf"model\.layers\.{blocks}\..+", "multi-token-prediction module"),
        ),
        defaults=config.defaults,
    )  # fmt: skip
