"""Terms: the labelled products that every formula figure (FLOPs, bytes) is a sum of.

A figure and the formula shown to a reader come from the same terms, so the two cannot drift apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

Number = int | Fraction


@dataclass(frozen=True, slots=True)
class Factor:
    """One labelled number of a product, such as ``Factor("KV heads", 8)``."""

    label: str
    value: Number


@dataclass(frozen=True, slots=True)
class Term:
    """A product of factors that belongs to a part of the model.

    >>> Term("scores", "block/attention", (), (Factor("T", 8), Factor("T", 8))).value
    64
    """

    label: str
    part: str
    blocks: tuple[range, ...]
    factors: tuple[Factor, ...]

    @property
    def value(self) -> Number:
        """The product of the factors: a whole number wherever it is one."""
        product = Fraction(1)
        for factor in self.factors:
            product *= factor.value
        return whole(product)


def whole(number: Number) -> Number:
    """Return ``number`` as an ``int`` where it is whole, else unchanged.

    >>> whole(Fraction(16, 2)), whole(Fraction(1, 2))
    (8, Fraction(1, 2))
    """
    return number.numerator if isinstance(number, Fraction) and number.denominator == 1 else number


def total(terms: Iterable[Term]) -> Number:
    """Add up terms, exactly.

    >>> total([Term("a", "block/mlp", (), (Factor("d", 3),)), Term("b", "block/mlp", (), (Factor("d", 4),))])
    7
    """
    return whole(sum((Fraction(term.value) for term in terms), Fraction(0)))
