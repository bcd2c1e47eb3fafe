"""What a location hash asks of the page, and that every state comes back from its own."""

import pytest

import anatomy
from anatomy.visit import steps
from anatomy.visit.address import from_hash
from anatomy.visit.state import State


@pytest.mark.parametrize("slug", list(anatomy.entries()))
def test_every_state_of_a_model_comes_back_from_its_hash(slug: str) -> None:
    start = steps.choose_model(State(), slug)
    for part in start.anatomy.parts:
        selected = steps.select_part(start, *start.anatomy.address(part))
        back = from_hash(State(), selected.to_hash())
        assert (back.model, back.seq_len, back.selected) == (selected.model, selected.seq_len, part)
        assert not back.notices
        linked = from_hash(State(), selected.link(part))
        assert linked.to_hash() == selected.to_hash()


@pytest.mark.parametrize(
    ("text", "control", "said"),
    [
        ("#model=gpt5", "model", 'There is no model "gpt5" in this catalogue'),
        ("#model=", "model", 'There is no model ""'),
        ("#modle=gpt2-xl", "model", 'The link says "modle", which means nothing here; links may say model, t, part'),
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
    good = steps.select_part(steps.choose_seq_len(State(), "16"), "mlp")
    kept = from_hash(good, text)
    assert said in kept.notices[control]
    assert kept.seq_len == 16 or control == "part"
    assert kept.model == "gpt2"


def test_one_bad_key_does_not_undo_the_good_ones() -> None:
    state = from_hash(State(), "#model=llama-3-70b&t=99999&part=mlp")
    assert (state.model, state.selected.id, state.seq_len) == ("llama-3-70b", "mlp", 8)
    assert set(state.notices) == {"seq-len"}


def test_a_switch_that_a_hash_gets_wrong_is_said_and_the_rest_holds() -> None:
    state = from_hash(State(), "#model=llama-3-8b&run=up&w=int8&b=0")
    assert (state.model, state.options.weights, state.options.run) == ("llama-3-8b", "int8", "prefill")
    assert set(state.notices) == {"run", "batch"}


def test_chosen_challenges_go_along_with_every_link_and_a_wrong_one_leaves_the_others() -> None:
    state = from_hash(State(), "#model=llama-3-8b&challenges=cache,scores,tied")
    assert [one.id for one in state.offered] == ["scores", "tied", "cache"]
    assert state.to_hash().endswith("&challenges=cache,scores,tied")
    assert state.link(state.anatomy.parts[0]).endswith("&challenges=cache,scores,tied")
    assert state.to_hash(tasks=()) == "#model=llama-3-8b&t=8&part=attention"
    # Only what was set counts as solved.
    assert "keys" in from_hash(State(), "#model=llama-3-8b").settled().solved
    assert not state.settled().solved
    some = from_hash(state, "#challenges=cache,none,cache")
    assert some.tasks == ("cache",)
    assert some.notices["challenges"].startswith('There is no challenge "none"; there are scores, mlp, keys, tables, ')
    assert len(from_hash(state, "#challenges=").offered) == 15
