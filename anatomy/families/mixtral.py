"""Mixtral (Jiang et al. 2024): Mistral's attention, and in every block a router that picks some of its gated MLPs."""

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

ARCHITECTURES = ("MixtralForCausalLM", "MixtralModel")


def model(config: Config) -> Model:
    """Mixtral of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of MixtralConfig in transformers: 8 KV heads, 2 of 8 experts, no sliding window, untied.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 8)
    inner = config.integer("intermediate_size")
    experts = config.integer("num_local_experts", "num_experts", default=8)
    used = config.integer("num_experts_per_tok", default=2)
    share = config.share("num_experts_per_tok", used, "num_local_experts", experts)
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=131072)
    window = config.integer_or_none("sliding_window", None)
    tied = config.boolean("tie_word_embeddings", default=False)
    every = (range(blocks),)
    headed = architecture == "MixtralForCausalLM"
    prefix = "model." if headed else ""
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every)
        moe = f"{layer}.block_sparse_moe"
        yield from linear(f"{moe}.gate", "block/router", Matrix("W_router", width, experts), blocks=every)
        yield from gated_mlp(
            moe + ".experts.{expert}", width, inner, every,
            names=("w1", "w3", "w2"), part="block/experts", copies=experts, share=share,
        )  # fmt: skip
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every)
        yield from norm(f"{prefix}norm", "final-norm", width)
        if headed:
            yield unembedding("lm_head.weight", "model.embed_tokens.weight" if tied else None, vocabulary, width)

    return Model(
        model_type="mixtral",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (every, window)),
        stacks=(Stack("decoder", blocks),),
        traits=Traits(
            "RMSNorm", "rotary", activation(config, "hidden_act", default="silu", gated=True),
            experts=experts, experts_per_token=used,
        ),
        known=(Known(r"(model\.)?layers\.\d+\.self_attn\.rotary_emb\.inv_freq", "rotary inverse frequencies"),),
        defaults=config.defaults,
    )  # fmt: skip
