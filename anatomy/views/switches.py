"""Switches of the costs: radio buttons, selects and a number, all native, each with a stable id and a hash key."""

from __future__ import annotations

from collections.abc import Mapping

from anatomy.model.switches import MAX_BATCH
from anatomy.views.controls import notice
from anatomy.views.markup import Safe, join, tag
from anatomy.visit.state import State

ACTION = "option"


def radios(
    switch: str, legend: str, chosen: str, words: Mapping[str, tuple[str, str]], impossible: Mapping[str, str]
) -> Safe:
    """A group of radio buttons; ``impossible`` says of a choice why this model does not offer it.

    >>> from anatomy.words.remarks import SQUARES
    >>> 'id="square-causal"' in radios("square", "Attention square", "full", SQUARES, {})
    True
    """
    return tag(
        "fieldset",
        {"class": "switch", "id": switch},
        tag("legend", None, legend),
        [_radio(switch, value, value == chosen, *said, impossible.get(value, "")) for value, said in words.items()],
    )


def _radio(switch: str, value: str, checked: bool, word: str, said: str, impossible: str) -> Safe:
    ident = f"{switch}-{value}"
    button = tag(
        "input",
        {"type": "radio", "id": ident, "name": switch, "value": value, "checked": checked},
        disabled=bool(impossible),
        data_action=ACTION,
        autocomplete="off",
        aria_describedby=f"{ident}-said",
    )
    hint = tag("span", {"class": "hint", "id": f"{ident}-said"}, impossible or said)
    return tag("div", {"class": "choice"}, button, tag("label", {"for": ident}, word), hint)


def select(switch: str, label: str, chosen: str, words: Mapping[str, str]) -> Safe:
    """A select with its label.

    >>> from anatomy.words.remarks import DTYPES
    >>> '<option value="bf16" selected>' in select("weights", "Weights in", "bf16", DTYPES)
    True
    """
    options = [tag("option", {"value": value, "selected": value == chosen}, word) for value, word in words.items()]
    named = {"id": switch, "name": switch, "data-action": ACTION, "autocomplete": "off"}
    return tag("div", {"class": "control"}, tag("label", {"for": switch}, label), tag("select", named, options))


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
