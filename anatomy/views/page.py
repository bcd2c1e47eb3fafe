"""The page's regions: what each element with a region's id holds, as a function of the state."""

from __future__ import annotations

from collections.abc import Callable

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


def regions(state: State) -> dict[str, str]:
    """The inner markup of every region, by the id of its element.

    >>> '<data value="124439808">124M</data>' in regions(State())["figures"]
    True
    """
    return {name: str(view(state)) for name, view in VIEWS.items()}
