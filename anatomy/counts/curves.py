"""How FLOPs per token and KV cache grow with T: points of their curves, and where attention overtakes the rest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from anatomy.counts import memory, passes
from anatomy.counts.flops import longest
from anatomy.model.rows import Model
from anatomy.model.switches import DECODE, FULL, Options
from anatomy.model.terms import (
    Number,
    rounded_up,
    total,
    whole,
)

# Beyond so many tokens no crossing is looked for.
HORIZON = 2**40
# Points of a curve in each factor of ten.
_STEPS = (100, 133, 178, 237, 316, 422, 562, 750)


@dataclass(frozen=True, slots=True)
class Point:
    """FLOPs per token at a T: of the products with weights, and of attention's own."""

    seq_len: int
    weights: Number
    attention: Number

    @property
    def both(self) -> Number:
        """All FLOPs per token."""
        return self.weights + self.attention


@lru_cache(maxsize=4096)
def point(model: Model, seq_len: int, options: Options) -> Point:
    """The split at one T.

    >>> import anatomy
    >>> point(anatomy.load("gpt2"), 1024, Options())
    Point(seq_len=1024, weights=247064064, attention=37748736)
    """
    found = passes.at_any_length(model, seq_len, options)
    attention = Fraction(found.attention, found.tokens)
    return Point(seq_len, whole(found.per_token - attention), whole(attention))


@lru_cache(maxsize=256)
def overtakes(model: Model, options: Options) -> int | None:
    """The first T at which attention costs more than all products with weights; None where it never does.

    >>> import anatomy
    >>> overtakes(anatomy.load("gpt2"), Options()), overtakes(anatomy.load("mistral-7b-v0.1"), Options(square="causal"))
    (6703, None)
    """
    if "tokens" in model.fixed_lengths:
        fixed = model.fixed_lengths["tokens"]
        return fixed if _more(model, fixed, options) else None
    # Chunks make the share of attention dip after each of their ends; among the ends themselves it only rises.
    saves = options.square != FULL or options.run == DECODE
    chunks = {record.chunk for record in model.attention if record.chunk} if saves else set()
    stride = max(chunks, default=1)
    end = _first(lambda number: _more(model, number * stride, options), 0, HORIZON // stride)
    if end is None:
        return None
    return _first(lambda seq_len: _more(model, seq_len, options), (end - 1) * stride, end * stride)


def _more(model: Model, seq_len: int, options: Options) -> bool:
    at = point(model, seq_len, options)
    return at.attention > at.weights


def _first(holds: Callable[[int], bool], below: int, top: int) -> int | None:
    """The first number above ``below``, up to ``top``, for which it holds, where it goes on holding after that."""
    if not holds(top):
        return None
    while top - below > 1:
        middle = (below + top) // 2
        if holds(middle):
            top = middle
        else:
            below = middle
    return top


def lengths(last: int, *more: int) -> tuple[int, ...]:
    """Lengths from 1 to ``last``, evenly spread on a log axis, and those asked for besides.

    >>> lengths(10, 8)
    (1, 2, 3, 4, 5, 7, 8, 10)
    """
    found = {1, last, *(one for one in more if 1 <= one <= last)}
    decade = 1
    while decade <= last:
        found |= {at for step in _STEPS if (at := decade * step // 100) <= last}
        decade *= 10
    return tuple(sorted(found))


@lru_cache(maxsize=4096)
def cache(model: Model, seq_len: int, options: Options) -> tuple[int, ...]:
    """Bytes of the KV cache at a T, of each attention record that keeps one, rounded up.

    >>> import anatomy
    >>> cache(anatomy.load("gemma-3-1b"), 8192, Options())
    (11534336, 33554432)
    """
    each = (memory.size_of(options.cache), *memory.sequences(options.batch))
    return tuple(rounded_up(total(memory.kept(model, record, seq_len, each))) for record in memory.cached(model))


def bends(model: Model) -> tuple[int, ...]:
    """The lengths at which a cache stops growing: windows and chunks shorter than the longest T.

    >>> import anatomy
    >>> bends(anatomy.load("gemma-3-1b")), bends(anatomy.load("phi-4-mini"))
    ((512,), ())
    """
    limits = (record.window or record.chunk for record in memory.cached(model) if record.kind == "self")
    return tuple(sorted({limit for limit in limits if limit and limit < longest(model)}))
