"""What is read of a state is noted, whichever way it is asked for."""

from dataclasses import fields

import pytest

from anatomy.visit.noted import Noted, unchanged
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model


@pytest.mark.parametrize("field", [field.name for field in fields(State)])
def test_a_field_that_is_read_is_noted_with_what_it_said(field: str) -> None:
    state = choose_model(State(), "llama-3-70b")
    noted = Noted(state)
    assert getattr(noted, field) == getattr(state, field)
    assert noted.read == {field: getattr(state, field)}


def test_so_is_what_properties_and_methods_read() -> None:
    noted = Noted(State())
    assert noted.read == {}
    assert noted.costs.run.per_pass == 1978871808
    assert set(noted.read) == {"model", "seq_len", "options"}
    assert noted.link(noted.anatomy.parts[0]) == "#part=embedding"
    assert set(noted.read) == {"model", "seq_len", "options", "other", "tasks"}
    assert noted.selected.id == "attention"
    assert set(noted.read) == {"model", "seq_len", "options", "other", "tasks", "part", "stack", "blocks"}


def test_what_was_not_read_may_change() -> None:
    assert unchanged({"model": "gpt2", "part": "attention"}, State(seq_len=9, draft="{"))
    assert not unchanged({"model": "gpt2", "part": "attention"}, State(part="mlp"))
