"""Every formula that the page shows, of every kind of model, comes to the number beside it."""

from fractions import Fraction

import pytest

from anatomy.model.terms import Factor, Term
from anatomy.views import (
    compute,
    conventions,
    figures,
    memory,
    panel,
    where,
)
from anatomy.visit import steps
from anatomy.visit.state import SEQ_LEN, State
from anatomy.words.working import Working, number, with_unit
from tests.formulas import equations, holds
from tests.kinds import WALKED

SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"run": "decode", "square": "causal", "cache": "int4", "weights": "int4", "batch": "3"},
    {"run": "recompute", "weights": "fp32", "cache": "fp8"},
    {"unembedding": "last", "weights": "int8"},
)


@pytest.mark.parametrize("slug", WALKED)
def test_every_shown_formula_comes_to_its_figure(slug: str) -> None:
    state = steps.choose_model(State(seq_len=7), slug)
    shown = []
    for number_, settings in enumerate(SETTINGS):
        state = steps.choose_model(State(seq_len=7 + 1000 * number_), slug)
        for switch, value in settings.items():
            state = steps.choose_option(state, switch, value)
        assert not {name for name in state.notices if name != SEQ_LEN}
        for view in (compute.view, memory.view, conventions.view, figures.view, where.view):
            shown += equations(str(view(state)))
    for part in state.anatomy.parts:
        selected = steps.select_part(state, *state.anatomy.address(part))
        shown += equations(str(panel.view(selected)))
    assert len(shown) > 100
    wrong = [one for one in shown if not holds(one)]
    assert not wrong


def test_the_formula_of_the_issue() -> None:
    state = steps.choose_model(State(), "llama-3-70b")
    assert "2 × 8 KV heads × 128 × 2 bytes × 80 layers = 327,680" in equations(str(memory.view(state)))


def test_a_formula_that_leads_elsewhere_is_refused() -> None:
    term = Term("W_up", "block/mlp", (), (Factor("in", 768), Factor("out", 3072)))
    assert Working("W_up", (term,), 2359296).numbers() == "768 × 3,072"
    with pytest.raises(ArithmeticError, match="the terms give 2359296, the figure is 2359297"):
        Working("W_up", (term,), 2359297)


@pytest.mark.parametrize(
    ("value", "worded"),
    [
        (0, "0"),
        (1234567, "1,234,567"),
        (-12, "−12"),
        (Fraction(1, 2), "1/2"),
        (Fraction(5, 2), "2.5"),
        (Fraction(1001, 8), "125.125"),
        (Fraction(41, 40), "1.025"),
        (Fraction(10**6 + 1, 7), "142,857 2/7"),
    ],
)
def test_numbers_are_worded_exactly(value: int | Fraction, worded: str) -> None:
    assert number(value) == worded


def test_terms_that_are_taken_away_stand_behind_a_minus() -> None:
    taken = Term("less", "", (), (Factor("less", -1), Factor("rows", 3), Factor("columns", 4)))
    kept = Term("all", "", (), (Factor("all", 20),))
    working = Working("rest", (kept, taken), 8)
    assert working.equation() == "20 − 3 × 4 = 8"
    assert working.symbols() == "all − rows × columns"
    assert Working("rest", (taken,), -12).equation() == "−3 × 4 = −12"


def test_what_is_divided_says_by_what() -> None:
    one = Term("a", "", (), (Factor("rows", 3), Factor("columns", 4)))
    other = Term("b", "", (), (Factor("less", -1), Factor("rest", 2)))
    over = Factor("tokens", 5, "tokens")
    alone = Working("each", (one,), Fraction(12, 5), over)
    assert (alone.symbols(), alone.equation()) == ("rows × columns ÷ tokens", "3 × 4 ÷ 5 tokens = 2.4")
    assert alone.sums() == "12 ÷ 5 tokens = 2.4"
    both = Working("each", (one, other), 2, over)
    assert both.symbols() == "(rows × columns − rest) ÷ tokens"
    assert both.equation() == "(3 × 4 − 2) ÷ 5 tokens = 2"
    assert both.sums() == "(12 − 2) ÷ 5 tokens = 2"
    assert Working("all", (one, other), 10).symbols() == "rows × columns − rest"


@pytest.mark.parametrize(
    ("value", "unit", "worded"),
    [
        (2, "bytes", "2 bytes"),
        (1, "bytes", "1 byte"),
        (Fraction(1, 2), "bytes", "1/2 byte"),
        (Fraction(1, 2), "layers", "1/2 layers"),
        (Fraction(3, 2), "bytes", "1.5 bytes"),
        (1, "queries", "1 query"),
        (2, "queries", "2 queries"),
        (1, "experts used", "1 expert used"),
        (1, "passes", "1 pass"),
        (1, "KV heads", "1 KV head"),
        (7, "", "7"),
    ],
)
def test_a_unit_is_singular_where_there_is_one_or_less_of_it(value: int | Fraction, unit: str, worded: str) -> None:
    assert with_unit(Factor("x", value, unit)) == worded
