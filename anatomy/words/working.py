"""Workings: a figure with the formula that gave it, in symbols and in this model's numbers, from its own terms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from anatomy.model.terms import (
    Factor,
    Number,
    Term,
    total,
    whole,
)
from anatomy.words.formatting import exact

TIMES, PLUS, MINUS, OVER = " × ", " + ", " − ", " ÷ "
_SINGULAR = {"queries": "query", "experts used": "expert used", "passes": "pass"}


@dataclass(frozen=True, slots=True)
class Working:
    """A figure: its name, the terms that add up to it, and the result; ``over`` is what their sum is divided by.

    A result that its terms do not give is refused, so that no formula is shown that leads elsewhere.

    >>> import anatomy
    >>> working = anatomy.describe(anatomy.load("llama-3-70b")).costs.kv_per_token
    >>> working.symbols()
    'keys and values × KV heads × head size × bytes per number × layers'
    >>> working.equation()
    '2 × 8 KV heads × 128 × 2 bytes × 80 layers = 327,680'
    """

    name: str
    terms: tuple[Term, ...]
    result: Number
    over: Factor | None = None

    def __post_init__(self) -> None:
        found = divided(total(self.terms), self.over)
        if found != self.result:
            raise ArithmeticError(f"{self.name}: the terms give {found}, the figure is {self.result}")

    def symbols(self) -> str:
        """The formula in the labels of its factors."""
        return self._joined([TIMES.join(_labels(term)) for term in self.terms], self.over.label if self.over else "")

    def numbers(self) -> str:
        """The formula in this model's numbers."""
        worded = [TIMES.join(_numbers(term)) for term in self.terms]
        return self._joined(worded, with_unit(self.over) if self.over else "")

    def equation(self) -> str:
        """The formula in this model's numbers with its result."""
        return f"{self.numbers()} = {number(self.result)}"

    def sums(self) -> str:
        """The values of the terms with their sum: what is left to see where the terms stand in lines of their own."""
        values = [_size(term) for term in self.terms]
        return f"{self._joined(values, with_unit(self.over) if self.over else '')} = {number(self.result)}"

    def _joined(self, worded: Sequence[str], over: str) -> str:
        text = ""
        for term, words in zip(self.terms, worded, strict=True):
            sign = MINUS if _negative(term) else PLUS
            text += (sign if text else sign.strip() if _negative(term) else "") + words
        if not over:
            return text
        return f"({text}){OVER}{over}" if len(worded) > 1 else text + OVER + over


def divided(value: Number, over: Factor | None) -> Number:
    """A sum divided by a factor, exactly; unchanged where there is none.

    >>> divided(10, Factor("tokens", 4)), divided(10, None)
    (Fraction(5, 2), 10)
    """
    return whole(value * Fraction(1, over.value)) if over else value


def line(term: Term) -> tuple[str, str, str]:
    """A term alone: its label, its formula in symbols, and in numbers with what it comes to.

    >>> import anatomy
    >>> line(anatomy.describe(anatomy.load("gpt2")).parameters.terms[4])
    ('W_Q, W_K, W_V', 'in × out × layers', '768 × 2,304 × 12 layers = 21,233,664')
    """
    # A term of one factor, such as another figure, has nothing to work out.
    equation = f"{TIMES.join(_numbers(term))} = {_size(term)}" if len(_shown(term)) > 1 else _size(term)
    return term.label, TIMES.join(_labels(term)), equation


def number(value: Number) -> str:
    """An exact number: digits, a decimal number where it ends soon, else a whole number and a fraction.

    >>> number(Fraction(1, 2)), number(Fraction(2474, 8)), number(Fraction(22, 7)), number(-5)
    ('1/2', '309.25', '3 1/7', '−5')
    """
    if value < 0:
        return f"−{number(-value)}"
    if isinstance(value, int):
        return exact(value)
    units, rest = divmod(value.numerator, value.denominator)
    if not units:
        return f"{exact(rest)}/{exact(value.denominator)}"
    if 1000 % value.denominator == 0:
        return f"{exact(units)}.{str(rest * (1000 // value.denominator)).rjust(3, '0').rstrip('0')}"
    return f"{exact(units)} {exact(rest)}/{exact(value.denominator)}"


def with_unit(factor: Factor) -> str:
    """A factor's number with its unit.

    >>> with_unit(Factor("KV heads", 8, "KV heads")), with_unit(Factor("KV heads", 1, "KV heads"))
    ('8 KV heads', '1 KV head')
    """
    if not factor.unit:
        return number(factor.value)
    unit = factor.unit
    if factor.value == 1 or (factor.value < 1 and unit == "bytes"):
        unit = _SINGULAR.get(unit) or unit.removesuffix("s")
    return f"{number(factor.value)} {unit}"


def _size(term: Term) -> str:
    # The sign of a term stands before it, between it and the one before.
    return number(-term.value if term.value < 0 else term.value)


def _negative(term: Term) -> bool:
    return bool(term.factors) and term.factors[0].value == -1


def _shown(term: Term) -> tuple[Factor, ...]:
    return term.factors[1:] if _negative(term) else term.factors


def _labels(term: Term) -> list[str]:
    return [factor.label for factor in _shown(term)]


def _numbers(term: Term) -> list[str]:
    return [with_unit(factor) for factor in _shown(term)]
