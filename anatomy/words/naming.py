"""What's in a name: the size that a model's name claims, beside the size that it has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from anatomy.model.rows import Model

_UNITS = {"K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}
# "8x7B", "A2.7B" (active), "R7B", "135M" as words of a name; not the 1T (tokens) inside "4E1T".
_SIZE = re.compile(
    r"(?:^|(?<=[\s_-]))(?P<letter>[A-Z])?(?:(?P<times>\d+)x)?(?P<number>\d+(?:\.\d+)?)(?P<unit>[KMBT])(?![a-z0-9])"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """A size in a name: as written, what it comes to, and how exact it claims to be (the unit of its last digit)."""

    written: str
    size: int
    step: int
    active: bool = False

    def kept_by(self, true: int) -> bool:
        """Whether the true size rounds to the size in the name.

        >>> claims("Llama 3 8B")[0].kept_by(8030261248), claims("Gemma 7B")[0].kept_by(8537680896)
        (True, False)
        """
        return 2 * abs(true - self.size) <= self.step


def claims(name: str) -> tuple[Claim, ...]:
    """The sizes in a name; a product such as 8x7B is what it comes to.

    >>> [(one.written, one.size, one.active) for one in claims("Qwen2 57B A14B")]
    [('57B', 57000000000, False), ('A14B', 14000000000, True)]
    >>> claims("Mixtral 8x7B")[0].size, claims("GPT-2 small")
    (56000000000, ())
    """
    return tuple(_claim(found) for found in _SIZE.finditer(name))


def _claim(found: re.Match[str]) -> Claim:
    unit, times = _UNITS[found["unit"]], int(found["times"] or 1)
    decimals = len(found["number"].partition(".")[2])
    size = Fraction(found["number"]) * unit * times
    return Claim(found[0], int(size), unit * times // 10**decimals, found["letter"] == "A")


@dataclass(frozen=True, slots=True)
class Named:
    """A claim beside the truth: ``true`` is the total, or what is active where the name says so."""

    claim: Claim
    true: int

    @property
    def more(self) -> Fraction:
        """How much more the model holds than its name says, as a share of what it says; less is negative."""
        return Fraction(self.true - self.claim.size, self.claim.size)


def named(name: str, model: Model) -> tuple[Named, ...]:
    """The sizes that a model's name claims, each beside the true one.

    >>> import anatomy
    >>> [found.true for found in named("Mixtral 8x7B", anatomy.load("mixtral-8x7b"))]
    [46702792704]
    """
    return tuple(Named(claim, model.active_parameters if claim.active else model.parameters) for claim in claims(name))
