"""What stands in a shown formula, worked out anew: the text is parsed and evaluated, no code of the package is used."""

from __future__ import annotations

import re
from fractions import Fraction
from html import unescape

EQUATION = re.compile(r'<span class="equation">(.*?)</span>')
_MIXED = re.compile(r"(\d+) (\d+)/(\d+)")
_WORDS = re.compile(r"[A-Za-z’,-]*[A-Za-z][A-Za-z’-]*")


def equations(markup: str) -> list[str]:
    """Every equation shown in a piece of markup."""
    return [unescape(found) for found in EQUATION.findall(markup)]


def holds(equation: str) -> bool:
    """Whether both sides of an equation are the same number."""
    left, right = equation.split(" = ")
    return worth(left) == worth(right)


def worth(text: str) -> Fraction:
    """The number that a formula in numbers comes to; units are words and count nothing."""
    plain = text.replace(",", "").replace("−", "-").replace("×", "*").replace("÷", "/")
    plain = _WORDS.sub(" ", plain)
    plain = _MIXED.sub(r"(\1+\2/\3)", plain)
    assert re.fullmatch(r"[\d\s.()*/+-]+", plain), text
    exact = re.sub(r"\d+(\.\d+)?", lambda number: f"Fraction('{number[0]}')", plain)
    return Fraction(eval(exact, {"Fraction": Fraction}))
