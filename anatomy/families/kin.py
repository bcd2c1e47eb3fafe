"""Decoders that differ in tables: rotary positions and gated MLPs or experts, with norms and biases of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from anatomy.families import windows
from anatomy.families.attention import attention, both_ways, heads, qk_norms, records
from anatomy.families.experts import Experts, experts
from anatomy.families.frame import Frame
from anatomy.families.layers import GATED, activation, block_norms, gate_and_up, gated_mlp, linear, norm, plain_mlp
from anatomy.model.architecture import PRE_NORM, Branch, Known, Traits
from anatomy.model.blocks import Blocks
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

_NONE: Mapping[str, str] = MappingProxyType({})
ATTENTION, BOTH = ("attention_bias",), ("attention_bias", "mlp_bias")


class Vector(NamedTuple):
    """A vector that a block holds beside its matrices: as long as ``heads``, ``query`` (all heads), ``inner`` or 1."""

    name: str
    part: str
    length: str
    symbol: str


class Mixture(NamedTuple):
    """Routed experts: the keys that say how many, their width, which blocks hold them, and how they are stored.

    ``inner`` and ``shared`` read the width of an expert and of the one that every token uses (0: none); ``split`` reads
    the dense blocks and the routed ones. ``correction`` is what is added to the router's scores: its stored name, and
    whether it is a buffer; ``stacked`` are the names of gate with up and of down where all experts are one tensor,
    ``fused`` those of the expert that every token uses.
    """

    held: tuple[str, ...]
    used: tuple[str, ...]
    defaults: tuple[int, ...]
    inner: Callable[[Config], int]
    shared: Callable[[Config], int] = lambda _: 0
    split: Callable[[Config, int], tuple[Blocks, Blocks]] = lambda _, blocks: ((), (range(blocks),))
    at: str = "mlp"
    router: str = "gate"
    names: tuple[str, str, str] = GATED
    shared_at: str = "shared_experts"
    correction: tuple[str, bool] = ("", True)
    stacked: tuple[str, str] | None = None
    fused: tuple[str, str] | None = None


class Kin(NamedTuple):
    """What one family has of its own: its classes, the defaults of its configuration, the flags of its network.

    ``biases`` are the keys for biases of attention and MLP, ``biased`` those that are on by default, ``output_bias`` is
    the key of the output projection's own bias ("": as the others, "no": none); ``qk_norm`` is what one scale of its QK
    norms serves (see ``qk_norms``), where ``qk_norm_key`` names a key, only with it; ``activation`` is the default and
    the keys for it; ``off`` are the keys that must not be on, and why; ``two_way``: a key may let it see later tokens
    too; ``mlp`` is gated, plain (two matrices) or fused; ``norms`` are the names of a block's norms where they are not
    Llama's; ``flow_key`` names the key without which it is wired as Llama; ``square``: heads must fill the width;
    ``only`` is the one
    value of a key that is handled; ``renamed`` are the pieces of Llama's names that the files write otherwise.
    """

    classes: tuple[str, ...]
    context: int
    query_heads: int | None = None
    kv_heads: int | None = None
    head_size: int | None = None
    vocabulary: int | None = None
    tied: bool = False
    biases: tuple[str, ...] = ()
    qkv_bias: bool = False
    qk_norm: str = ""
    qk_norm_key: str = ""
    flow: tuple[Branch, ...] = PRE_NORM
    norm: str = "RMSNorm"
    scaled: bool = True
    activation: tuple[str, ...] = ("silu", "hidden_act")
    windows: windows.Windows = windows.none
    off: Mapping[str, str] = _NONE
    two_way: bool = False
    biased: tuple[str, ...] = ()
    output_bias: str = ""
    shift: bool = False
    mlp: str = "gated"
    norms: Mapping[str, str] | None = None
    flow_key: str = ""
    own_size: bool = True
    square: bool = False
    also: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    vectors: tuple[Vector, ...] = ()
    renamed: Mapping[str, str] = _NONE
    only: Mapping[str, object] = _NONE
    mixture: Mixture | None = None


def decoder(config: Config, kin: Kin) -> Model:
    """The model of a configuration whose family is ``kin``; raises ``ConfigError``."""
    architecture = config.architecture(kin.classes)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers", *kin.also.get("num_hidden_layers", ()))
    sizes = heads(config, width, kin.kv_heads, kin.head_size, kin.query_heads, kin.own_size)
    if kin.square and sizes.query * sizes.size != width:
        raise config.error("head_dim", sizes.size, f"hidden_size / num_attention_heads, {width} / {sizes.query}")
    frame = Frame.read(
        config, architecture, width, blocks, context=kin.context, tied=kin.tied, vocabulary=kin.vocabulary
    )
    bias, mlp_bias = (
        key in kin.biases and config.boolean(key, *kin.also.get(key, ()), default=key in kin.biased, null=False)
        for key in BOTH
    )
    own = {"": bias, "no": False}
    output_bias = own[kin.output_bias] if kin.output_bias in own else config.boolean(kin.output_bias, default=False)
    normed = bool(kin.qk_norm) and (not kin.qk_norm_key or config.boolean(kin.qk_norm_key, default=False))
    wired = not kin.flow_key or config.boolean(kin.flow_key, default=True)
    flow, named = (kin.flow, kin.norms) if wired else (PRE_NORM, None)
    for key, why in kin.off.items():
        config.only(key, False, None, why=why)
    for key, value in kin.only.items():
        config.only(key, value, None, why="the only one that is handled")
    every, layer = frame.every, frame.layer
    dense, mixed = kin.mixture.split(config, blocks) if kin.mixture else (every, ())
    mixture = experts(config, kin.mixture.held, kin.mixture.used, *kin.mixture.defaults) if kin.mixture else None
    expert_inner, shared = (kin.mixture.inner(config), kin.mixture.shared(config)) if kin.mixture else (0, 0)
    inner = config.integer("intermediate_size") if dense else 0
    lengths = {"heads": sizes.query, "query": sizes.query * sizes.size, "inner": inner, "width": width, "1": 1}

    def mlp() -> Iterator[Row]:
        at = f"{layer}.mlp"
        if kin.mlp == "plain":
            yield from plain_mlp(f"{at}.up_proj", f"{at}.down_proj", width, inner, dense, bias=mlp_bias)
        elif kin.mlp == "fused":
            fused = gate_and_up(width, inner)
            yield from linear(f"{at}.gate_up_proj", "block/mlp/gate-up", *fused, blocks=dense, bias=mlp_bias)
            down = Matrix("W_down", inner, width)
            yield from linear(f"{at}.down_proj", "block/mlp/down", down, blocks=dense, bias=mlp_bias)
        else:
            yield from gated_mlp(at, width, inner, dense, bias=mlp_bias)

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        at = f"{layer}.self_attn"
        yield from attention(at, width, sizes, every, bias=bias or kin.qkv_bias, output_bias=output_bias)
        if normed:
            yield from qk_norms(at, sizes, every, over=kin.qk_norm)
        for one in kin.vectors:
            yield Row(f"{layer}.{one.name}", (lengths[one.length],), f"block/{one.part}", every, symbol=one.symbol)
        if dense:
            yield from mlp()
        if mixed and kin.mixture and mixture:
            yield from routed(layer, width, expert_inner, shared, mixture, mixed, kin.mixture, mlp_bias)
        if kin.scaled:
            if named is None:
                yield from block_norms(layer, width, every, flow=flow, bias=kin.shift)
            for stored, part in (named or {}).items():
                yield from norm(f"{layer}.{stored}", f"block/{part}", width, blocks=every, bias=kin.shift)
            yield from norm(f"{frame.prefix}norm", "final-norm", width, bias=kin.shift)
        yield from frame.head()

    default, *keys = kin.activation
    attending = records(sizes, *kin.windows(config, blocks))
    gate = activation(config, *keys, default=default, gated=kin.mlp != "plain")
    return frame.model(
        tuple(renamed(row, kin.renamed) for row in rows()),
        both_ways(*attending) if kin.two_way and config.on("use_bidirectional_attention") else attending,
        Traits(kin.norm, "rotary", gate, *(mixture if mixed and mixture else ())),
        flow=flow,
        bare=() if kin.scaled else ("norm-attention", "norm-mlp", "final-norm"),
        known=(Known(r"(model\.)?layers\.\d+\.self_attn\.rotary_emb\.inv_freq", "rotary inverse frequencies"),),
    )


def routed(
    layer: str, width: int, inner: int, shared: int, experts: Experts, blocks: Blocks, mixture: Mixture, bias: bool
) -> Iterator[Row]:
    """A router, its experts, and the expert that every token uses, as ``mixture`` says that they are stored."""
    at, held = f"{layer}.{mixture.at}", experts.held
    yield from linear(f"{at}.{mixture.router}", "block/router", Matrix("W_router", width, held), blocks=blocks)
    stored, buffer = mixture.correction
    if stored:
        shape = (1, held) if stored.startswith("moe_statics") else (held,)
        yield Row(f"{at}.{stored}", shape, "block/router", blocks, buffer=buffer, symbol="b_router")
    if mixture.stacked:
        both: tuple[tuple[Matrix, ...], ...] = gate_and_up(width, inner, held), (Matrix("W_down", inner, width, held),)
        for name, role, matrices in zip(mixture.stacked, ("gate-up", "down"), both, strict=True):
            outputs = sum(one.outputs for one in matrices)
            yield Row(
                f"{at}.{name}", (held, outputs, matrices[0].inputs), f"block/experts/{role}", blocks,
                matrices=matrices, multiplies="tokens", share=experts.share,
            )  # fmt: skip
    else:
        yield from gated_mlp(
            at + ".experts.{expert}", width, inner, blocks,
            names=mixture.names, part="block/experts", copies=held, share=experts.share,
        )  # fmt: skip
    if shared:
        name = f"{at}.{mixture.shared_at}" if not mixture.shared_at.startswith(".") else layer + mixture.shared_at
        part = "block/shared-expert"
        if mixture.fused:
            first, last = mixture.fused
            yield from linear(f"{name}.{first}", f"{part}/gate-up", *gate_and_up(width, shared), blocks=blocks)
            yield from linear(f"{name}.{last}", f"{part}/down", Matrix("W_down", shared, width), blocks=blocks)
        else:
            yield from gated_mlp(name, width, shared, blocks, part=part, bias=bias)


def renamed(row: Row, pieces: Mapping[str, str]) -> Row:
    """The row under the name that a family's files have, where it is not Llama's."""
    name, tied = row.name, row.tied_to
    for piece, other in pieces.items():
        name, tied = name.replace(piece, other), tied and tied.replace(piece, other)
    return row if name == row.name and tied == row.tied_to else replace(row, name=name, tied_to=tied)
