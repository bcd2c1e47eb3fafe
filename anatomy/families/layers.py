"""Rows that several families share: projections, norms, gated and plain MLPs, look-up tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from anatomy.model.architecture import NORM_BEHIND, ONE_NORM, PRE_NORM, SANDWICH, TWO_NORMS, Branch
from anatomy.model.blocks import Blocks
from anatomy.model.rows import Matrix, Row
from anatomy.reading.config import Config

ONE = Fraction(1)
GATED = ("gate_proj", "up_proj", "down_proj")
# What a norm inside attention normalises: queries, keys, or the latents that DQ and DKV compress to.
_NORMED = {"q-norm": "_Q", "k-norm": "_K", "query-norm": "_DQ", "kv-norm": "_DKV"}


def linear(
    name: str,
    part: str,
    *matrices: Matrix,
    blocks: Blocks = (),
    bias: bool = False,
    multiplies: str = "tokens",
    copies: int = 1,
    share: Fraction = ONE,
    transposed: bool = False,
    layout: str = "",
) -> Iterator[Row]:
    """A projection stored as ``name.weight`` (out, in), with its bias where it has one.

    Several matrices with the same input are one fused tensor, its outputs one after another unless ``layout`` says
    otherwise. ``transposed`` is GPT-2's Conv1D, which stores (in, out).

    >>> next(linear("h.{block}.attn.c_proj", "block/attention/output", Matrix("W_O", 768, 768))).shape
    (768, 768)
    """
    inputs = matrices[0].inputs
    outputs = sum(matrix.outputs * matrix.count for matrix in matrices)
    yield Row(
        f"{name}.weight",
        (inputs, outputs) if transposed else (outputs, inputs),
        part,
        blocks,
        copies=copies,
        matrices=matrices,
        multiplies=multiplies,
        share=share,
        layout=layout,
    )
    if bias:
        symbol = ", ".join(matrix.symbol.replace("W_", "b_") for matrix in matrices)
        yield Row(f"{name}.bias", (outputs,), part, blocks, copies=copies, share=share, symbol=symbol, layout=layout)


def norm(
    name: str,
    part: str,
    size: int,
    *,
    blocks: Blocks = (),
    bias: bool = False,
    names: tuple[str, str] = ("weight", "bias"),
) -> Iterator[Row]:
    """A LayerNorm (``bias``) or RMSNorm over ``size`` numbers: a scale γ, and a shift β where it has one.

    Norms of queries and of keys belong to one part (attention), so their symbols say which is which.

    >>> [row.name for row in norm("ln_f", "final-norm", 768, bias=True)]
    ['ln_f.weight', 'ln_f.bias']
    """
    of = _NORMED.get(part.rsplit("/", 1)[-1], "")
    yield Row(f"{name}.{names[0]}", (size,), part, blocks, symbol=f"γ{of}")
    if bias:
        yield Row(f"{name}.{names[1]}", (size,), part, blocks, symbol=f"β{of}")


# How the norms of a block are stored where they are named as Llama's are, by the wiring that needs them.
_NORMS: dict[tuple[Branch, ...], dict[str, str]] = {
    PRE_NORM: {"input_layernorm": "norm-attention", "post_attention_layernorm": "norm-mlp"},
    TWO_NORMS: {"input_layernorm": "norm-attention", "post_attention_layernorm": "norm-mlp"},
    ONE_NORM: {"input_layernorm": "norm-block"},
    NORM_BEHIND: {"post_attention_layernorm": "norm-post-attention", "post_feedforward_layernorm": "norm-post-mlp"},
    SANDWICH: {
        "input_layernorm": "norm-attention", "post_attention_layernorm": "norm-post-attention",
        "pre_feedforward_layernorm": "norm-mlp", "post_feedforward_layernorm": "norm-post-mlp",
    },
}  # fmt: skip


def block_norms(
    layer: str, width: int, blocks: Blocks, *, flow: tuple[Branch, ...] = PRE_NORM, bias: bool = False
) -> Iterator[Row]:
    """The norms of a block that is wired in one of the ways that Llama's kin are.

    >>> [row.part for row in block_norms("layers.{block}", 4096, (range(32),))]
    ['block/norm-attention', 'block/norm-mlp']
    """
    for stored, part in _NORMS[flow].items():
        yield from norm(f"{layer}.{stored}", f"block/{part}", width, blocks=blocks, bias=bias)


def table(name: str, part: str, entries: int, width: int, symbol: str) -> Row:
    """A look-up table of ``entries`` rows of ``width`` numbers: nothing is multiplied."""
    return Row(f"{name}.weight", (entries, width), part, symbol=symbol)


def gated_mlp(
    name: str,
    width: int,
    inner: int,
    blocks: Blocks,
    *,
    bias: bool = False,
    names: tuple[str, str, str] = GATED,
    part: str = "block/mlp",
    multiplies: str = "tokens",
    copies: int = 1,
    share: Fraction = ONE,
) -> Iterator[Row]:
    """A gated MLP: ``down(activation(gate(x)) * up(x))``, three matrices; with ``copies``, experts stored one by one.

    >>> sum(row.elements for row in gated_mlp("layers.{block}.mlp", 4096, 11008, (range(32),)))
    135266304
    """
    matrices = (Matrix("W_gate", width, inner), Matrix("W_up", width, inner), Matrix("W_down", inner, width))
    for stored, role, matrix in zip(names, ("gate", "up", "down"), matrices, strict=True):
        yield from linear(
            f"{name}.{stored}",
            f"{part}/{role}",
            matrix,
            blocks=blocks,
            bias=bias,
            multiplies=multiplies,
            copies=copies,
            share=share,
        )


def plain_mlp(
    up_name: str,
    down_name: str,
    width: int,
    inner: int,
    blocks: Blocks,
    *,
    bias: bool,
    part: str = "block/mlp",
    multiplies: str = "tokens",
    transposed: bool = False,
) -> Iterator[Row]:
    """An MLP of two matrices: ``down(activation(up(x)))``."""
    matrices = (Matrix("W_up", width, inner), Matrix("W_down", inner, width))
    for name, role, matrix in zip((up_name, down_name), ("up", "down"), matrices, strict=True):
        yield from linear(
            name,
            f"{part}/{role}",
            matrix,
            blocks=blocks,
            bias=bias,
            multiplies=multiplies,
            transposed=transposed,
        )


def gate_and_up(width: int, inner: int, experts: int = 1) -> tuple[Matrix, Matrix]:
    """The two matrices inside a fused projection into a gated MLP, or into each of the experts stacked in it.

    >>> sum(matrix.outputs for matrix in gate_and_up(3072, 8192))
    16384
    """
    return Matrix("W_gate", width, inner, experts), Matrix("W_up", width, inner, experts)


# How papers write the activations that configurations name; with a gate, the gated unit built on it.
_PLAIN = {"relu": "ReLU", "silu": "SiLU", "swish": "SiLU", "relu2": "squared ReLU"}
_GATED = {"GELU": "GeGLU", "SiLU": "SwiGLU", "ReLU": "ReGLU"}


def activation(config: Config, *keys: str, default: str, gated: bool = False) -> str:
    """What papers call the activation that a key names; it changes no shape, so any value is let through.

    >>> activation(Config({"hidden_act": "silu"}), "hidden_act", default="silu", gated=True)
    'SwiGLU'
    """
    stated = next((value for key in keys if isinstance(value := config.values.get(key), str)), default)
    plain = "GELU" if stated.startswith(("gelu", "quick_gelu")) else _PLAIN.get(stated, stated)
    return _GATED.get(plain, f"gated {plain}") if gated else plain
