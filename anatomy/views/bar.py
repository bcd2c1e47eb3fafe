"""The bar that stays in sight: the headline figures in short, each opening its working; and the line below it."""

from __future__ import annotations

from anatomy.views.controls import slider
from anatomy.views.figures import Figure, headline
from anatomy.views.markup import Safe, data, join, tag
from anatomy.views.panel import said
from anatomy.views.workings import formula
from anatomy.visit import told
from anatomy.visit.state import PART, State

# What the figures are called where there is little room.
SHORT = {"parameters": "parameters", "flops": "FLOPs/token", "kv-cache": "KV cache"}


def size(state: State) -> Safe:
    """The number of parameters, which stays in the bar on the smallest screen.

    >>> '<data value="124439808">124M</data>' in size(State())
    True
    """
    return _opened(next(one for one in headline(state) if one.id == "parameters"))


def rest(state: State) -> Safe:
    """The slider and the other headline figures.

    >>> '<data value="294912">295 KB</data>' in rest(State())
    True
    """
    return join(slider(state), [_opened(one) for one in headline(state) if one.id in ("flops", "kv-cache")])


def line(state: State) -> Safe:
    """What the page has to say of the last act.

    >>> line(State())
    ''
    """
    words = told.said(state)
    if state.changed == PART:
        return join(f"{said(state.anatomy, state.selected)}. {words}".strip())
    return join(words)


def _opened(one: Figure) -> Safe:
    # A popover closes by Escape and by a click elsewhere, and lies above what it would else push aside.
    ident = f"bar-{one.id}"
    return join(
        tag(
            "button",
            {"type": "button", "class": "headline", "popovertarget": ident, "data-headline": one.id},
            data(one.value, one.text),
            " ",
            tag("span", {"class": "unit"}, SHORT[one.id]),
        ),
        tag(
            "div",
            {"id": ident, "class": "working pop", "popover": "auto"},
            tag("p", {"class": "reading"}, one.convention),
            formula(one.working, one.unit),
        ),
    )
