"""What the page says after an act, in a line: what was refused, solved or changed; it is gone at the next act."""

from __future__ import annotations

from anatomy.teaching.challenges import FIRST, Challenge
from anatomy.teaching.further import CHALLENGES
from anatomy.visit.state import MODEL, PART, SEQ_LEN, TASKS, State
from anatomy.words.formatting import exact, operations, short, size_in_bytes

# Notices of controls in the bar, or of the address; those of other controls stand beside them.
IN_THE_BAR = (MODEL, SEQ_LEN, PART, TASKS)


def said(state: State) -> str:
    """The line for a state; empty where the last act needs no words.

    >>> from anatomy.visit.steps import choose_seq_len
    >>> said(choose_seq_len(State(), "1024"))
    'T = 1,024: 0.28 G FLOPs per token, KV cache 37.7 MB.'
    """
    notices = [state.notices[control] for control in IN_THE_BAR if control in state.notices]
    solved = [f"Solved{_which(one)}: {state.solved[one.id]}." for one in CHALLENGES if one.id in state.fresh]
    return " ".join([*notices, *solved, _changed(state)]).strip()


def _which(challenge: Challenge) -> str:
    return "" if challenge in FIRST else ", one of the further challenges"


def _changed(state: State) -> str:
    if state.changed == SEQ_LEN:
        return f"T = {exact(state.seq_len)}: {_costs(state)}."
    if state.changed == MODEL:
        model = state.loaded
        return f"{model.name}: {short(model.parameters)} parameters; at T = {exact(state.seq_len)} {_costs(state)}."
    return ""


def _costs(state: State) -> str:
    anatomy = state.anatomy
    cache = f", KV cache {size_in_bytes(anatomy.kv_bytes)}" if anatomy.kv_bytes is not None else ""
    return f"{operations(anatomy.forward(state.options.square).per_token)} FLOPs per token{cache}"
