"""Words for numbers, in one place: counts meet 1,000, bytes say which giga they mean; views and the CLI call it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from anatomy.model.terms import Number

_COUNT_UNITS = ((10**3, "K"), (10**6, "M"), (10**9, "B"), (10**12, "T"), (10**15, "Q"))


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


def short(number: int) -> str:
    """A count to three significant digits, unit by powers of 1,000.

    >>> short(124439808), short(39383808), short(999499), short(999500), short(512)
    ('124M', '39.4M', '999K', '1.00M', '512')
    """
    if number < 1000:
        return exact(number)
    unit, name = next((u, n) for u, n in reversed(_COUNT_UNITS) if number >= u)
    text = significant(Fraction(number, unit))
    if text == "1,000":  # 999.5 K and more reads as the next unit
        following = [(u, n) for u, n in _COUNT_UNITS if u > unit]
        if following:
            unit, name = following[0]
            text = significant(Fraction(1))
    return text + name


def giga(number: Number) -> str:
    """FLOPs in units of 10^9: two decimals below 10, three significant digits above, two below 0.01.

    >>> giga(247358976), giga(139024400384), giga(5000000)
    ('0.25 G', '139 G', '0.0050 G')
    """
    value = Fraction(number) / 10**9
    if value == 0:
        return "0 G"
    if value < Fraction(1, 100):
        return f"{significant(value, 2)} G"
    if value < 10:
        return f"{decimal(value, 2)} G"
    return f"{significant(value)} G"


def operations(number: Number) -> str:
    """FLOPs in the unit that keeps them short: K, M, G from 10^7 up to 10^12, then T (10^12), P (10^15), E (10^18).

    >>> operations(247358976), operations(139024400384), operations(1138887887745024), operations(294912)
    ('0.25 G', '139 G', '1.14 P', '295 K')
    """
    if number < 10**7:
        small = 10**6 if number >= Fraction(9995, 10000) * 10**6 else 1000
        name = " M" if small == 10**6 else " K"
        if number < 1000:
            return exact(int(number)) if Fraction(number).denominator == 1 else significant(number)
        return f"{significant(Fraction(number) / small)}{name}"
    for unit, name in ((10**18, "E"), (10**15, "P"), (10**12, "T")):
        # What rounds up to the next unit is worded in it.
        if Fraction(number) >= Fraction(9995, 10000) * unit:
            return f"{significant(max(Fraction(1), Fraction(number) / unit))} {name}"
    return giga(number)


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
    if value < 1 or value >= Fraction(199, 2):
        return f"{decimal(value, 1)}%"
    return f"{decimal(value, 0)}%"


def ratio(value: Number) -> str:
    """How many times one number another is (more than 0), to three significant digits; below 1 as a part of it.

    >>> ratio(Fraction(2867, 3)), ratio(Fraction(1, 404)), ratio(4077796), ratio(1)
    ('956 ×', '1/404', '4.08M ×', '1 ×')
    """
    value = Fraction(value)
    if value == 1:
        return "1 ×"
    times = value if value > 1 else 1 / value
    # Above a few thousand the unit says more than the digits.
    words = significant(times) if times < 10_000 else short(int(decimal(times, 0).replace(",", "")))
    return f"{words} ×" if value > 1 else f"1/{words}"


def size_in_bytes(number: Number, binary: bool = False) -> str:
    """Bytes to three significant digits: decimal units (GB = 10^9) or binary ones (GiB = 2^30).

    >>> size_in_bytes(327680), size_in_bytes(2**30, binary=True), size_in_bytes(140_000_000_000)
    ('328 KB', '1.00 GiB', '140 GB')
    """
    base, names = (1024, ("KiB", "MiB", "GiB", "TiB", "PiB")) if binary else (1000, ("KB", "MB", "GB", "TB", "PB"))
    if number < base:
        return f"{decimal(number, 0)} bytes"
    power = 1
    while power < len(names) and Fraction(number) / base**power >= base:
        power += 1
    text = significant(Fraction(number) / base**power)
    if text in ("1,000", "1,024") and power < len(names) and not binary:
        power, text = power + 1, "1.00"
    return f"{text} {names[power - 1]}"


def shape(sizes: Sequence[int]) -> str:
    """A shape as people write it.

    >>> shape((768, 2304)), shape((768,))
    ('768 × 2,304', '768')
    """
    return " × ".join(exact(size) for size in sizes)
