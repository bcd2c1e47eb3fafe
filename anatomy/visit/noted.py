"""What a view reads of the state, noted while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from anatomy.visit.state import State

_FIELDS = frozenset(field.name for field in fields(State))


class Noted(State):
    """A state that notes which of its fields are read, and what they said.

    What was made from it stays as it is while these fields do; but whatever keeps something by the state itself reads
    it once, and is then not seen reading.

    >>> state = Noted(State())
    >>> state.loaded.parameters, state.read
    (124439808, {'model': 'gpt2'})
    """

    read: dict[str, object]

    def __init__(self, state: State) -> None:
        vars(self).update(vars(state), read={})

    def __getattribute__(self, name: str) -> object:
        found = super().__getattribute__(name)
        if name in _FIELDS:
            super().__getattribute__("read")[name] = found
        return found


def unchanged(read: Mapping[str, object], state: State) -> bool:
    """Whether a state says what was read of another.

    >>> unchanged({"model": "gpt2"}, State(seq_len=16)), unchanged({"seq_len": 8}, State(seq_len=16))
    (True, False)
    """
    return {field: getattr(state, field) for field in read} == read
