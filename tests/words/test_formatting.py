"""Words for numbers: tables of number and expected text, the carries among them."""

from fractions import Fraction

import pytest

from anatomy.words import formatting


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (512, "512"),
        (999, "999"),
        (1_000, "1.00K"),
        (38_400, "38.4K"),
        (99_949, "99.9K"),
        (99_950, "100K"),
        (999_499, "999K"),
        (999_500, "1.00M"),
        (39_383_808, "39.4M"),
        (28_348_416, "28.3M"),
        (56_669_184, "56.7M"),
        (85_056_000, "85.1M"),
        (124_439_808, "124M"),
        (999_499_999, "999M"),
        (999_500_000, "1.00B"),
        (70_553_706_496, "70.6B"),
        (1_026_408_232_448, "1.03T"),
        (10**15, "1.00Q"),
    ],
)
def test_short(number: int, text: str) -> None:
    assert formatting.short(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0 G"),
        (247_358_976, "0.25 G"),
        (5_000_000, "0.0050 G"),
        (9_994_999_999, "9.99 G"),
        (13_847_494_656, "13.8 G"),
        (139_024_400_384, "139 G"),
        (Fraction(35_127_656_448, 197), "0.18 G"),
        (1_112_195_203_072, "1,112 G"),
    ],
)
def test_giga(number: int | Fraction, text: str) -> None:
    assert formatting.giga(number) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(0), "0%"),
        (Fraction(1), "100%"),
        (Fraction(1, 10**9), "under 0.1%"),
        (Fraction(1, 1000), "0.1%"),
        (Fraction(38_400, 124_439_808), "under 0.1%"),
        (Fraction(28_348_416, 124_439_808), "23%"),
        (Fraction(56_669_184, 124_439_808), "46%"),
        (Fraction(996, 1000), "99.6%"),
        (Fraction(9999, 10000), "over 99.9%"),
        (Fraction(5, 1000), "0.5%"),
        (Fraction(9995, 100000), "10%"),
    ],
)
def test_percent(share: Fraction, text: str) -> None:
    assert formatting.percent(share) == text


@pytest.mark.parametrize(
    ("number", "binary", "text"),
    [
        (999, False, "999 bytes"),
        (327_680, False, "328 KB"),
        (999_500, False, "1.00 MB"),
        (140_000_000_000, False, "140 GB"),
        (2**30, True, "1.00 GiB"),
        (2**30, False, "1.07 GB"),
        (2_684_354_560, True, "2.50 GiB"),
        (1023, True, "1,023 bytes"),
        (2**40, True, "1.00 TiB"),
    ],
)
def test_size_in_bytes_says_the_unit_that_was_computed(number: int, binary: bool, text: str) -> None:
    assert formatting.size_in_bytes(number, binary) == text


def test_decimal_rounds_half_up_without_a_float() -> None:
    assert [formatting.decimal(Fraction(n, 1000), 2) for n in (4, 5, 994, 995)] == ["0.00", "0.01", "0.99", "1.00"]
    assert formatting.decimal(10**30 + 1, 0) == f"{10**30 + 1:,}"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (36, "36"),
        (Fraction(1, 2), "0.500"),
        (1_000, "1.00 K"),
        (294_912, "295 K"),
        (999_499, "999 K"),
        (999_500, "1.00 M"),
        (9_999_999, "10.0 M"),
        (10_000_000, "0.01 G"),
        (247_358_976, "0.25 G"),
        (999_499_999_999, "999 G"),
        (999_500_000_000, "1.00 T"),
        (1_138_887_887_745_024, "1.14 P"),
        (999_500_000_000_000_000, "1.00 E"),
        (2 * 10**22, "20,000 E"),
    ],
)
def test_operations(number: int | Fraction, text: str) -> None:
    assert formatting.operations(number) == text
