"""Terms: the labelled products that every formula figure (FLOPs, bytes) is a sum of.

A figure and the formula shown to a reader come from the same terms, so the two cannot drift apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from anatomy.model.blocks import Blocks, contains, count
from anatomy.model.parts import part_id, stack_of

Number = int | Fraction
# The label of the factor that says how many blocks have a product; in formulas, as in papers, a block is a layer.
LAYERS = "layers"


@dataclass(frozen=True, slots=True)
class Factor:
    """One labelled number of a product, such as ``Factor("KV heads", 8, "KV heads")``.

    ``unit`` is the word that stands behind the number in a formula (in the plural), where it needs one.
    """

    label: str
    value: Number
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A product of factors that belongs to a part of the model.

    >>> Term("scores", "block/attention", (), (Factor("T", 8), Factor("T", 8))).value
    64
    """

    label: str
    part: str
    blocks: Blocks
    factors: tuple[Factor, ...]

    @property
    def value(self) -> Number:
        """The product of the factors: a whole number wherever it is one."""
        return whole(math.prod(factor.value for factor in self.factors))

    def times(self, *factors: Factor) -> Term:
        """The same product with more factors behind it."""
        return replace(self, factors=(*self.factors, *factors))

    def within(self, blocks: Blocks) -> Term:
        """The part of the product that belongs to some of its blocks.

        >>> Term("W_up", "block/mlp", (range(12),), (Factor("in", 768), layers((range(12),)))).within((range(3),)).value
        2304
        """
        kept = (layers(blocks) if factor.label == LAYERS else factor for factor in self.factors)
        return replace(self, blocks=blocks, factors=tuple(kept))


class ByPart:
    """Terms of a model, at hand by the part that they belong to."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._found: dict[tuple[str, str | None], list[Term]] = {}
        for term in terms:
            self._found.setdefault((part_id(term.part), stack_of(term.part)), []).append(term)

    def of(self, part: str, stack: str | None, blocks: Blocks | None) -> tuple[Term, ...]:
        """The terms of a part: ``stack`` is None where the model has one, ``blocks`` are those of one kind.

        Blocks of one kind are alike, so the first of them decides for all.

        >>> import anatomy
        >>> total(ByPart(anatomy.load("gpt2").flops(seq_len=8).terms).of("mlp", None, (range(12),)))
        905969664
        """
        mine = self._found.get((part, stack), [])
        if blocks is None:
            return tuple(mine)
        return tuple(term.within(blocks) for term in mine if contains(term.blocks, blocks[0].start))


def layers(blocks: Blocks) -> Factor:
    """The factor that says how many blocks have a product.

    >>> layers((range(12),)).value
    12
    """
    return Factor(LAYERS, count(blocks), "layers")


def whole(number: Number) -> Number:
    """Return ``number`` as an ``int`` where it is whole, else unchanged.

    >>> whole(Fraction(16, 2)), whole(Fraction(1, 2))
    (8, Fraction(1, 2))
    """
    return number.numerator if isinstance(number, Fraction) and number.denominator == 1 else number


def rounded_up(size: Number) -> int:
    """The whole number that holds it: half a byte takes one.

    >>> rounded_up(Fraction(7, 2))
    4
    """
    size = Fraction(size)
    return -(-size.numerator // size.denominator)


def total(terms: Iterable[Term]) -> Number:
    """Add up terms, exactly.

    >>> total([Term("a", "block/mlp", (), (Factor("d", 3),)), Term("b", "block/mlp", (), (Factor("d", 4),))])
    7
    """
    return whole(sum(term.value for term in terms))
