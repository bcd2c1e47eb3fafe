"""Switches of the costs: selects and a number, all native, each with a stable id and a hash key."""

from __future__ import annotations

from collections.abc import Mapping

from anatomy.model.switches import DECODE, LAST, MAX_BATCH, last_only
from anatomy.views.controls import notice
from anatomy.views.markup import Safe, join, tag
from anatomy.visit.state import State
from anatomy.words.remarks import DTYPES, RUNS, SQUARES, UNEMBEDDINGS

ACTION = "option"


def view(state: State) -> Safe:
    """All switches of the costs: what runs and how it is counted, in which number types, for how many sequences.

    >>> '<option value="decode">' in view(State())
    True
    """
    options, model = state.costs.options, state.loaded
    no_decode = {} if model.decodes else {DECODE: "it sees the whole text at once and writes no next token"}
    may = last_only(options, model)
    no_last: Mapping[str, str] = {} if may else {LAST: _why_not_last(state)}
    return join(
        select("run", "What runs", options.run, _said(RUNS), no_decode),
        select("square", "Attention square", options.square, _said(SQUARES)),
        select("unembedding", "Unembedding at", options.unembedding, _said(UNEMBEDDINGS), no_last),
        select("weights", "Weights in", options.weights, DTYPES),
        select("cache", "KV cache in", options.cache, DTYPES),
        batch(state),
    )


def _why_not_last(state: State) -> str:
    run = state.costs.options.run
    if not state.loaded.decodes:
        return "nothing is sampled from this model"
    if run == DECODE:
        return "a decode step has one position"
    return "a training step has a target at every position" if run != "prefill" else "this class has no unembedding"


def select(
    switch: str, label: str, chosen: str, words: Mapping[str, str], impossible: Mapping[str, str] | None = None
) -> Safe:
    """A select with its label; ``impossible`` says of a choice why this model does not offer it.

    >>> from anatomy.words.remarks import DTYPES
    >>> '<option value="bf16" selected>' in select("weights", "Weights in", "bf16", DTYPES)
    True
    """
    why = impossible or {}
    options = [
        tag(
            "option",
            {"value": value, "selected": value == chosen, "disabled": value in why},
            f"{word.partition(':')[0]}: {why[value]}" if value in why else word,
        )
        for value, word in words.items()
    ]
    named = {"id": switch, "name": switch, "data-action": ACTION, "autocomplete": "off"}
    return tag("div", {"class": "control"}, tag("label", {"for": switch}, label), tag("select", named, options))


def _said(words: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    return {value: f"{word}: {said}" for value, (word, said) in words.items()}


def batch(state: State) -> Safe:
    """How many sequences at once, with what was last refused."""
    number = tag(
        "input",
        {"type": "number", "id": "batch", "name": "batch", "min": 1, "max": MAX_BATCH, "step": 1},
        value=state.options.batch,
        inputmode="numeric",
        data_action=ACTION,
        autocomplete="off",
        aria_describedby="batch-notice",
    )
    label = tag("label", {"for": "batch"}, "Batch, in sequences")
    return join(tag("div", {"class": "control"}, label, number, notice(state, "batch")))
