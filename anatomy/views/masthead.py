"""What stands below the page's title: what a model of the chosen kind is for."""

from __future__ import annotations

from anatomy.teaching.purpose import purpose
from anatomy.views.markup import Safe, join, tag
from anatomy.visit.state import State
from anatomy.words.labels import without


def view(state: State) -> Safe:
    """Two sentences on what the chosen model is for.

    >>> "every possible next token" in view(State())
    True
    """
    said = without(state.loaded)
    counted = [" ", tag("strong", None, f"Counted is {state.loaded.name}{said}.")] if said else []
    return join(purpose(state.loaded), *counted)
