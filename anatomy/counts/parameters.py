"""Parameters as terms: a row is a product, in × out of its matrices, over experts and blocks; counts add them up."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from anatomy.model.parts import group
from anatomy.model.rows import Model, Row
from anatomy.model.terms import Factor, Term, layers

# The groups that counts without embeddings leave out.
OUTSIDE = ("embeddings", "unembedding")
# The axes of what is no matrix: vectors, tables, and of routed experts one such for each.
_AXES = {
    1: ("size",),
    2: ("rows", "columns"),
    3: ("rows", "columns", "kernel"),
    4: ("rows", "channels", "high", "wide"),
}
_EXPERTS_VECTORS = ("experts", "size")


def term(row: Row) -> Term:
    """What a row holds in the whole model: in × out of its matrices (else its shape), over experts and blocks.

    >>> import anatomy
    >>> rows = anatomy.load("mixtral-8x7b").rows
    >>> next(term(row).value for row in rows if row.part == "block/experts/gate")
    15032385536
    """
    return Term(symbol(row), row.part, row.blocks, tuple(_factors(row)))


def _factors(row: Row) -> Iterator[Factor]:
    if row.matrices:
        # In × out, as in the table of weights, however the checkpoint stores it; what is fused shares its inputs.
        yield Factor("in", row.matrices[0].inputs)
        yield Factor("out", sum(matrix.outputs for matrix in row.matrices))
        if row.matrices[0].count != 1:
            yield Factor("experts", row.matrices[0].count, "experts")
    else:
        stacked = row.share != 1 and row.copies == 1 and len(row.shape) == 2
        names = _EXPERTS_VECTORS if stacked else _AXES.get(len(row.shape), row.shape)
        for label, size in zip(names, row.shape, strict=True):
            yield Factor(str(label), size, "experts" if label == "experts" else "")
    if row.copies != 1:
        unit = "heads" if "{head}" in row.name else "experts"
        yield Factor(unit, row.copies, unit)
    if row.blocks:
        yield layers(row.blocks)


def active_term(row: Row) -> Term:
    """What one token's pass uses of a row: of routed experts those that it is sent to.

    >>> import anatomy
    >>> rows = anatomy.load("mixtral-8x7b").rows
    >>> next(active_term(row).value for row in rows if row.part == "block/experts/gate")
    3758096384
    """
    share = Factor("share of the experts", row.share, "of the experts")
    return term(row) if row.share == 1 else term(row).times(share)


@lru_cache(maxsize=64)
def of_model(model: Model) -> tuple[Term, ...]:
    """A term for each kind of tensor that holds parameters; they add up to the total.

    >>> import anatomy
    >>> from anatomy.model.terms import total
    >>> total(of_model(anatomy.load("gpt2")))
    124439808
    """
    return tuple(term(row) for row in model.rows if row.parameters)


def of_blocks(model: Model) -> tuple[Term, ...]:
    """What is left without embeddings and unembedding.

    >>> import anatomy
    >>> from anatomy.model.terms import total
    >>> total(of_blocks(anatomy.load("gpt2")))
    85056000
    """
    return tuple(one for one in of_model(model) if group(one.part) not in OUTSIDE)


@lru_cache(maxsize=64)
def active(model: Model) -> tuple[Term, ...]:
    """What one token's pass uses.

    >>> import anatomy
    >>> from anatomy.model.terms import total
    >>> total(active(anatomy.load("mixtral-8x7b")))
    12879925248
    """
    return tuple(active_term(row) for row in model.rows if row.parameters)


def symbol(row: Row) -> str:
    """What papers call what is in a row.

    >>> import anatomy
    >>> [symbol(row) for row in anatomy.load("gpt2").rows][4]
    'W_Q, W_K, W_V'
    """
    return ", ".join(matrix.symbol for matrix in row.matrices) or row.symbol or row.name
