"""The counts that must hold: what their lines say, and those that need no browser hold."""

import pytest

from benchmarks.limits import Figure, javascript, repeated, survivors


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (Figure("kilobytes", 900, 900), f"kilobytes{' ' * 42}900  limit     900  met"),
        (Figure("lines", 901, 900), "limit     900  not met"),
        (Figure("lines", 800, 900, 750), "limit     900  met, goal 750 not met"),
        (Figure("pixels", 6_501, 9_500, 6_500), "limit   9,500  met, goal 6,500 not met"),
    ],
)
def test_a_line_says_whether_a_limit_is_met(figure: Figure, said: str) -> None:
    assert figure.line().endswith(said)


def test_the_page_keeps_its_javascript_small() -> None:
    held = javascript()
    assert 0 < held.found <= held.limit == 900


def test_no_figure_is_worked_out_again() -> None:
    assert [figure.found for figure in repeated()] == [0, 0, 0]


def test_mutants_that_live_are_read_from_what_the_tester_prints() -> None:
    said = "    3 of     4  anatomy/words/labels.py\n\nkilled 1931 of 2000 (96.5%), drawn from 9000; 12 left out\n"
    assert survivors(said) == Figure("mutants that live, of 2,000", 69, 100)
