"""Each challenge: its solution solves it, the start does not, and the catalogue can."""

import pytest

from anatomy.teaching.challenges import CHALLENGES, Challenge
from anatomy.visit.address import from_hash
from anatomy.visit.state import State


@pytest.mark.parametrize("challenge", CHALLENGES, ids=lambda challenge: challenge.id)
def test_the_solution_solves_it_and_the_start_does_not(challenge: Challenge) -> None:
    start = State()
    assert not challenge.solved_by(start.anatomy, start.selected)
    end = from_hash(start, challenge.solution)
    assert not end.notices
    assert challenge.solved_by(end.anatomy, end.selected)


def test_they_are_three_and_told_apart() -> None:
    assert [challenge.id for challenge in CHALLENGES] == ["scores", "mlp", "keys"]


@pytest.mark.parametrize(("seq_len", "solved"), [(940, False), (941, True)])
def test_scores_outgrow_the_weights_at_the_first_t_whose_square_is_larger(seq_len: int, solved: bool) -> None:
    # SmolLM2 135M: 576 x 576 for Q and O, 576 x 192 for K and V: 884,736 weights; 940^2 = 883,600.
    state = from_hash(State(), f"#model=smollm2-135m&t={seq_len}")
    assert ("scores" in state.settled().solved) is solved


def test_three_quarters_is_not_more_than_three_quarters() -> None:
    assert "mlp" not in from_hash(State(), "#model=gpt2-xl").settled().solved
    assert "mlp" in from_hash(State(), "#model=mistral-7b-v0.1").settled().solved


def test_keys_need_attention_selected() -> None:
    assert "keys" not in from_hash(State(), "#model=llama-3-8b&part=mlp").settled().solved
    assert "keys" in from_hash(State(), "#model=llama-3-8b&part=attention").settled().solved
    # As many KV heads as query heads: W_K is as large as W_Q.
    assert "keys" not in from_hash(State(), "#model=llama-2-7b&part=attention").settled().solved
