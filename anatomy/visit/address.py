"""What a location hash asks of the page; ``State.to_hash`` says it back."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl

from anatomy.model import switches
from anatomy.reading.config import shown
from anatomy.visit.state import MODEL, PART, SEQ_LEN, State
from anatomy.visit.steps import choose_model, choose_other, choose_seq_len, choose_tasks, select_part, with_part

# What a hash says; the rest of a state lives as long as the page.
_IN_HASH = ("model", "seq_len", "part", "stack", "blocks", "other", "tasks")
_KEYS = ("model", "t", "part", "stack", "blocks", "with", "challenges", *switches.KEYS.values())


def from_hash(state: State, text: str) -> State:
    """The state that a location hash asks for: what it leaves out is the default; what is wrong keeps the last good.

    >>> from_hash(State(), "#model=llama-3-70b&t=8192&part=mlp").selected.parameters
    56371445760
    >>> from_hash(State(seq_len=16), "#t=0").seq_len
    16
    """
    if text.strip("#") and "=" not in text:
        return state  # it names a place on the page, such as #panel
    keys = dict(parse_qsl(text.removeprefix("#"), keep_blank_values=True))
    unknown = [key for key in keys if key not in _KEYS]
    if len(unknown) == len(keys) > 0:
        said = f"The link says {shown(unknown[0])}, which means nothing here; links may say {', '.join(_KEYS)}."
        return replace(state, notices={MODEL: f"{said} The page still shows {state.loaded.name}."}, changed="")
    options, notices = switches.from_keys(keys)
    # T and the part are the hash's own or the default, never carried over; the name is told of the model before.
    usual = {name: getattr(State(), name) for name in _IN_HASH} | {"model": state.model}
    moved = choose_model(replace(state, **usual, options=options, notices={}), keys.get("model", State().model))
    if MODEL in moved.notices:
        notices[MODEL] = moved.notices[MODEL]
        moved = replace(state, options=options)
    moved = replace(moved, notices={})
    if "t" in keys:
        counted = choose_seq_len(moved, keys["t"])
        if SEQ_LEN in counted.notices and moved.model == state.model:
            moved = replace(moved, seq_len=state.seq_len)
            counted = choose_seq_len(moved, keys["t"])
        notices.update(counted.notices)
        moved = replace(counted, notices={})
    if "part" in keys:
        selected = select_part(moved, keys["part"], keys.get("stack"), keys.get("blocks"))
        if PART in selected.notices and moved.model == state.model:
            selected = replace(with_part(moved, state.part, state.stack, state.blocks), notices=selected.notices)
        notices.update(selected.notices)
        moved = replace(selected, notices={})
    # These two mark nothing as changed: a deep link is no change.
    compared = choose_other(replace(moved, other=None), keys.get("with"))
    tasks = choose_tasks(replace(compared, tasks=()), keys.get("challenges", ""))
    return replace(tasks, notices={**notices, **tasks.notices})
