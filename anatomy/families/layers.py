"""Rows that several families share: projections, norms, gated and plain MLPs, look-up tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from anatomy.blocks import Blocks
from anatomy.tensors import Matrix, Row

ONE = Fraction(1)
# The stored names of the four projections of attention, in stored order, as most families have them.
PROJECTIONS: Mapping[str, str] = MappingProxyType({"Q": "q_proj", "K": "k_proj", "V": "v_proj", "O": "o_proj"})
GATED = ("gate_proj", "up_proj", "down_proj")


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
) -> Iterator[Row]:
    """A projection stored as ``name.weight`` (out, in), with its bias where it has one.

    Several matrices with the same input are one fused tensor, its outputs one after another. ``transposed`` is GPT-2's
    Conv1D, which stores (in, out).

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
    )
    if bias:
        symbol = ", ".join(matrix.symbol.replace("W_", "b_") for matrix in matrices)
        yield Row(f"{name}.bias", (outputs,), part, blocks, copies=copies, share=share, symbol=symbol)


def attention(
    name: str,
    width: int,
    heads: int,
    kv_heads: int,
    size: int,
    *,
    blocks: Blocks,
    names: Mapping[str, str] = PROJECTIONS,
    biased: str = "",
    part: str = "block/attention",
    queries: str = "tokens",
    keys: str = "tokens",
) -> Iterator[Row]:
    """The query, key, value and output projections, stored one by one; ``biased`` says which of them have a bias.

    ``queries`` and ``keys`` are what the two sides run over: in cross-attention, keys and values read the source.

    >>> [row.shape for row in attention("self_attn", 4096, 32, 8, 128, blocks=(range(32),))]
    [(4096, 4096), (1024, 4096), (1024, 4096), (4096, 4096)]
    """
    matrices = {
        "Q": ("query", Matrix("W_Q", width, heads * size), queries),
        "K": ("key", Matrix("W_K", width, kv_heads * size), keys),
        "V": ("value", Matrix("W_V", width, kv_heads * size), keys),
        "O": ("output", Matrix("W_O", heads * size, width), queries),
    }
    for letter, stored in names.items():
        what, matrix, positions = matrices[letter]
        yield from linear(
            f"{name}.{stored}",
            f"{part}/{what}",
            matrix,
            blocks=blocks,
            bias=letter in biased,
            multiplies=positions,
        )


def gated_mlp(
    name: str,
    width: int,
    inner: int,
    *,
    blocks: Blocks,
    names: tuple[str, str, str] = GATED,
    part: str = "block/mlp",
    bias: bool = False,
    multiplies: str = "tokens",
    copies: int = 1,
    share: Fraction = ONE,
) -> Iterator[Row]:
    """Gate, up and down projections of a gated MLP; with ``copies`` the experts of a mixture, stored one by one.

    >>> experts = gated_mlp("experts.{expert}", 4096, 14336, blocks=(range(32),), copies=8, share=Fraction(2, 8))
    >>> [row.parameters for row in experts]
    [15032385536, 15032385536, 15032385536]
    """
    matrices = (Matrix("W_gate", width, inner), Matrix("W_up", width, inner), Matrix("W_down", inner, width))
    for stored, what, matrix in zip(names, ("gate", "up", "down"), matrices, strict=True):
        yield from linear(
            f"{name}.{stored}",
            f"{part}/{what}",
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
    *,
    blocks: Blocks,
    part: str = "block/mlp",
    bias: bool = True,
    multiplies: str = "tokens",
) -> Iterator[Row]:
    """Up and down projections of an MLP without a gate.

    >>> sum(row.parameters for row in plain_mlp("fc1", "fc2", 768, 3072, blocks=(range(1),)))
    4722432
    """
    up, down = Matrix("W_up", width, inner), Matrix("W_down", inner, width)
    yield from linear(up_name, f"{part}/up", up, blocks=blocks, bias=bias, multiplies=multiplies)
    yield from linear(down_name, f"{part}/down", down, blocks=blocks, bias=bias, multiplies=multiplies)


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

    >>> [row.name for row in norm("ln_f", "final-norm", 768, bias=True)]
    ['ln_f.weight', 'ln_f.bias']
    """
    yield Row(f"{name}.{names[0]}", (size,), part, blocks, symbol="γ")
    if bias:
        yield Row(f"{name}.{names[1]}", (size,), part, blocks, symbol="β")


def table(name: str, part: str, entries: int, width: int, symbol: str) -> Row:
    """A look-up table of ``entries`` rows of ``width`` numbers: nothing is multiplied."""
    return Row(f"{name}.weight", (entries, width), part, symbol=symbol)


def tied_unembedding(name: str, tied_to: str, vocabulary: int, width: int) -> Row:
    """The unembedding that is stored as the token table: 0 parameters, and still a matrix product at every position."""
    return unembedding(name, tied_to, vocabulary, width)


def unembedding(name: str, tied_to: str | None, vocabulary: int, width: int, part: str = "unembedding") -> Row:
    """The matrix from the stream to the vocabulary, at every position: stored as ``tied_to``, or on its own.

    >>> unembedding("lm_head.weight", None, 32000, 4096).parameters
    131072000
    """
    matrix = Matrix("W_U", width, vocabulary)
    return Row(name, (vocabulary, width), part, matrices=(matrix,), multiplies="tokens", tied_to=tied_to)
