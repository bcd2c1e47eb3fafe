"""Words for numbers: tables of number and expected text, every carry at every unit among them."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import pytest

from anatomy.words import formatting
from anatomy.words.formatting import operations, percent, ratio, rounded, short, significant, size_in_bytes

Number = int | Fraction
MEBI, GIBI, TEBI, PEBI = 2**20, 2**30, 2**40, 2**50


def binary(number: Number) -> str:
    return size_in_bytes(number, binary=True)


# At each unit: the last number that its rounding keeps below the next one, and the first that carries.
CARRIES: tuple[tuple[Callable[..., str], Number, str, Number, str], ...] = (
    (short, 999, "999", 1_000, "1.00K"),
    (short, 9_994, "9.99K", 9_995, "10.0K"),
    (short, 99_949, "99.9K", 99_950, "100K"),
    (short, 999_499, "999K", 999_500, "1.00M"),
    (short, 9_994_999, "9.99M", 9_995_000, "10.0M"),
    (short, 999_499_999, "999M", 999_500_000, "1.00B"),
    (short, 999_499_999_999, "999B", 999_500_000_000, "1.00T"),
    (short, 999_499_999_999_999, "999T", 999_500_000_000_000, "1.00Q"),
    (short, 999_499_999_999_999_999, "999Q", 999_500_000_000_000_000, "1,000Q"),
    (operations, 999, "999", 1_000, "1.00 K"),
    (operations, Fraction(9_994, 10), "999", Fraction(9_995, 10), "1.00 K"),
    (operations, 9_994, "9.99 K", 9_995, "10.0 K"),
    (operations, 999_499, "999 K", 999_500, "1.00 M"),
    (operations, 9_994_999, "9.99 M", 9_995_000, "10.0 M"),
    (operations, 99_949_999, "99.9 M", 99_950_000, "0.10 G"),
    (operations, 104_999_999, "0.10 G", 105_000_000, "0.11 G"),
    (operations, 994_999_999, "0.99 G", 995_000_000, "1.00 G"),
    (operations, 9_994_999_999, "9.99 G", 9_995_000_000, "10.0 G"),
    (operations, 99_949_999_999, "99.9 G", 99_950_000_000, "100 G"),
    (operations, 999_499_999_999, "999 G", 999_500_000_000, "1.00 T"),
    (operations, 9_994_999_999_999, "9.99 T", 9_995_000_000_000, "10.0 T"),
    (operations, 999_499_999_999_999, "999 T", 999_500_000_000_000, "1.00 P"),
    (operations, 999_499_999_999_999_999, "999 P", 999_500_000_000_000_000, "1.00 E"),
    (operations, 999_499_999_999_999_999_999, "999 E", 999_500_000_000_000_000_000, "1,000 E"),
    (size_in_bytes, 999, "999 bytes", 1_000, "1.00 KB"),
    (size_in_bytes, Fraction(9_994, 10), "999 bytes", Fraction(9_995, 10), "1.00 KB"),
    (size_in_bytes, 999_499, "999 KB", 999_500, "1.00 MB"),
    (size_in_bytes, 999_499_999, "999 MB", 999_500_000, "1.00 GB"),
    (size_in_bytes, 999_499_999_999, "999 GB", 999_500_000_000, "1.00 TB"),
    (size_in_bytes, 999_499_999_999_999, "999 TB", 999_500_000_000_000, "1.00 PB"),
    (size_in_bytes, 999_499_999_999_999_999, "999 PB", 999_500_000_000_000_000, "1,000 PB"),
    (binary, 1_023, "1,023 bytes", 1_024, "1.00 KiB"),
    (binary, Fraction(10_234, 10), "1,023 bytes", Fraction(10_235, 10), "1.00 KiB"),
    (binary, MEBI - 513, "1,023 KiB", MEBI - 512, "1.00 MiB"),
    (binary, GIBI - MEBI // 2 - 1, "1,023 MiB", GIBI - MEBI // 2, "1.00 GiB"),
    (binary, GIBI - MEBI // 2 - 1, "1,023 MiB", GIBI - 1, "1.00 GiB"),
    (binary, TEBI - GIBI // 2 - 1, "1,023 GiB", TEBI - GIBI // 2, "1.00 TiB"),
    (binary, PEBI - TEBI // 2 - 1, "1,023 TiB", PEBI - TEBI // 2, "1.00 PiB"),
    (binary, 2**60 - PEBI // 2 - 1, "1,023 PiB", 2**60 - PEBI // 2, "1,024 PiB"),
    (significant, Fraction(99_949, 1000), "99.9", Fraction(99_950, 1000), "100"),
    (significant, Fraction(9_994, 10_000), "0.999", Fraction(9_995, 10_000), "1.00"),
    (percent, Fraction(0), "0%", Fraction(1, 10**9), "under 0.1%"),
    (percent, Fraction(999_999, 10**9), "under 0.1%", Fraction(1, 1000), "0.1%"),
    (percent, Fraction(949, 10**5), "0.9%", Fraction(950, 10**5), "1%"),
    (percent, Fraction(995, 10**5), "1%", Fraction(1, 100), "1%"),
    (percent, Fraction(1_499, 10**5), "1%", Fraction(1_500, 10**5), "2%"),
    (percent, Fraction(9_499, 10**5), "9%", Fraction(9_500, 10**5), "10%"),
    (percent, Fraction(99_499, 10**5), "99%", Fraction(99_500, 10**5), "99.5%"),
    (percent, Fraction(99_849, 10**5), "99.8%", Fraction(99_850, 10**5), "99.9%"),
    (percent, Fraction(99_900, 10**5), "99.9%", Fraction(99_901, 10**5), "over 99.9%"),
    (percent, Fraction(10**9 - 1, 10**9), "over 99.9%", Fraction(1), "100%"),
    (ratio, Fraction(9_994, 1000), "9.99 ×", Fraction(9_995, 1000), "10.0 ×"),
    (ratio, Fraction(99_949, 10), "9,995 ×", Fraction(99_995, 10), "10.0K ×"),
    (ratio, Fraction(99_949, 100_000), "0.999 ×", Fraction(99_950, 100_000), "1.00 ×"),
)


@pytest.mark.parametrize(("words", "last", "kept", "first", "carried"), CARRIES)
def test_what_rounds_up_to_the_next_unit_is_worded_in_it(
    words: Callable[[Number], str], last: Number, kept: str, first: Number, carried: str
) -> None:
    assert (words(last), words(first)) == (kept, carried)


def test_every_unit_has_its_carry_in_the_table() -> None:
    units = {
        words: {row[4].split()[-1].lstrip("0123456789.,") for row in CARRIES if row[0] is words}
        for words, *_ in CARRIES
    }
    assert units[short] == {"K", "M", "B", "T", "Q"}
    assert units[operations] - {""} == {"K", "M", "G", "T", "P", "E"}
    assert units[size_in_bytes] == {"KB", "MB", "GB", "TB", "PB"}
    assert units[binary] == {"KiB", "MiB", "GiB", "TiB", "PiB"}


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (512, "512"),
        (38_400, "38.4K"),
        (39_383_808, "39.4M"),
        (28_348_416, "28.3M"),
        (56_669_184, "56.7M"),
        (85_056_000, "85.1M"),
        (124_439_808, "124M"),
        (70_553_706_496, "70.6B"),
        (1_026_408_232_448, "1.03T"),
        (10**15, "1.00Q"),
    ],
)
def test_short(number: int, text: str) -> None:
    assert short(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (36, "36"),
        (Fraction(1, 2), "0.500"),
        (294_912, "295 K"),
        (5_000_000, "5.00 M"),
        (9_999_999, "10.0 M"),
        (14_999_999, "15.0 M"),
        (247_358_976, "0.25 G"),
        (Fraction(35_127_656_448, 197), "0.18 G"),
        (13_847_494_656, "13.8 G"),
        (139_024_400_384, "139 G"),
        (1_112_195_203_072, "1.11 T"),
        (383_866_000_000_000, "384 T"),
        (1_138_887_887_745_024, "1.14 P"),
        (2 * 10**22, "20,000 E"),
    ],
)
def test_operations(number: Number, text: str) -> None:
    assert operations(number) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Fraction(38_400, 124_439_808), "under 0.1%"),
        (Fraction(5, 10_000), "under 0.1%"),
        (Fraction(28_348_416, 124_439_808), "23%"),
        (Fraction(39_383_808, 124_439_808), "32%"),
        (Fraction(56_669_184, 124_439_808), "46%"),
        (Fraction(996, 1000), "99.6%"),
        (Fraction(5, 1000), "0.5%"),
    ],
)
def test_percent(share: Fraction, text: str) -> None:
    assert percent(share) == text


@pytest.mark.parametrize(
    ("number", "binary", "text"),
    [
        (0, False, "0 bytes"),
        (327_680, False, "328 KB"),
        (140_000_000_000, False, "140 GB"),
        (GIBI, True, "1.00 GiB"),
        (GIBI, False, "1.07 GB"),
        (2_684_354_560, True, "2.50 GiB"),
        (1_000 * MEBI, True, "1,000 MiB"),
        (TEBI, True, "1.00 TiB"),
    ],
)
def test_size_in_bytes_says_the_unit_that_was_computed(number: int, binary: bool, text: str) -> None:
    assert size_in_bytes(number, binary) == text


@pytest.mark.parametrize(
    ("shares", "rounds"),
    [
        ([Fraction(32, 100), Fraction(23, 100), Fraction(45, 100)], False),
        (
            [Fraction(39_383_808, 124_439_808), Fraction(28_348_416, 124_439_808), Fraction(56_707_584, 124_439_808)],
            True,
        ),
        ([Fraction(1, 3)] * 3, True),
        ([Fraction(1)], False),
        ([Fraction(996, 1000), Fraction(4, 1000)], False),
        ([Fraction(1, 10**6), Fraction(10**6 - 1, 10**6)], True),
    ],
)
def test_shares_that_do_not_add_up_as_worded_are_rounded(shares: list[Fraction], rounds: bool) -> None:
    assert sum(shares) == 1
    assert rounded(shares) is rounds


def value(worded: str) -> Fraction:
    """What a worded count comes to, read back."""
    number = worded.rstrip("KMBTQGPE ")
    unit = worded.removeprefix(number).strip().replace("B", "G").replace("Q", "P")
    size: int = 1000 ** ("", "K", "M", "G", "T", "P", "E").index(unit)
    return Fraction(number.replace(",", "")) * size


@pytest.mark.parametrize("words", [short, operations])
def test_a_greater_number_is_never_worded_as_a_smaller_one(words: Callable[[int], str]) -> None:
    numbers = sorted(
        {
            max(0, lead * 10**power + off)
            for lead in (1, 995, 9995, 99949, 99950)
            for power in range(16)
            for off in (-1, 0, 1)
        }
    )
    for less, more in pairwise(numbers):
        assert value(words(less)) <= value(words(more)), (less, more)


def test_decimal_rounds_half_up_without_a_float() -> None:
    assert [formatting.decimal(Fraction(n, 1000), 2) for n in (4, 5, 994, 995)] == ["0.00", "0.01", "0.99", "1.00"]
    assert formatting.decimal(10**30 + 1, 0) == f"{10**30 + 1:,}"
