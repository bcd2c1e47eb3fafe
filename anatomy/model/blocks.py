"""Which blocks: sets of block indices held as a few ranges, never as a list of every index."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

Blocks = tuple[range, ...]
# Up to so many blocks are compared one by one, beyond it range by range.
MAX_MERGED = 4096


def count(blocks: Blocks) -> int:
    """How many blocks the ranges hold.

    >>> count((range(0, 3), range(3, 61)))
    61
    """
    return sum(map(_length, blocks))


def _length(indices: range) -> int:
    # len() of a range fails beyond the machine's word; a configuration may claim any size.
    return max(0, -((indices.start - indices.stop) // indices.step))


def _last(indices: range) -> int:
    return indices.start + (_length(indices) - 1) * indices.step


def contains(blocks: Blocks, block: int) -> bool:
    """Whether ``block`` is one of the blocks.

    >>> contains((range(0, 10**9, 2),), 6), contains((range(0, 10**9, 2),), 7)
    (True, False)
    """
    return any(block in indices for indices in blocks)


def runs(indices: Iterable[int]) -> Blocks:
    """Compress ascending block indices into ranges: consecutive runs, or one range where the step is even.

    >>> runs([0, 1, 2, 5, 6]), runs([1, 3, 5])
    ((range(0, 3), range(5, 7)), (range(1, 6, 2),))
    """
    listed = list(indices)
    if len(listed) > 2 and len({b - a for a, b in pairwise(listed)}) == 1:
        return (range(listed[0], listed[-1] + 1, listed[1] - listed[0]),)
    found: list[range] = []
    for index in listed:
        if found and found[-1].stop == index:
            found[-1] = range(found[-1].start, index + 1)
        else:
            found.append(range(index, index + 1))
    return tuple(found)


def all_but_every(nth: int, blocks: int) -> tuple[Blocks, Blocks]:
    """The blocks ``0 … blocks-1`` without every ``nth`` one, and every ``nth`` one, as at most ``nth`` ranges.

    >>> all_but_every(6, 26)[1], all_but_every(2, 10**9)[0]
    ((range(5, 26, 6),), (range(0, 999999999, 2),))
    """
    others = [indices for first in range(nth - 1) if (indices := range(first, blocks, nth))]
    every = range(nth - 1, blocks, nth)
    return merged(others) if others else (), (every,) if every else ()


def label(blocks: Blocks) -> str:
    """Word the blocks, counted from 0, as JSON, links, ``data-blocks`` and the command line do.

    >>> label((range(0, 12),)), label((range(3, 4),)), label((range(0, 25, 2),)), label((range(0, 2), range(4, 6)))
    ('0-11', '3', '0-24 step 2', '0-1,4-5')
    """
    words = []
    for indices in blocks:
        last = _last(indices)
        if last == indices.start:
            words.append(f"{indices.start}")
        else:
            words.append(f"{indices.start}-{last}" + (f" step {indices.step}" if indices.step != 1 else ""))
    return ",".join(words)


def parse(text: str) -> Blocks:
    """Read a label back; the inverse of :func:`label`.

    >>> parse("0-24 step 2")
    (range(0, 25, 2),)

    Raises ``ValueError`` where the text is no such label.
    """
    found = []
    for word in text.split(","):
        match = re.fullmatch(r"([0-9]{1,12})(?:-([0-9]{1,12})(?: step ([0-9]{1,12}))?)?", word)
        if not match:
            raise ValueError(f"blocks {text!r}: expected a form such as 0-11 or 0-24 step 2")
        first, last, step = match.groups()
        found.append(range(int(first), int(last or first) + 1, int(step or 1)))
    return tuple(found)


def kinds(blocks: int, sets: Sequence[Blocks]) -> list[Blocks]:
    """Partition blocks ``0 … blocks-1`` into kinds: two blocks are alike where the same sets hold them.

    The cost depends on the number of ranges, never on the number of blocks.

    >>> kinds(61, [(range(61),), (range(3),), (range(3, 61),)])
    [(range(0, 3),), (range(3, 61),)]
    >>> kinds(10**9, [(range(0, 10**9, 2),), (range(1, 10**9, 2),)])
    [(range(0, 999999999, 2),), (range(1, 1000000000, 2),)]
    """
    distinct = list(dict.fromkeys(sets))
    edges = {0, blocks}
    for blocks_of_set in distinct:
        for indices in blocks_of_set:
            # A range of every second block says nothing of the block before its first or after its last one.
            last = _last(indices)
            edges |= {max(0, indices.start - indices.step + 1), min(last + indices.step, blocks)}
    period = math.lcm(*(indices.step for blocks_of_set in distinct for indices in blocks_of_set), 1)
    found: dict[tuple[bool, ...], list[range]] = {}
    ordered = sorted(edges)
    for start, stop in pairwise(ordered):
        for first in range(start, min(start + period, stop)):
            signature = tuple(contains(blocks_of_set, first) for blocks_of_set in distinct)
            found.setdefault(signature, []).append(range(first, stop, period))
    return [merged(ranges) for ranges in found.values()]


def excluding(blocks: int, inside: Blocks, outside: Blocks) -> Blocks:
    """The blocks below ``blocks`` that ``inside`` holds and ``outside`` does not; empty where there are none.

    >>> excluding(48, (range(48),), (range(1, 48, 2),)), excluding(12, (range(3),), (range(12),))
    ((range(0, 47, 2),), ())
    """
    found = kinds(blocks, [inside, outside])
    wanted = [kind for kind in found if contains(inside, kind[0].start) and not contains(outside, kind[0].start)]
    return wanted[0] if wanted else ()


def merged(ranges: Sequence[range]) -> Blocks:
    """Join ranges of blocks into the fewest: neighbours touch, equal steps interleave.

    >>> merged([range(0, 6, 2), range(1, 6, 2)])
    (range(0, 6),)
    """
    if len(ranges) == 1:
        indices = ranges[0]
        last = _last(indices)
        return (range(indices.start, last + 1, indices.step if last > indices.start else 1),)
    if sum(map(_length, ranges)) <= MAX_MERGED:
        return runs(sorted(index for indices in ranges for index in indices))
    joined: list[range] = []
    for indices in sorted(ranges, key=lambda r: (r.start, r.step)):
        if joined and joined[-1].step == 1 and indices.step == 1 and joined[-1].stop >= indices.start:
            joined[-1] = range(joined[-1].start, max(joined[-1].stop, indices.stop))
        else:
            joined.append(indices)
    return tuple(joined)
