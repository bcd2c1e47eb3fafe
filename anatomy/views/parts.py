"""Every part as a plain list that opens: what the diagram shows, readable without it and without JavaScript."""

from __future__ import annotations

from functools import lru_cache

from anatomy.report.anatomy import Anatomy, Part
from anatomy.teaching.explanations import explain
from anatomy.views import shapes
from anatomy.views.markup import (
    Safe,
    join,
    symbol,
    tag,
)
from anatomy.views.panel import counts, stored
from anatomy.views.wording import hooks, where
from anatomy.visit.state import State, visit_key
from anatomy.words.formatting import decimal, exact, percent


def view(state: State) -> Safe:
    """The list.

    >>> view(State()).count("<details")
    9
    """
    anatomy = state.anatomy
    told = zip(anatomy.parts, _bodies(anatomy), strict=True)
    items = [_part(state, anatomy, part, body) for part, body in told]
    return join(
        tag(
            "details",
            {"id": "all-parts", "class": "fold"},
            tag("summary", None, tag("h3", {"id": "parts-title"}, "Every part, in order")),
            tag("div", {"class": "list"}, items),
        ),
    )


@lru_cache(maxsize=4)
def _bodies(anatomy: Anatomy) -> tuple[Safe, ...]:
    """What stands below each part's line: the same with whatever it is compared, so it is made once."""
    return tuple(
        join(
            [tag("p", {"class": "reading"}, symbol(text)) for text in explain(anatomy, part)],
            shapes.table(anatomy, part, drawn=False),
            counts(anatomy, part),
            stored(part),
        )
        for part in anatomy.parts
    )


def _part(state: State, anatomy: Anatomy, part: Part, body: Safe) -> Safe:
    key = state.link(part).removeprefix("#")
    # By this id a part that its reader opened is known, and stays open, when T or the model changes.
    ident = f"list-{visit_key(anatomy, part).replace(' ', '_')}"
    # While the list is closed the diagram's links are the one stop for the Tab key; without JavaScript they lead to the
    # body of this part.
    return tag(
        "details",
        {**hooks(anatomy, part), "id": ident, "class": f"g-{part.group}"},
        _summary(anatomy, part),
        tag("div", {"class": "body", "id": key}, body),
    )


def _summary(anatomy: Anatomy, part: Part) -> Safe:
    place = where(anatomy, part)
    width = f"{decimal(part.share * 100, 1)}%"
    return tag(
        "summary",
        {**hooks(anatomy, part), "data-action": "part"},
        tag("span", {"class": "key"}),
        tag("span", {"class": "name"}, part.label, tag("span", {"class": "more"}, place) if place else None),
        tag("span", {"class": "exact"}, exact(part.parameters)),
        tag("svg", {"class": "share", "width": "100%", "height": 6, "aria-hidden": "true"}, _bar(width)),
        tag("span", {"class": "percent"}, percent(part.share)),
    )


def _bar(width: str) -> Safe:
    return join(
        tag("rect", {"class": "track", "width": "100%", "height": 6, "rx": 3}),
        tag("rect", {"class": "fill", "width": width, "height": 6, "rx": 1}),
    )
