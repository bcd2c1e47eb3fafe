"""What a click, a key or a hash means."""

import pytest

import anatomy
from anatomy import state as states
from anatomy.state import State


def test_the_default_is_gpt2_small_at_8_with_attention_selected() -> None:
    state = State()
    assert (state.model, state.seq_len, state.selected.id) == ("gpt2", 8, "attention")
    assert state == state.settled()


@pytest.mark.parametrize("slug", list(anatomy.entries()))
def test_every_state_of_a_model_comes_back_from_its_hash(slug: str) -> None:
    start = states.choose_model(State(), slug)
    for part in start.anatomy.parts:
        selected = states.select_part(start, *start.anatomy.address(part))
        back = states.from_hash(State(), selected.to_hash())
        assert (back.model, back.seq_len, back.selected) == (selected.model, selected.seq_len, part)
        assert not back.notices
        linked = states.from_hash(State(), selected.link(part))
        assert linked.to_hash() == selected.to_hash()


@pytest.mark.parametrize(
    ("text", "control", "said"),
    [
        ("#model=gpt5", "model", 'There is no model "gpt5" in this catalogue'),
        ("#model=", "model", 'There is no model ""'),
        ("#t=0", "seq-len", "Sequence length 0 is out of range. GPT-2 small takes at most 1,024. T is still 16."),
        ("#t=abc", "seq-len", 'Sequence length "abc" is not a whole number'),
        ("#t=1025", "seq-len", "Sequence length 1,025 is out of range"),
        ("#t=1e3", "seq-len", "is not a whole number"),
        ("#t=99999999999999999999", "seq-len", "is not a whole number"),
        ("#t=", "seq-len", "empty or not a whole number"),
        ("#part=tail", "part", 'GPT-2 small has no part "tail" there; it has embedding, residual'),
        ("#part=mlp&blocks=7", "part", "has no part"),
        ("#t=%FF%00", "seq-len", "is not a whole number"),
    ],
)
def test_a_bad_hash_keeps_the_last_good_state_and_says_so(text: str, control: str, said: str) -> None:
    good = states.select_part(states.choose_seq_len(State(), "16"), "mlp")
    kept = states.from_hash(good, text)
    assert said in kept.notices[control]
    assert kept.seq_len == 16 or control == "part"
    assert kept.model == "gpt2"


def test_one_bad_key_does_not_undo_the_good_ones() -> None:
    state = states.from_hash(State(), "#model=llama-3-70b&t=99999&part=mlp")
    assert (state.model, state.selected.id, state.seq_len) == ("llama-3-70b", "mlp", 8)
    assert set(state.notices) == {"seq-len"}


def test_a_model_keeps_t_where_it_is_legal_and_says_where_it_is_not() -> None:
    long = states.choose_seq_len(states.choose_model(State(), "llama-3-8b"), "8192")
    kept = states.choose_model(long, "llama-3-70b")
    assert (kept.seq_len, dict(kept.notices)) == (8192, {})
    cut = states.choose_model(long, "gpt2")
    assert cut.seq_len == 1024
    assert cut.notices["seq-len"] == "T was 8,192; GPT-2 small takes at most 1,024, so T is now 1,024."


def test_a_model_keeps_the_selected_part() -> None:
    state = states.choose_model(states.select_part(State(), "mlp"), "llama-3-70b")
    assert state.selected.id == "mlp"


@pytest.mark.parametrize("text", ["64", " 64 ", "0064"])
def test_a_length_as_people_type_it(text: str) -> None:
    assert states.choose_seq_len(State(), text).seq_len == 64


def test_thousands_may_be_grouped() -> None:
    assert states.choose_seq_len(State(), "1,024").seq_len == 1024


@pytest.mark.parametrize("text", ["", "abc", "8.5", "-8", "0", "1025", "٣", "1_0", "nan", "9" * 5000])
def test_what_is_no_length_is_refused(text: str) -> None:
    state = states.choose_seq_len(State(), text)
    assert state.seq_len == 8
    assert "T is still 8." in state.notices["seq-len"]


def test_parts_visited_and_challenges_solved_are_remembered() -> None:
    state = states.choose_model(State(), "llama-3-70b").settled()
    assert state.solved == {"keys", "mlp"}
    assert ("llama-3-70b", "attention") in state.visited
    back = states.choose_model(state, "gpt2").settled()
    assert back.solved == {"keys", "mlp"}
    assert states.without_progress(back).solved == frozenset()


def test_progress_of_an_earlier_visit_is_kept_and_nonsense_dropped() -> None:
    assert states.with_progress(State(), frozenset({"mlp", "<b>"})).solved == {"mlp"}


def test_switches_are_kept_over_models_and_lengths_and_come_back_from_the_hash() -> None:
    state = states.choose_option(states.choose_option(State(), "run", "decode"), "batch", "4")
    assert state.to_hash() == "#model=gpt2&t=8&part=attention&run=decode&b=4"
    moved = states.choose_seq_len(states.choose_model(state, "llama-3-8b"), "64")
    assert moved.options == state.options
    assert states.from_hash(State(), moved.to_hash()).options == state.options
    assert states.from_hash(moved, "#model=gpt2").options == State().options


def test_a_switch_that_a_hash_gets_wrong_is_said_and_the_rest_holds() -> None:
    state = states.from_hash(State(), "#model=llama-3-8b&run=up&w=int8&b=0")
    assert (state.model, state.options.weights, state.options.run) == ("llama-3-8b", "int8", "prefill")
    assert set(state.notices) == {"run", "batch"}


def test_a_refused_switch_leaves_all_as_it_was() -> None:
    state = states.choose_option(State(), "cache", "fp64")
    assert state.options == State().options
    assert "accepted: fp32, bf16, fp8, int8, int4" in state.notices["cache"]
