"""A part's weights as a reader wants them: the matrices that its tensors hold, then its vectors, in the papers' order.

Checkpoints store them in many orders (BART puts W_K first), and fused; here W_Q, W_K, W_V, W_O come first, then b_Q to
b_O, whatever the storage.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anatomy.model.rows import Row

# What the symbols' endings say, in the order in which a reader meets it in a part; a kind of thing comes before that.
_ORDER = (
    *("E", "conv1", "conv2", "patch", "class", "pos", "type", "in", "out"),
    *("Q", "DQ", "UQ", "K", "DKV", "KR", "UK", "V", "UV", "O", "rel"),
    *("router", "gate", "up", "down", "scale"),
    *("pool", "T", "U", "C", "next"),
)
_RANK = {name: at for at, name in enumerate(_ORDER)}
_KINDS = ("W", "x", "b", "sinks", "γ", "β")


@dataclass(frozen=True, slots=True)
class Weight:
    """A logical matrix (or a vector or table) of a part: ``shape`` is (in, out) for matrices, ``count`` of them."""

    symbol: str
    shape: tuple[int, ...]
    count: int
    stored_name: str
    stored_shape: tuple[int, ...]
    parameters: int
    tied_to: str | None = None
    buffer: bool = False
    layout: str = ""


def order(symbol: str) -> tuple[int, int]:
    """Where a symbol stands among a part's: what kind of thing it is, then what it belongs to; others last.

    >>> sorted(["γ_Q", "b_O", "b_Q, b_K, b_V", "W_O", "W_K", "W_Q"], key=order)
    ['W_Q', 'W_K', 'W_O', 'b_Q, b_K, b_V', 'b_O', 'γ_Q']
    """
    kind, _, of = symbol.split(", ")[0].partition("_")
    return _KINDS.index(kind) if kind in _KINDS else len(_KINDS), _RANK.get(of, len(_RANK))


def listed(rows: Iterable[Row]) -> tuple[Weight, ...]:
    """The weights in the rows of a part, in the order in which they are read, else as they are stored.

    >>> import anatomy
    >>> rows = [row for row in anatomy.load("bart-large").rows if row.part.startswith("encoder/block/attention")]
    >>> [weight.symbol for weight in listed(rows)]
    ['W_Q', 'W_K', 'W_V', 'W_O', 'b_Q', 'b_K', 'b_V', 'b_O']
    """
    return tuple(sorted(_stored(rows), key=lambda weight: order(weight.symbol)))


def _stored(rows: Iterable[Row]) -> Iterator[Weight]:
    for row in rows:
        if not row.matrices:
            size = row.parameters_per_block
            yield Weight(
                row.symbol, row.shape, row.copies, row.name, row.shape, size, row.tied_to, row.buffer, row.layout
            )
        for matrix in row.matrices:
            size = 0 if row.tied_to else matrix.elements * row.copies
            many = matrix.count * row.copies
            shape = (matrix.inputs, matrix.outputs)
            yield Weight(matrix.symbol, shape, many, row.name, row.shape, size, row.tied_to, layout=row.layout)
