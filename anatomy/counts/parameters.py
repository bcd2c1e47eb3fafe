"""Parameters as terms: a row is the product of its shape, over experts and blocks; counts are sums of them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from anatomy.model.parts import group
from anatomy.model.rows import Model, Row
from anatomy.model.terms import Factor, Term, layers

# The groups that counts without embeddings leave out.
OUTSIDE = ("embeddings", "unembedding")
_AXES = {
    1: ("size",),
    2: ("rows", "columns"),
    3: ("rows", "columns", "kernel"),
    4: ("rows", "channels", "high", "wide"),
}
_STACKED = {1: ("size",), 2: ("experts", "size"), 3: ("experts", "rows", "columns")}


def term(row: Row) -> Term:
    """What a row holds in the whole model: its shape, over experts and blocks.

    >>> import anatomy
    >>> rows = anatomy.load("mixtral-8x7b").rows
    >>> next(term(row).value for row in rows if row.part == "block/experts/gate")
    15032385536
    """
    return Term(symbol(row), row.part, row.blocks, tuple(_factors(row)))


def _factors(row: Row) -> Iterator[Factor]:
    # A flat stack of experts has two axes, as a matrix has.
    stacked = row.share != 1 and row.copies == 1 and len(row.shape) == len(row.matrices[:1]) + 2
    names = _STACKED if stacked else _AXES
    for label, size in zip(names.get(len(row.shape), row.shape), row.shape, strict=True):
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
