"""Two models side by side: a picker for the second, bars on one scale, one table, and what differs in kind."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby

from anatomy import catalog
from anatomy.model.terms import Number
from anatomy.report.anatomy import Anatomy
from anatomy.report.comparison import (
    Comparison,
    Line,
    common_seq_len,
    compare,
)
from anatomy.views.markup import (
    Child,
    Safe,
    data,
    join,
    plain,
    tag,
)
from anatomy.visit.own import OWN_NAME, OWN_SLUG
from anatomy.visit.state import OTHER, State
from anatomy.words.formatting import (
    decimal,
    exact,
    operations,
    percent,
    ratio,
    rounded,
    short,
    size_in_bytes,
)

# The lines whose numbers are operations, and those that are bytes.
_OPERATIONS = ("flops", "decode-flops")
_BYTES = ("weights-bytes", "kv-per-token", "kv-cache")


def view(state: State) -> Safe:
    """The picker and, where a second model is chosen, the comparison.

    >>> from anatomy.visit.steps import choose_other
    >>> "share 8 KV heads" in view(choose_other(State(), "llama-3-70b"))
    True
    """
    return join(
        tag("h2", {"id": "comparison-title"}, "Two models side by side"),
        tag(
            "div",
            {"class": "control"},
            tag("label", {"for": "with"}, f"Compare {state.loaded.called} with"),
            tag("select", {"id": "with", "aria-describedby": "with-notice", "autocomplete": "off"}, _options(state)),
            tag("p", {"id": "with-notice", "class": "notice", "role": "status"}, state.notices.get(OTHER)),
        ),
        tag("div", {"id": "side-by-side"}, _compared(state, state.other) if state.other else None),
    )


def _options(state: State) -> list[Safe]:
    chosen = state.other
    options = [tag("option", {"value": "", "selected": chosen is None}, "no other model")]
    if state.own:
        options.append(tag("option", {"value": OWN_SLUG, "selected": chosen == OWN_SLUG}, OWN_NAME))
    for maker, entries in groupby(catalog.entries().values(), key=lambda entry: entry.maker):
        listed = [tag("option", {"value": one.slug, "selected": one.slug == chosen}, one.name) for one in entries]
        options.append(tag("optgroup", {"label": maker}, listed))
    return options


def _compared(state: State, slug: str) -> Child:
    first, second = state.loaded, state.model_of(slug)
    seq_len = common_seq_len(first, second, state.seq_len)
    if seq_len is None:
        return tag("p", None, f"{first.name} and {second.name} run at no common sequence length.")
    side = compare(first, second, seq_len)
    moved = f" {second.name} does not run at {exact(state.seq_len)}." if seq_len != state.seq_len else ""
    return [
        tag("p", {"class": "note"}, "Both at ", tag("i", None, "T"), f" = {exact(seq_len)}.{moved} {side.direction}"),
        _bars(side),
        _table(side),
        tag("h3", None, "What differs in kind"),
        tag("ul", {"class": "contrasts"}, [tag("li", None, one.sentence) for one in side.contrasts])
        if side.contrasts
        else tag("p", None, "Nothing: the two differ in size only."),
    ]


def _bars(side: Comparison) -> Safe:
    """A bar for each model, as long as its total on the scale of both; then each bar's shares, all of one length."""
    largest = max(side.first.model.parameters, side.second.model.parameters)
    rows = []
    for anatomy in (side.first, side.second):
        model = anatomy.model
        total = Fraction(model.parameters, largest)
        rows.append(
            tag(
                "div",
                {"class": "side"},
                tag("p", {"class": "bar-name"}, f"{model.name}: ", data(model.parameters, short(model.parameters))),
                _bar(anatomy, total, "scaled", 14),
                _bar(anatomy, Fraction(1), "shares", 30),
            )
        )
    said = "Above on one scale: as long as the model is large. Below: what its parameters are made of."
    return tag("div", {"class": "sides"}, rows, tag("p", {"class": "note"}, said))


def _bar(anatomy: Anatomy, wide: Fraction, style: str, height: int) -> Safe:
    pieces, at = [], Fraction(0)
    for group in anatomy.groups:
        width = group.share * wide
        rect = tag("rect", {"x": _length(at), "y": 0, "width": _length(width), "height": height})
        pieces.append(tag("g", {"class": f"piece g-{group.id}", "data-piece": group.id}, rect))
        at += width
    outline = tag("rect", {"class": "rest", "x": 0, "y": 0, "width": "100%", "height": height})
    return tag(
        "svg",
        {"class": f"bar {style}", "width": "100%", "height": height, "aria-hidden": "true"},
        outline if style == "scaled" else None,
        pieces,
    )


def _length(part: Fraction) -> str:
    return f"{decimal(part * 100, 2)}%"


def _table(side: Comparison) -> Safe:
    totals = side.first.model.parameters, side.second.model.parameters
    heads = ("", side.first.model.name, side.second.model.name, "Ratio")
    parts = [_row(line, totals, _group(side, line)) for line in side.parts]
    return tag(
        "table",
        {"class": "comparison", "aria-labelledby": "comparison-title"},
        tag("thead", None, tag("tr", None, [tag("th", {"scope": "col"}, head or "Part") for head in heads])),
        tag("tbody", {"class": "by-part"}, [*parts, _totals(side, totals)]),
        tag("tbody", {"class": "by-figure"}, _heading("In figures"), [_row(line) for line in side.figures]),
    )


def _totals(side: Comparison, totals: tuple[int, int]) -> Safe:
    """The last line of the parts: what they come to, and whether their shares were rounded on the way there."""
    cells = []
    for total, numbers in zip(totals, zip(*((one.first, one.second) for one in side.parts), strict=True), strict=True):
        inexact = rounded(Fraction(number, total) for number in numbers if number is not None)
        share = tag("span", {"class": "more"}, "100%, rounded" if inexact else "100%")
        cells.append(tag("td", None, data(total, short(total)), share))
    return tag("tr", {"class": "total"}, tag("th", {"scope": "row"}, "Total"), cells, tag("td", {"class": "ratio"}))


def _heading(words: str) -> Safe:
    return tag("tr", {"class": "between"}, tag("th", {"colspan": 4, "scope": "rowgroup"}, words))


def _group(side: Comparison, line: Line) -> str:
    part = side.first.find(line.id) or side.second.find(line.id)
    return part.group if part else ""


def _row(line: Line, totals: tuple[int, int] | None = None, group: str = "") -> Safe:
    return tag(
        "tr",
        {"data-line": line.id, "class": f"g-{group}" if group else None},
        tag("th", {"scope": "row"}, tag("span", {"class": "key"}) if group else None, line.label),
        tag("td", None, _number(line, line.first, totals and totals[0])),
        tag("td", None, _number(line, line.second, totals and totals[1])),
        tag("td", {"class": "ratio"}, _ratio(line.ratio)),
    )


def _number(line: Line, number: Number | None, total: int | None) -> Child:
    if number is None:
        return "–"
    if line.id in _OPERATIONS:
        worded = operations(number)
    elif line.id in _BYTES:
        worded = size_in_bytes(number)
    else:
        worded = short(int(number)) if number >= 10_000_000 or total else exact(int(number))
    if total:
        share = Fraction(number, total)
        exactly = f"{decimal(share * 100, 4)}%"
        return [data(number, worded), tag("span", {"class": "more", "title": exactly}, percent(share))]
    return data(number, worded)


def _ratio(value: Fraction | None) -> Child:
    if value is None:
        return "–"
    exactly = plain(value) if value.denominator == 1 else f"{value.numerator}/{value.denominator}"
    return tag("data", {"value": exactly}, ratio(value))
