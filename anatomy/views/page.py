"""The page's regions: what each element with a region's id holds, as a function of the state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from anatomy.views import (
    cell,
    challenges,
    check,
    comparison,
    compute,
    controls,
    conventions,
    figures,
    footer,
    memory,
    own,
    panel,
    parts,
    try_this,
    where,
)
from anatomy.views.drawing import diagram
from anatomy.views.wording import hooks
from anatomy.visit.state import State

VIEWS: dict[str, Callable[[State], str]] = {
    "model-control": controls.model,
    "length-control": controls.length,
    "drawing": diagram.view,
    "chosen": diagram.chosen,
    "panel": panel.view,
    "parts": parts.view,
    "where": where.view,
    "figures": figures.view,
    "challenges": challenges.view,
    "try-this": try_this.view,
    "cell": cell.view,
    "compute": compute.view,
    "memory": memory.view,
    "conventions": conventions.view,
    "comparison": comparison.view,
    "own": own.view,
    "check": check.view,
    "footer": footer.view,
}

# What answers a reader's input first: the panel, and the length that it is for. All else may follow a frame later.
PROMPT = ("length-control", "panel")

_MODEL = ("model", "own")
_AT = (*_MODEL, "seq_len")
_PART = ("part", "stack", "blocks")
# Links to parts carry what is compared and how costs are counted.
_LINKS = (*_AT, "other", "options")
# The fields of the state that a region says something of; while these stay, it is not drawn again.
READS: dict[str, tuple[str, ...]] = {
    "model-control": (*_MODEL, "notices"),
    "length-control": (*_AT, "notices"),
    "drawing": (*_LINKS, "notices"),
    "chosen": (*_AT, *_PART),
    "panel": (*_AT, *_PART, "changed"),
    "parts": _LINKS,
    "where": _MODEL,
    "figures": _AT,
    "challenges": ("solved",),
    "try-this": (*_LINKS, "visited"),
    "cell": _MODEL,
    "compute": (*_AT, "options", "notices"),
    "memory": (*_AT, "options", "notices"),
    "conventions": (*_AT, "options"),
    "comparison": (*_AT, "other", "notices"),
    "own": (*_MODEL, "draft", "notices"),
    "check": (*_MODEL, "checkpoint", "notices"),
    "footer": _MODEL,
}
_drawn: dict[str, tuple[tuple[object, ...], str]] = {}


def regions(state: State, names: Iterable[str] = tuple(VIEWS)) -> dict[str, str]:
    """The inner markup of every region (or of those named), by the id of its element; no part is marked in it yet.

    >>> '<data value="124439808">124M</data>' in regions(State())["figures"]
    True
    """
    made = {}
    for name in names:
        read = tuple(getattr(state, field) for field in READS[name])
        if name not in _drawn or _drawn[name][0] != read:
            _drawn[name] = (read, str(VIEWS[name](state)))
        made[name] = _drawn[name][1]
    return made


def marked(markup: str, state: State) -> str:
    """A region's markup with the selected part marked wherever it is named, as the page marks it later.

    >>> marked(regions(State())["drawing"], State()).count("aria-current")
    1
    """
    address = "".join(f' {key}="{value}"' for key, value in hooks(state.anatomy, state.selected).items() if value)
    return re.sub(rf"{re.escape(address)}(?! data-(?:stack|blocks)=)", rf'{address} aria-current="true"', markup)
