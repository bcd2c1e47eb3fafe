"""The page's regions: what each element with a region's id holds, as a function of the state."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from anatomy.views import (
    bar,
    cell,
    challenges,
    check,
    comparison,
    compute,
    controls,
    conventions,
    figures,
    footer,
    masthead,
    memory,
    own,
    panel,
    parts,
    switches,
    try_this,
    where,
)
from anatomy.views.drawing import diagram
from anatomy.views.wording import hooks
from anatomy.visit.noted import Noted, unchanged
from anatomy.visit.state import State

VIEWS: dict[str, Callable[[State], str]] = {
    "purpose": masthead.view,
    "model-control": controls.model,
    "length-control": controls.length,
    "bar-size": bar.size,
    "bar-rest": bar.rest,
    "told": bar.line,
    "drawing": diagram.view,
    "panel": panel.view,
    "where": where.view,
    "figures": figures.view,
    "challenges": challenges.view,
    "try-this": try_this.view,
    "more-challenges": challenges.more,
    "cell": cell.view,
    "switches": switches.view,
    "compute": compute.view,
    "memory": memory.view,
    "comparison": comparison.view,
    "own": own.view,
    "check": check.view,
    "conventions": conventions.view,
    "parts": parts.view,
    "footer": footer.view,
}

# What answers a reader's input first: the line that tells, the length (a slider steps from where it stands) and the
# panel. All else may follow a frame later.
PROMPT = ("told", "length-control", "bar-rest", "panel")

# Each region as it was last made, with what it then read of the state (a `Noted` state records which of its fields a
# view reads): it is made again when something of that changes.
_made: dict[str, tuple[Mapping[str, object], str]] = {}


def regions(state: State, names: Iterable[str] = tuple(VIEWS)) -> dict[str, str]:
    """The inner markup of every region (or of those named), by the id of its element; no part is marked in it yet.

    >>> '<data value="124439808">124M</data>' in regions(State())["figures"]
    True
    """
    made = {}
    for name in names:
        if name not in _made or not unchanged(_made[name][0], state):
            noted = Noted(state)
            markup = str(VIEWS[name](noted))
            _made[name] = noted.read, markup
        made[name] = _made[name][1]
    return made


def marked(markup: str, state: State) -> str:
    """A region's markup with the selected part marked wherever it is named, as the page marks it later.

    >>> marked(regions(State())["drawing"], State()).count("aria-current")
    1
    """
    address = "".join(f' {key}="{value}"' for key, value in hooks(state.anatomy, state.selected).items() if value)
    return re.sub(rf"{re.escape(address)}(?! data-(?:stack|blocks)=)", rf'{address} aria-current="true"', markup)
