"""What stands below the page's title: what a model of the chosen kind is for."""

from __future__ import annotations

from anatomy.teaching.purpose import purpose
from anatomy.views.markup import Safe, join
from anatomy.visit.state import State


def view(state: State) -> Safe:
    """Two sentences on what the chosen model is for.

    >>> "every possible next token" in view(State())
    True
    """
    return join(purpose(state.loaded))
