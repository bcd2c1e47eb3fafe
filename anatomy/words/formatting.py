"""Words for numbers, in one place: counts meet 1,000, bytes say which giga they mean; views and the CLI call it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from anatomy.model.terms import Number

# A unit: its size, its name, and from how many of them on the next one is used.
Unit = tuple[int, str, int]
_COUNTS: tuple[Unit, ...] = tuple((1000**power, name, 1000) for power, name in enumerate("KMBTQ", start=1))
_OPERATIONS: tuple[Unit, ...] = (
    (1, "", 1000),
    (10**3, " K", 1000),
    (10**6, " M", 100),
    (10**9, " G", 1000),
    (10**12, " T", 1000),
    (10**15, " P", 1000),
    (10**18, " E", 1000),
)
# A model's FLOPs per token are compared in G, so G begins early: at what no longer rounds to 99.9 M.
_FIRST_G = 99_950_000
_BYTES: tuple[Unit, ...] = tuple((1000**power, f" {name}B", 1000) for power, name in enumerate("KMGTP", start=1))
_BINARY: tuple[Unit, ...] = tuple((1024**power, f" {name}iB", 1024) for power, name in enumerate("KMGTP", start=1))


def exact(number: int) -> str:
    """All digits, grouped.

    >>> exact(28348416)
    '28,348,416'
    """
    return f"{number:,}"


def decimal(number: Number, places: int) -> str:
    """``number`` rounded half up to ``places`` decimals, grouped, by whole-number arithmetic.

    >>> decimal(Fraction(1, 8), 2), decimal(1234567, 0)
    ('0.13', '1,234,567')
    """
    scaled = Fraction(number) * 10**places
    rounded = (2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator)
    if not places:
        return f"{rounded:,}"
    return f"{rounded // 10**places:,}.{rounded % 10**places:0{places}d}"


def significant(number: Number, digits: int = 3) -> str:
    """``number`` (at least 0) to ``digits`` significant digits without an exponent.

    >>> significant(Fraction(2474, 1000)), significant(Fraction(9996, 100)), significant(123456)
    ('2.47', '100', '123,456')
    """
    number = Fraction(number)
    if number == 0:
        return "0"
    places = digits - 1
    edge = Fraction(1)
    while number >= 10 * edge:
        edge *= 10
        places -= 1
    while number < edge:
        edge /= 10
        places += 1
    # Rounding may carry into one more digit (99.96 is 100): then one decimal less is asked for.
    if Fraction(decimal(number, max(places, 0)).replace(",", "")) >= 10 * edge:
        places -= 1
    return decimal(number, max(places, 0))


def _scaled(number: Number, units: Sequence[Unit]) -> str:
    """``number`` to three significant digits in the first unit that holds it: what rounds up to the next is in it."""
    for size, name, until in units[:-1]:
        worded = significant(Fraction(number) / size)
        if int(worded.replace(",", "").partition(".")[0]) < until:
            return worded + name
    size, name, _ = units[-1]
    return significant(Fraction(number) / size) + name


def short(number: int) -> str:
    """A count to three significant digits, unit by powers of 1,000.

    >>> short(124439808), short(39383808), short(999499), short(999500), short(512)
    ('124M', '39.4M', '999K', '1.00M', '512')
    """
    return exact(number) if number < 1000 else _scaled(number, _COUNTS)


def operations(number: Number) -> str:
    """FLOPs, the one way they are worded: K, M, from 10^8 on G, then T (10^12), P (10^15), E (10^18).

    Three significant digits, and two decimals of a G below one.

    >>> operations(247358976), operations(139024400384), operations(1138887887745024), operations(14999999)
    ('0.25 G', '139 G', '1.14 P', '15.0 M')
    """
    if number < 1000 and Fraction(number).denominator == 1:
        return exact(int(number))
    if _FIRST_G <= number < 10**9:
        return f"{decimal(Fraction(number, 10**9), 2)} G"
    return _scaled(number, _OPERATIONS)


def percent(share: Number) -> str:
    """A share of the whole: never a rounded 0% or 100%.

    >>> percent(Fraction(39383808, 124439808)), percent(Fraction(38400, 124439808)), percent(Fraction(999, 1000))
    ('32%', 'under 0.1%', '99.9%')
    """
    value = Fraction(share) * 100
    if value in (0, 100):
        return f"{value}%"
    if value < Fraction(1, 10):
        return "under 0.1%"
    if value > Fraction(999, 10):
        return "over 99.9%"
    # 0.95% and more reads as 1%; 99.5% and more keeps its decimal, so that it does not read as 100%.
    if value < Fraction(95, 100) or value >= Fraction(199, 2):
        return f"{decimal(value, 1)}%"
    return f"{decimal(value, 0)}%"


def rounded(shares: Iterable[Number]) -> bool:
    """Whether shares of one whole, each worded by itself, do not add up to 100% as they stand.

    >>> rounded([Fraction(1, 4), Fraction(3, 4)]), rounded([Fraction(1, 3)] * 3)
    (False, True)
    """
    worded = [percent(share) for share in shares]
    if any(one.startswith(("under", "over")) for one in worded):
        return True
    return sum(Fraction(one.removesuffix("%")) for one in worded) != 100


def ratio(value: Number) -> str:
    """How many times one number another is (more than 0), to three significant digits, below 1 too.

    >>> ratio(Fraction(2867, 3)), ratio(Fraction(1, 404)), ratio(4077796), ratio(1)
    ('956 ×', '0.00248 ×', '4.08M ×', '1 ×')
    """
    value = Fraction(value)
    if value == 1:
        return "1 ×"
    # Above a few thousand the unit says more than the digits.
    nearest = int(decimal(value, 0).replace(",", ""))
    return f"{significant(value) if nearest < 10_000 else short(nearest)} ×"


def size_in_bytes(number: Number, binary: bool = False) -> str:
    """Bytes to three significant digits: decimal units (GB = 10^9) or binary ones (GiB = 2^30).

    >>> size_in_bytes(327680), size_in_bytes(2**30, binary=True), size_in_bytes(140_000_000_000)
    ('328 KB', '1.00 GiB', '140 GB')
    """
    whole = decimal(number, 0)
    if int(whole.replace(",", "")) < (1024 if binary else 1000):
        return f"{whole} bytes"
    return _scaled(number, _BINARY if binary else _BYTES)


def shape(sizes: Sequence[int]) -> str:
    """A shape as people write it.

    >>> shape((768, 2304)), shape((768,))
    ('768 × 2,304', '768')
    """
    return " × ".join(exact(size) for size in sizes)
