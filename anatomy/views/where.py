"""Where the parameters live: a bar, and a table with the same figures."""

from __future__ import annotations

from fractions import Fraction

from anatomy.report.anatomy import Group, groups_of
from anatomy.views.markup import (
    Safe,
    data,
    join,
    tag,
)
from anatomy.views.workings import disclosed, formula
from anatomy.visit.state import State
from anatomy.words.formatting import (
    decimal,
    exact,
    percent,
    rounded,
    short,
)

# From this share on a percentage fits into its piece of the bar on a phone.
ROOM = Fraction(12, 100)


def view(state: State) -> Safe:
    """The heading, the bar and the table of groups.

    >>> "Where GPT-2 small’s <data" in view(State())
    True
    """
    # Of the model alone: it is the same at every T.
    model = state.loaded
    groups = groups_of(model)
    return join(
        tag(
            "h2",
            {"id": "where-title"},
            f"Where {model.name}’s ",
            data(model.parameters, exact(model.parameters)),
            " parameters live",
        ),
        _bar(groups),
        _table(groups, model.parameters),
        _workings(groups, model.parameters),
    )


def _workings(groups: tuple[Group, ...], held: int) -> Safe:
    found = []
    for group in groups:
        share = tag("p", None, f"{_exactly(group.share)} of {exact(held)}.")
        counted = formula(group.working, "parameters")
        found.append(tag("div", {"class": f"g-{group.id}"}, tag("h3", None, group.label), counted, share))
    return disclosed("w-groups", "How these are counted", found)


def _exactly(share: Fraction) -> str:
    return f"{decimal(share * 100, 4)}%"


def _bar(groups: tuple[Group, ...]) -> Safe:
    # Percentages as SVG lengths: the policy of the page allows no style attributes.
    pieces, at = [], Fraction(0)
    for group in groups:
        start, wide = f"{decimal(at * 100, 2)}%", f"{decimal(group.share * 100, 2)}%"
        middle = f"{decimal((at + group.share / 2) * 100, 2)}%"
        worded = tag("text", {"x": middle, "y": 25, "text-anchor": "middle"}, percent(group.share))
        pieces.append(
            tag(
                "g",
                {"class": f"piece g-{group.id}", "data-piece": group.id},
                tag("rect", {"x": start, "y": 0, "width": wide, "height": 40}),
                worded if group.share >= ROOM else None,
            )
        )
        at += group.share
    cuts, at = [], Fraction(0)
    for group in groups[:-1]:
        at += group.share
        place = f"{decimal(at * 100, 2)}%"
        cuts.append(tag("line", {"class": "cut", "x1": place, "x2": place, "y1": 0, "y2": 40}))
    return tag("svg", {"class": "bar", "width": "100%", "height": 40, "aria-hidden": "true"}, pieces, cuts)


def _table(groups: tuple[Group, ...], held: int) -> Safe:
    rows = [
        tag(
            "tr",
            {"class": f"g-{group.id}", "data-group": group.id},
            tag("th", {"scope": "row"}, tag("span", {"class": "key"}), group.label),
            tag("td", {"class": "exact"}, exact(group.parameters)),
            tag("td", None, data(group.parameters, short(group.parameters))),
            tag("td", {"title": _exactly(group.share)}, percent(group.share)),
        )
        for group in groups
    ]
    inexact = rounded(group.share for group in groups)
    share = ["100%", tag("span", {"class": "more"}, "rounded")] if inexact else ["100%"]
    totals = tag(
        "tr",
        None,
        tag("th", {"scope": "row"}, "Total"),
        tag("td", {"class": "exact"}, exact(held)),
        tag("td", None, data(held, short(held))),
        tag("td", None, share),
    )
    heads = (("Group", None), ("Exactly", "exact"), ("Parameters", None), ("Share", None))
    return tag(
        "table",
        {"class": "groups", "aria-labelledby": "where-title"},
        tag(
            "thead", None, tag("tr", None, [tag("th", {"scope": "col", "class": style}, word) for word, style in heads])
        ),
        tag("tbody", None, rows),
        tag("tfoot", None, totals),
    )
