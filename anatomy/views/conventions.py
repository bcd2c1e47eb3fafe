"""Why two tools disagree: what other conventions print for the chosen model; and what's in its name."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from anatomy import catalog
from anatomy.model.terms import Number
from anatomy.report.costs import Convention
from anatomy.views import learned
from anatomy.views.markup import (
    Child,
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
    operations,
    percent,
    short,
    significant,
    size_in_bytes,
)
from anatomy.words.naming import Named, named
from anatomy.words.remarks import FIGURES, FLOPS, KV_CACHE, PARAMETERS, WEIGHTS, convention

# What differs by less is folded away.
SLIGHT = Fraction(1, 100)
UNITS = {PARAMETERS: "parameters", FLOPS: "FLOPs", KV_CACHE: "bytes", WEIGHTS: "bytes"}


def view(state: State) -> Safe:
    """The section: for each figure ours, then the others, each with why and how; then the name.

    >>> '<data value="163037184">163M</data>' in view(State())
    True
    """
    others = state.anatomy.others
    figures = [figure for figure in FIGURES if any(one.figure == figure for one in others)]
    return join(
        tag("h3", {"id": "conventions-title"}, "Why do two tools disagree?"),
        tag(
            "p",
            {"class": "reading"},
            f"They count by other conventions, which print this of {state.loaded.name}; each number opens.",
        ),
        tag(
            "div",
            {"class": "disagreements"},
            [_figure(state, figure, [one for one in others if one.figure == figure]) for figure in figures],
        ),
        _name(state),
        learned.glossary(),
    )


def _figure(state: State, figure: str, others: list[Convention]) -> Safe:
    ours = others[0].ours
    at = f" at T = {exact(state.seq_len)}" if figure in (FLOPS, KV_CACHE) else ""
    close = [one for one in others if not one.binary and abs(Fraction(one.value) / Fraction(one.ours) - 1) < SLIGHT]
    apart = [one for one in others if one not in close]
    folded = [_other(figure, one) for one in close]
    said = f"{exact(len(close))} that differ{'s' if len(close) == 1 else ''} by under 1%{at}"
    head: list[Child] = [
        f"{FIGURES[figure]}{at}: ",
        data(ours, _worded(figure, ours)),
        f" here, {_others(len(others))}",
    ]
    return disclosed(
        f"o-{figure}",
        head,
        tag("div", {"class": "ledger"}, [_other(figure, one) for one in apart]),
        disclosed(f"o-{figure}-slight", said, tag("div", {"class": "ledger"}, folded)) if folded else None,
        style="working fold",
    )


def _others(number: int) -> str:
    return f"{exact(number)} other{'' if number == 1 else 's'} elsewhere"


def _other(figure: str, one: Convention) -> Safe:
    title, why = convention(one.id, one.binary)
    if one.binary:
        digits, unit = f"“{significant(one.value)} {one.binary.replace('i', '')}”", one.binary
        said: list[Child] = [f"really {size_in_bytes(one.ours)}"]
    else:
        digits = exact(round(one.value))
        said = [data(one.value, _worded(figure, one.value)), f" · {_ratio(one.value, one.ours)}"]
        unit = UNITS[figure] + (" a token" if figure == FLOPS else "")
    summary: list[Child] = [
        tag("span", {"class": "name"}, title),
        tag("span", {"class": "exact"}, digits),
        tag("span", {"class": "size"}, said),
    ]
    return disclosed(f"o-{figure}-{one.id}", summary, tag("p", {"class": "reading"}, why), formula(one.working, unit))


def _worded(figure: str, value: Number) -> str:
    if figure == PARAMETERS:
        return short(int(value))
    return operations(value) if figure == FLOPS else size_in_bytes(value)


def _ratio(value: Number, ours: Number) -> str:
    ratio = Fraction(value) / Fraction(ours)
    if ratio >= 2:
        return f"{significant(ratio, 2)} times ours"
    change = ratio - 1
    return f"{percent(abs(change))} {'more' if change > 0 else 'less'}"


def _name(state: State) -> Safe:
    mine = named(state.loaded.name, state.loaded)
    said = f"{state.loaded.name} has no size in its name." if not mine else " ".join(map(_claimed, mine))
    rows = []
    for slug, entry in catalog.entries().items():
        rows += [_row(entry.name, one, slug == state.model) for one in _sizes(slug)]
    heads = tag(
        "tr", None, [tag("th", {"scope": "col"}, word) for word in ("Model", "In the name", "Truly", "More or less")]
    )
    table = tag(
        "table",
        {"class": "behind names"},
        tag("caption", {"class": "visually-hidden"}, "Sizes in names beside true sizes"),
        tag("thead", None, heads),
        tag("tbody", None, rows),
    )
    return disclosed("names-table", ["What’s in a name? ", said], table, style="working fold")


@lru_cache(maxsize=256)
def _sizes(slug: str) -> tuple[Named, ...]:
    model = catalog.load(slug)
    return named(model.name, model)


def _claimed(one: Named) -> str:
    what = "uses" if one.claim.active else "holds"
    close = "which rounds to it" if one.claim.kept_by(one.true) else _difference(one)
    return f"Its name says {one.claim.written}; it {what} {exact(one.true)}, {close}."


def _difference(one: Named) -> str:
    return f"{decimal(abs(one.more) * 100, 1)}% {'more' if one.more > 0 else 'less'}"


def _row(name: str, one: Named, current: bool) -> Safe:
    claimed = f"{one.claim.written} active" if one.claim.active else one.claim.written
    return tag(
        "tr",
        {"class": "now" if current else None, "aria-current": "true" if current else None},
        tag("th", {"scope": "row"}, name),
        tag("td", None, claimed),
        tag("td", None, data(one.true, short(one.true))),
        tag("td", None, _difference(one)),
    )
