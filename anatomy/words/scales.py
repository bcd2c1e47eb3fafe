"""Fixed factors in words: what something is divided or multiplied by."""

from __future__ import annotations

from fractions import Fraction

from anatomy.model.computation import Scale
from anatomy.words.formatting import exact, significant


def times(scale: Scale) -> str:
    """A scale as what is done with it.

    >>> times(Scale(Fraction(1, 64), root=True)), times(Scale(Fraction(11, 50))), times(Scale(Fraction(768), root=True))
    ('divided by √64', 'multiplied by 0.22', 'multiplied by √768')
    """
    root = "√" if scale.root else ""
    if scale.number.numerator == 1:
        return f"divided by {root}{exact(scale.number.denominator)}"
    return f"multiplied by {root}{plain(scale.number)}"


def scaled(scale: Scale, root: str = "") -> str:
    """A scale in a comparison, where nothing is done too; ``root`` names what it is the root of, whatever its size.

    >>> scaled(Scale()), scaled(Scale(Fraction(2304), root=True), "d")
    ('as they are', 'multiplied by √d')
    """
    if not scale.changes:
        return "as they are"
    return f"multiplied by √{root}" if root and scale.root else times(scale)


def plain(number: Fraction) -> str:
    """A number as a configuration writes it, to four digits where it is long.

    >>> plain(Fraction(2827, 1000)), plain(Fraction(500000)), plain(Fraction("0.8333333333333334"))
    ('2.827', '500,000', '0.8333')
    """
    if number.denominator == 1:
        return exact(number.numerator)
    return significant(number, 4).rstrip("0").rstrip(".") if number < 1000 else significant(number, 4)
