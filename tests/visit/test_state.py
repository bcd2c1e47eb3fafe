"""What a click or a key means."""

import pytest

from anatomy.visit import steps
from anatomy.visit.address import from_hash
from anatomy.visit.state import State


def test_the_default_is_gpt2_small_at_8_with_attention_selected() -> None:
    state = State()
    assert (state.model, state.seq_len, state.selected.id) == ("gpt2", 8, "attention")
    assert state == state.settled()


def test_a_model_keeps_t_where_it_is_legal_and_says_where_it_is_not() -> None:
    long = steps.choose_seq_len(steps.choose_model(State(), "llama-3-8b"), "8192")
    kept = steps.choose_model(long, "llama-3-70b")
    assert (kept.seq_len, dict(kept.notices)) == (8192, {})
    cut = steps.choose_model(long, "gpt2")
    assert cut.seq_len == 1024
    assert cut.notices["seq-len"] == "T was 8,192; GPT-2 small takes at most 1,024, so T is now 1,024."


def test_a_model_keeps_the_selected_part() -> None:
    state = steps.choose_model(steps.select_part(State(), "mlp"), "llama-3-70b")
    assert state.selected.id == "mlp"


@pytest.mark.parametrize("text", ["64", " 64 ", "0064"])
def test_a_length_as_people_type_it(text: str) -> None:
    assert steps.choose_seq_len(State(), text).seq_len == 64


def test_thousands_may_be_grouped() -> None:
    assert steps.choose_seq_len(State(), "1,024").seq_len == 1024


@pytest.mark.parametrize("text", ["", "abc", "8.5", "-8", "0", "1025", "٣", "1_0", "nan", "9" * 5000])
def test_what_is_no_length_is_refused(text: str) -> None:
    state = steps.choose_seq_len(State(), text)
    assert state.seq_len == 8
    assert "T is still 8." in state.notices["seq-len"]


def test_parts_visited_and_challenges_solved_are_remembered() -> None:
    state = steps.choose_model(State(), "llama-3-70b").settled()
    assert state.solved.keys() == state.fresh == {"keys", "mlp"}
    assert ("llama-3-70b", "attention") in state.visited
    back = steps.choose_model(state, "gpt2").settled()
    assert (back.solved, back.fresh) == (state.solved, frozenset())
    assert steps.without_progress(back).solved == {}


def test_progress_of_an_earlier_visit_is_kept_and_nonsense_dropped() -> None:
    assert steps.with_progress(State(), {"mlp", "<b>"}).solved == {"mlp": ""}


def test_switches_are_kept_over_models_and_lengths_and_come_back_from_the_hash() -> None:
    state = steps.choose_option(steps.choose_option(State(), "run", "decode"), "batch", "4")
    assert state.to_hash() == "#model=gpt2&t=8&part=attention&run=decode&b=4"
    moved = steps.choose_seq_len(steps.choose_model(state, "llama-3-8b"), "64")
    assert moved.options == state.options
    assert from_hash(State(), moved.to_hash()).options == state.options
    assert from_hash(moved, "#model=gpt2").options == State().options


def test_a_refused_switch_leaves_all_as_it_was() -> None:
    state = steps.choose_option(State(), "cache", "fp64")
    assert state.options == State().options
    assert "accepted: fp32, bf16, fp8, int8, int4" in state.notices["cache"]
