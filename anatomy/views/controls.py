"""The controls: which model, and how many tokens it reads."""

from __future__ import annotations

from itertools import groupby

from anatomy import catalog
from anatomy.views.markup import Attributes, Safe, tag
from anatomy.visit.own import OWN_NAME, OWN_SLUG
from anatomy.visit.state import MODEL, SEQ_LEN, State
from anatomy.words.formatting import exact

# Lengths worth a button: the default, a sentence, a page; the longest of the model comes after them.
STOPS = (8, 128, 1024, 8192)


def model(state: State) -> Safe:
    """The model picker, with what it last refused.

    >>> '<option value="gpt2" selected>GPT-2 small</option>' in model(State())
    True
    """
    entries = catalog.entries().values()
    options = [
        tag(
            "optgroup",
            {"label": maker},
            [tag("option", {"value": one.slug, "selected": one.slug == state.model}, one.name) for one in listed],
        )
        for maker, listed in groupby(entries, key=lambda entry: entry.maker)
    ]
    if state.own:
        own = tag("option", {"value": OWN_SLUG, "selected": state.model == OWN_SLUG}, OWN_NAME)
        options.insert(0, tag("optgroup", {"label": "Yours"}, own))
    return tag(
        "div",
        {"class": "control"},
        tag("label", {"for": "model"}, "Model"),
        tag("select", {"id": "model", "aria-describedby": "model-notice", "autocomplete": "off"}, options),
        notice(state, MODEL),
    )


def length(state: State) -> Safe:
    """The controls of T: a field, a slider and usual lengths, with what was last refused.

    >>> 'aria-valuetext="T = 8"' in length(State())
    True
    """
    longest, fixed = state.anatomy.longest, "tokens" in state.loaded.fixed_lengths
    now = state.seq_len
    shared: Attributes = {"min": 1, "max": longest, "step": 1, "value": now, "disabled": fixed, "autocomplete": "off"}
    described: Attributes = {"aria-describedby": "seq-len-hint seq-len-notice"}
    bounds = f"fixed at {exact(longest)} by this model" if fixed else f"1 to {exact(longest)}"
    said = f"T = {exact(now)}"
    stops = [stop for stop in STOPS if stop < longest] + [longest]
    return tag(
        "div",
        {"class": "control wide"},
        tag("label", {"for": "seq-len"}, "Sequence length ", tag("i", None, "T"), ", in tokens"),
        tag("span", {"id": "seq-len-hint", "class": "hint"}, bounds),
        tag(
            "div",
            {"class": "lengths"},
            tag("input", {"id": "seq-len", "type": "number", "inputmode": "numeric", **shared, **described}),
            tag(
                "input",
                {"id": "seq-len-slider", "type": "range", **shared, "aria-label": "Sequence length T, coarse"},
                aria_valuetext=said,
            ),
            None if fixed else _stops(stops, now),
        ),
        notice(state, SEQ_LEN),
    )


def _stops(stops: list[int], now: int) -> Safe:
    buttons = [
        tag(
            "button",
            {"type": "button", "id": f"stop-{stop}", "data-action": "seq-len", "data-value": stop},
            exact(stop),
            aria_pressed="true" if stop == now else "false",
        )
        for stop in stops
    ]
    return tag("div", {"class": "stops", "role": "group", "aria-label": "Usual lengths"}, buttons)


def notice(state: State, control: str) -> Safe:
    """What a control refused, in a place that is always there, so that a change of it is announced."""
    said = state.notices.get(control, "")
    return tag("p", {"id": f"{control}-notice", "class": "notice", "role": "status"}, said)
