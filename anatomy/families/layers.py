"""Rows that several families share: projections, norms, gated and plain MLPs, look-up tables."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from anatomy.blocks import Blocks
from anatomy.tensors import Matrix, Row

ONE = Fraction(1)


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
    return Row(
        name,
        (vocabulary, width),
        "unembedding",
        matrices=(Matrix("W_U", width, vocabulary),),
        multiplies="tokens",
        tied_to=tied_to,
    )
