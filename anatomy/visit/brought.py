"""What a visitor brings along: a configuration of their own, the files of a checkpoint, and what becomes of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from anatomy.catalog import DEFAULT_MODEL
from anatomy.checkpoint import CheckpointError, assemble
from anatomy.checkpoint.headers import Index, Shard
from anatomy.reading.config import (
    MAX_BYTES,
    AnatomyError,
    ConfigError,
    shown,
)
from anatomy.reading.strict_json import nesting
from anatomy.visit.own import OWN_SLUG, read_own
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model

# The controls that a notice can stand beside.
OWN, CHECK = "own-config", "check-checkpoint"
# A page must stay alive while it reads: a header of 100,000 tensors has some 12 MB.
MAX_HEADER = 16_000_000
INDEX = ".index.json"
# Far more than the names of all challenges take.
_MAX_SOLVED = 10_000


def own_config(state: State, text: str, source: str = "config.json") -> State:
    """The visitor's configuration as the model; what cannot be read is said, and the model before it stays.

    >>> own_config(State(), '{"model_type": "gpt9"}').notices["own-config"].partition(";")[0]
    'config.json: model_type is "gpt9"'
    """
    if not text.strip():
        return replace(state, draft="", notices=_without(state, OWN), changed="")
    try:
        own = read_own(text, source)
    except AnatomyError as error:
        # The field keeps what was typed, unless the page would crawl with it.
        draft = text if len(text) <= 4 * MAX_BYTES else ""
        return replace(state, draft=draft, notices={**state.notices, OWN: str(error)}, changed="")
    # Parts of an earlier configuration were visited in another model.
    visited = frozenset(one for one in state.visited if one[0] != OWN_SLUG)
    return choose_model(replace(state, own=own, draft="", visited=visited, notices={}), OWN_SLUG)


def too_long(state: State, source: str, size: int) -> State:
    """The state after a configuration file that is not even read."""
    error = ConfigError(source, None, f"the file holds {size:,} bytes", f"at most {MAX_BYTES:,} bytes")
    return refused(state, OWN, str(error))


def without_own(state: State) -> State:
    """The state without the visitor's configuration: where it was shown or compared with, the default is again."""
    other = None if state.other == OWN_SLUG else state.other
    state = choose_model(state, DEFAULT_MODEL) if state.model == OWN_SLUG else replace(state, changed="")
    visited = frozenset(one for one in state.visited if one[0] != OWN_SLUG)
    return replace(state, own=None, draft="", other=other, visited=visited, notices=_without(state, OWN))


def with_own(state: State, text: str) -> State:
    """The state with a configuration from an earlier visit on offer; one that can no longer be read is dropped."""
    try:
        return replace(state, own=read_own(text))
    except AnatomyError:
        return state


def solved(text: str) -> frozenset[str]:
    """The challenges that an earlier visit solved, from the text that it kept; none where that is no such text.

    >>> sorted(solved('["mlp", "tied"]')), solved("[[")
    (['mlp', 'tied'], frozenset())
    """
    if len(text) > _MAX_SOLVED or nesting(text.encode(errors="replace")) > 1:
        return frozenset()
    try:
        kept = json.loads(text)
    except ValueError:
        return frozenset()
    return frozenset(one for one in kept if isinstance(one, str)) if isinstance(kept, list) else frozenset()


def check_files(state: State, shards: Sequence[Shard], indexes: Sequence[Index]) -> State:
    """The visitor's files as one checkpoint, held against whatever model the page shows.

    >>> shard = Shard("model.safetensors", (), {})
    >>> check_files(State(), [shard], []).checkpoint.files
    ('model.safetensors',)

    Raises ``CheckpointError`` where they are not those of one checkpoint.
    """
    try:
        if len(indexes) > 1:
            found = f"{len(indexes)} indexes were given at once"
            raise CheckpointError(indexes[1].file, found, "the files of one checkpoint")
        checkpoint = assemble(shards, indexes[0] if indexes else None)
    except CheckpointError as error:
        return refused(state, CHECK, str(error))
    return replace(state, checkpoint=checkpoint, notices=_without(state, CHECK), changed="")


def without_checkpoint(state: State) -> State:
    """The state with no checkpoint to report on."""
    return replace(state, checkpoint=None, notices=_without(state, CHECK), changed="")


def folder(name: str) -> str:
    """The sentence for a folder that was dropped: a page is given its files only."""
    return f"{shown(name)} is a folder; drop the files inside it instead."


def unreadable(name: str, reason: str) -> str:
    """The sentence for a file that the browser cannot read."""
    return f"{shown(name)} cannot be read ({reason}); it may have moved since it was chosen."


def refused(state: State, control: str, said: str) -> State:
    """The state as it was, with a sentence beside a control."""
    return replace(state, notices={**state.notices, control: said}, changed="")


def _without(state: State, control: str) -> dict[str, str]:
    return {one: said for one, said in state.notices.items() if one != control}
