"""The page's regions: what each element with a region's id holds, as a function of the state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from anatomy.state import State
from anatomy.views import (
    cell,
    challenges,
    check,
    comparison,
    compute,
    controls,
    conventions,
    diagram,
    figures,
    footer,
    memory,
    own,
    panel,
    parts,
    try_this,
    where,
)

VIEWS: dict[str, Callable[[State], str]] = {
    "controls": controls.view,
    "diagram": diagram.view,
    "panel": panel.view,
    "parts": parts.view,
    "where": where.view,
    "figures": figures.view,
    "compute": compute.view,
    "memory": memory.view,
    "conventions": conventions.view,
    "comparison": comparison.view,
    "challenges": challenges.view,
    "try-this": try_this.view,
    "cell": cell.view,
    "own": own.view,
    "check": check.view,
    "footer": footer.view,
}


# Regions that say nothing of the selected part, of progress, of what changed or of the visitor's files: they are drawn
# from a state without these, so a click on a part finds them as they were.
STEADY = frozenset({"where", "figures", "compute", "memory", "conventions", "footer"})
_drawn: dict[str, tuple[State, str]] = {}
# The costly ones far down the page: a browser may draw them after the answer to a click is painted.
UNHURRIED = ("compute", "memory", "conventions", "footer")
PROMPT = tuple(name for name in VIEWS if name not in UNHURRIED)


def regions(state: State, names: Iterable[str] = tuple(VIEWS)) -> dict[str, str]:
    """The inner markup of every region (or of those named), by the id of its element.

    >>> '<data value="124439808">124M</data>' in regions(State())["figures"]
    True
    """
    usual = State()
    steady = replace(
        state,
        **{name: getattr(usual, name) for name in ("part", "stack", "blocks", "visited", "solved", "changed")},
        **{name: getattr(usual, name) for name in ("other", "draft", "checkpoint")},
    )
    return {name: _steady(name, steady) if name in STEADY else str(VIEWS[name](state)) for name in names}


def _steady(name: str, state: State) -> str:
    kept = _drawn.get(name)
    if kept is None or kept[0] != state:
        kept = _drawn[name] = (state, str(VIEWS[name](state)))
    return kept[1]
