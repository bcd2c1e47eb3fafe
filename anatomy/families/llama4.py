"""Llama 4 (Meta 2025): chunked attention in three of four blocks; routed blocks with one shared expert."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, attention, heads
from anatomy.families.experts import experts, stacked
from anatomy.families.frame import Frame
from anatomy.families.layers import block_norms, gated_mlp, linear, norm
from anatomy.model.architecture import Attention, Traits
from anatomy.model.blocks import Blocks, all_but_every, excluding, runs
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
    mixture = experts(config, ("num_local_experts",), ("num_experts_per_tok",), 16, 1)
    dense, mixed = dense_and_routed(config, blocks)
    inner = config.integer("intermediate_size_mlp", default=16384) if dense else 0
    frame = Frame.read(config, architecture, width, blocks, context=131072)
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        mlp = f"{layer}.feed_forward"
        if dense:
            yield from gated_mlp(mlp, width, inner, dense)
        if mixed:
            yield from stacked(f"{mlp}.experts", width, expert_inner, mixture, mixed)
            yield from linear(f"{mlp}.router", "block/router", Matrix("W_router", width, mixture.held), blocks=mixed)
            yield from gated_mlp(f"{mlp}.shared_expert", width, expert_inner, mixed, part="block/shared-expert")
        yield from block_norms(layer, width, every)
        yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    traits = Traits("RMSNorm", "rotary", "SwiGLU", *(mixture if mixed else ()))
    return frame.model(tuple(rows()), chunked(config, sizes, blocks), traits)


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

    Raises ``ConfigError`` where ``no_rope_layers`` is no mark for each block.
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
