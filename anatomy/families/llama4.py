"""Llama 4 (Meta 2025): chunked attention in three of four blocks; routed blocks with one shared expert."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    Heads,
    attention,
    gated_mlp,
    heads,
    linear,
    norm,
    table,
    unembedding,
)
from anatomy.model.architecture import Attention, Stack, Traits
from anatomy.model.blocks import (
    Blocks,
    all_but_every,
    excluding,
    runs,
)
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import MAX_LISTED, Config

ARCHITECTURES = ("Llama4ForCausalLM", "Llama4TextModel")


def model(config: Config) -> Model:
    """The text part of Llama 4 (Scout, Maverick) from its ``config.json``; raises ``ConfigError``.

    Defaults are those of Llama4TextConfig in transformers: 8 KV heads of 128, 1 of 16 experts, every block routed,
    chunks of 8,192 tokens, a block without rotation (and without chunks) after every three, untied.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 8, 128)
    bias = config.boolean("attention_bias", default=False)
    expert_inner = config.integer("intermediate_size")
    experts = config.integer("num_local_experts", default=16)
    used = config.integer("num_experts_per_tok", default=1)
    share = config.share("num_experts_per_tok", used, "num_local_experts", experts)
    dense, routed = dense_and_routed(config, blocks)
    inner = config.integer("intermediate_size_mlp", default=16384) if dense else 0
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=131072)
    tied = config.boolean("tie_word_embeddings", default=False)
    every = (range(blocks),)
    headed = architecture == "Llama4ForCausalLM"
    prefix = "model." if headed else ""
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        mlp = f"{layer}.feed_forward"
        if dense:
            yield from gated_mlp(mlp, width, inner, dense)
        if routed:
            # Stored (experts, in, out): gate and up side by side.
            gate, up = Matrix("W_gate", width, expert_inner, experts), Matrix("W_up", width, expert_inner, experts)
            down = Matrix("W_down", expert_inner, width, experts)
            yield Row(
                f"{mlp}.experts.gate_up_proj", (experts, width, 2 * expert_inner), "block/experts/gate-up", routed,
                matrices=(gate, up), multiplies="tokens", share=share,
            )  # fmt: skip
            yield Row(
                f"{mlp}.experts.down_proj", (experts, expert_inner, width), "block/experts/down", routed,
                matrices=(down,), multiplies="tokens", share=share,
            )  # fmt: skip
            yield from linear(f"{mlp}.router", "block/router", Matrix("W_router", width, experts), blocks=routed)
            yield from gated_mlp(f"{mlp}.shared_expert", width, expert_inner, routed, part="block/shared-expert")
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every)
        yield from norm(f"{prefix}norm", "final-norm", width)
        if headed:
            yield unembedding("lm_head.weight", "model.embed_tokens.weight" if tied else None, vocabulary, width)

    return Model(
        model_type="llama4_text",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=chunked(config, sizes, blocks),
        stacks=(Stack("decoder", blocks),),
        traits=Traits("RMSNorm", "rotary", "SwiGLU", experts if routed else None, used if routed else None),
        defaults=config.defaults,
    )


def dense_and_routed(config: Config, blocks: int) -> tuple[Blocks, Blocks]:
    """The routed blocks: those that moe_layers lists, else every interleave_moe_layer_step-th; the others are dense."""
    step = config.integer("interleave_moe_layer_step", default=1, maximum=1000)
    listed = config.indices("moe_layers", blocks)
    routed = all_but_every(step, blocks)[1] if listed is None else runs(listed)
    return excluding(blocks, (range(blocks),), routed), routed


def chunked(config: Config, sizes: Heads, blocks: int) -> tuple[Attention, ...]:
    """Blocks with rotation attend inside chunks, the others to every earlier token.

    layer_types says which; else no_rope_layers (1 with rotation, 0 without); else every no_rope_layer_interval-th has
    none.
    """
    chunk = config.integer_or_none("attention_chunk_size", 8192)
    kinds = config.choices("layer_types", ("chunked_attention", "full_attention"), blocks)
    marks = config.values.get("no_rope_layers") or None
    if kinds is not None:
        local = runs(block for block, kind in enumerate(kinds) if kind == "chunked_attention")
    elif marks is not None:
        accepted = f"a list of {blocks:,} items (at most {MAX_LISTED:,}), each 0 or 1"
        if not isinstance(marks, list) or len(marks) != blocks or blocks > MAX_LISTED:
            raise config.error("no_rope_layers", marks, accepted)
        if any(isinstance(mark, bool) or mark not in (0, 1) for mark in marks):
            raise config.error("no_rope_layers", marks, accepted)
        local = runs(block for block, mark in enumerate(marks) if mark)
    else:
        local, _ = all_but_every(config.integer("no_rope_layer_interval", default=4, minimum=2, maximum=100), blocks)
    full = excluding(blocks, (range(blocks),), local)
    return tuple(
        Attention("decoder", where, sizes.query, sizes.kv, sizes.size, sizes.size, chunk=size)
        for where, size in ((local, chunk), (full, None))
        if where
    )
