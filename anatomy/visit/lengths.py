"""The steps of T's slider: even by ratio, so that 8 and 1,024 lie as far apart as 1,024 and 131,072."""

from __future__ import annotations

from bisect import bisect_right


def steps(longest: int) -> tuple[int, ...]:
    """1, 2, 3, 4, 6, 8, 12, 16, … and the longest T: two steps to each doubling.

    >>> steps(20)
    (1, 2, 3, 4, 6, 8, 12, 16, 20)
    """
    found, power = [1], 2
    while power < longest:
        found += [one for one in (power, power + power // 2) if one < longest]
        power *= 2
    return tuple(dict.fromkeys((*found, longest)))


def step_of(seq_len: int, longest: int) -> int:
    """Where the slider stands at that T: its step, or the last one below it.

    >>> step_of(8, 1024), step_of(11, 1024)
    (5, 5)
    """
    return bisect_right(steps(longest), seq_len) - 1


def length_at(step: int, longest: int) -> int:
    """The T of a step; beyond the ends, that of the nearest.

    >>> length_at(5, 1024), length_at(99, 1024)
    (8, 1024)
    """
    scale = steps(longest)
    return scale[max(0, min(step, len(scale) - 1))]


def doubled(seq_len: int, longest: int, *, half: bool = False) -> int:
    """Twice or half that T, as far as the model goes.

    >>> doubled(600, 1024), doubled(9, 1024, half=True)
    (1024, 4)
    """
    return max(1, seq_len // 2) if half else min(2 * seq_len, longest)
