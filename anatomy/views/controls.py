"""The controls: which model, and how many tokens it reads."""

from __future__ import annotations

from itertools import groupby

from anatomy import catalog
from anatomy.views.markup import Attributes, Safe, tag
from anatomy.visit.lengths import step_of, steps
from anatomy.visit.own import OWN_NAME, OWN_SLUG
from anatomy.visit.state import State
from anatomy.words.formatting import exact

_LONG = tag("span", {"class": "visually-hidden"}, "Sequence length ")


def model(state: State) -> Safe:
    """The model picker.

    >>> '<option value="gpt2" selected>GPT-2 small</option>' in model(State())
    True
    """
    entries = catalog.entries()
    # Each once: arrow keys walk through the list, and would be led back to where a model stands first.
    others = [entry for slug, entry in entries.items() if slug not in catalog.START_HERE]
    makers = groupby(others, key=lambda entry: entry.maker)
    groups = [
        ("Start here", [entries[slug] for slug in catalog.START_HERE]),
        *((name, list(of)) for name, of in makers),
    ]
    options = [
        tag(
            "optgroup",
            {"label": label},
            [tag("option", {"value": one.slug, "selected": one.slug == state.model}, one.name) for one in listed],
        )
        for label, listed in groups
    ]
    if state.own:
        own = tag("option", {"value": OWN_SLUG, "selected": state.model == OWN_SLUG}, OWN_NAME)
        options.insert(0, tag("optgroup", {"label": "Yours"}, own))
    return tag(
        "div",
        {"class": "control"},
        tag("label", {"for": "model", "class": "visually-hidden"}, "Model"),
        tag("select", {"id": "model", "aria-describedby": "told", "autocomplete": "off"}, options),
    )


def length(state: State) -> Safe:
    """The field of T.

    >>> 'max="1024"' in length(State())
    True
    """
    longest, fixed = state.anatomy.longest, "tokens" in state.loaded.fixed_lengths
    bounds = f"fixed at {exact(longest)} by this model" if fixed else f"1 to {exact(longest)}"
    field: Attributes = {"id": "seq-len", "type": "number", "inputmode": "numeric", "min": 1, "max": longest, "step": 1}
    return tag(
        "div",
        {"class": "control"},
        tag("label", {"for": "seq-len", "title": "Sequence length"}, _LONG, tag("i", None, "T")),
        tag("input", {**field, "value": state.seq_len, **_settled(fixed), "aria-describedby": "seq-len-hint told"}),
        tag("span", {"id": "seq-len-hint", "class": "visually-hidden"}, f"in tokens, {bounds}"),
    )


def slider(state: State) -> Safe:
    """The slider of T: its steps are even by ratio, and a T between two of them stays as it was typed.

    >>> 'max="19" step="1" value="5"' in slider(State())
    True
    """
    longest, fixed = state.anatomy.longest, "tokens" in state.loaded.fixed_lengths
    last, now = max(1, len(steps(longest)) - 1), step_of(state.seq_len, longest)
    scale: Attributes = {"min": 0, "max": last, "step": 1, "value": now}
    said: Attributes = {"aria-label": "Sequence length T, coarse", "aria-valuetext": f"T = {exact(state.seq_len)}"}
    return tag(
        "span",
        {"class": "slider", "title": f"fixed at {exact(longest)} by this model" if fixed else None},
        tag("input", {"id": "seq-len-slider", "type": "range", **scale, **_settled(fixed), **said}),
        tag("span", {"class": "hint", "aria-hidden": "true"}, f"{'always' if fixed else 'to'} {exact(longest)}"),
    )


def _settled(fixed: bool) -> Attributes:
    return {"disabled": fixed, "autocomplete": "off"}


def notice(state: State, control: str) -> Safe:
    """What a control refused, in a place that is always there, so that a change of it is announced."""
    said = state.notices.get(control)
    return tag("p", {"id": f"{control}-notice", "class": "notice", "role": "status"}, said)
