"""Sets of blocks: the partition into kinds, against a count of every block by itself."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anatomy.model.blocks import (
    Blocks,
    contains,
    count,
    excluding,
    kinds,
    label,
    merged,
    parse,
    runs,
)


@st.composite
def block_sets(draw: st.DrawFn) -> tuple[int, list[Blocks]]:
    blocks = draw(st.integers(1, 24))
    ranges = st.builds(
        lambda start, length, step: range(start, min(start + length, blocks), step),
        st.integers(0, blocks - 1),
        st.integers(1, blocks),
        st.integers(1, 4),
    )
    return blocks, draw(st.lists(st.lists(ranges, min_size=1, max_size=3).map(tuple), max_size=4))


@given(block_sets())
@settings(max_examples=300, derandomize=True, deadline=None)
def test_kinds_partition_the_blocks_as_a_walk_over_all_blocks_does(case: tuple[int, list[Blocks]]) -> None:
    blocks, sets = case
    expected: dict[tuple[bool, ...], list[int]] = {}
    for block in range(blocks):
        expected.setdefault(tuple(contains(one, block) for one in sets), []).append(block)
    found = [sorted(index for indices in kind for index in indices) for kind in kinds(blocks, sets)]
    assert sorted(found) == sorted(expected.values())


@given(block_sets())
@settings(derandomize=True, deadline=None)
def test_excluding_leaves_what_one_set_holds_and_the_other_does_not(case: tuple[int, list[Blocks]]) -> None:
    blocks, sets = case
    inside, outside = [*sets, (range(blocks),), ()][:2]
    found = excluding(blocks, inside, outside)
    expected = [block for block in range(blocks) if contains(inside, block) and not contains(outside, block)]
    assert sorted(index for indices in found for index in indices) == expected


@given(st.sets(st.integers(0, 60), min_size=1))
@settings(derandomize=True, deadline=None)
def test_runs_hold_just_the_indices_they_were_made_of(indices: set[int]) -> None:
    found = runs(sorted(indices))
    assert sorted(index for run in found for index in run) == sorted(indices)
    assert count(found) == len(indices)
    assert parse(label(found)) == found


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        ([range(0, 5)], (range(0, 5),)),
        ([range(0, 10, 2), range(1, 10, 2)], (range(0, 10),)),
        ([range(0, 3), range(5, 7)], (range(0, 3), range(5, 7))),
        ([range(4, 5, 3)], (range(4, 5),)),
    ],
)
def test_merged_joins_what_touches(ranges: list[range], expected: Blocks) -> None:
    assert merged(ranges) == expected


def test_a_billion_blocks_are_partitioned_without_a_walk_over_them() -> None:
    # A walk over every block would not end within the patience of anyone who runs this.
    found = kinds(10**9, [(range(10**9),), (range(3),), (range(3, 10**9, 2),), (range(4, 10**9, 2),)])
    assert sum(map(count, found)) == 10**9


@pytest.mark.parametrize("text", ["", "a", "3-", "1-2 step", "1;2", "-1", "\u0661-\u0662"])
def test_a_text_that_is_no_label_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a form such as"):
        parse(text)
