"""Tests of visit.lengths: the slider's scale is even by ratio and leads back to every T on it."""

from itertools import pairwise

import pytest

import anatomy
from anatomy.visit.lengths import doubled, length_at, step_of, steps

LONGEST = (1, 2, 3, 197, 1024, 131_072, 1_048_576, 10_485_760)


@pytest.mark.parametrize("longest", LONGEST)
def test_the_scale_rises_from_1_to_the_longest_by_halves_and_thirds(longest: int) -> None:
    scale = steps(longest)
    assert (scale[0], scale[-1]) == (1, longest)
    assert list(scale) == sorted(set(scale))
    assert all(after <= 2 * before for before, after in pairwise(scale))
    assert [length_at(step_of(seq_len, longest), longest) for seq_len in scale] == list(scale)


def test_1024_lies_as_far_from_8_as_131072_from_1024() -> None:
    longest = anatomy.load("llama-3.1-405b").context
    assert longest == 131_072
    places = [step_of(seq_len, longest) for seq_len in (8, 1024, 131_072)]
    assert places[1] - places[0] == places[2] - places[1] == 14


def test_a_length_between_two_steps_stands_at_the_lower_one() -> None:
    assert length_at(step_of(1000, 1024), 1024) == 768


def test_a_page_doubles_and_halves_within_what_the_model_takes() -> None:
    assert [doubled(8, 1024), doubled(800, 1024), doubled(1024, 1024)] == [16, 1024, 1024]
    assert [doubled(9, 1024, half=True), doubled(1, 1024, half=True)] == [4, 1]
