"""All models of the catalogue in a dialog: a table to sort by any column, above it what narrows it down.

The table is the APG's sortable one: the headers of its columns hold buttons, and the column that it is sorted by says
so (``aria-sort``). Enter and Space press a header or a model's name; Escape closes the dialog, as the browser has it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from anatomy.report.facts import KINDS, Facts
from anatomy.views.markup import Attributes, Child, Safe, data, join, tag
from anatomy.words.formatting import exact, short, size_in_bytes

# The columns in order: what a line is sorted by there. None comes last, whichever way round.
COLUMNS: Mapping[str, tuple[str, Callable[[Facts], object]]] = {
    "name": ("Model", lambda one: one.name.casefold()),
    "maker": ("Maker", lambda one: one.maker.casefold()),
    "year": ("Year", lambda one: one.year),
    "parameters": ("Parameters", lambda one: one.parameters),
    "active": ("Active", lambda one: one.active),
    "context": ("Context", lambda one: one.context),
    "cache": ("Cache per token", lambda one: one.cache),
    "kind": ("Kind", lambda one: one.kinds or None),
}
# Above which sizes, lengths and bytes a choice begins.
_SIZES, _LENGTHS, _BYTES = (0, 10**9, 10**10, 10**11), (0, 2**11 + 1, 2**13 + 1, 2**15 + 1), (0, 5 * 10**4, 2 * 10**5)
STEPS: Mapping[str, Sequence[int]] = {"parameters": _SIZES, "active": _SIZES, "context": _LENGTHS, "cache": _BYTES}
NONE = "none"


@dataclass(frozen=True)
class Wanted:
    """How the table is sorted, and what its lines have to be: ``only`` has a choice for each column that has one."""

    by: str = "maker"
    down: bool = False
    only: Mapping[str, str] = field(default_factory=dict)

    def sorted_by(self, column: str) -> Wanted:
        """Sorted by that column; once more turns it round.

        >>> Wanted().sorted_by("year").sorted_by("year").down
        True
        """
        return replace(self, by=column, down=column == self.by and not self.down)


def narrowed(lines: Sequence[Facts], wanted: Wanted) -> list[Facts]:
    """The lines that are wanted, in the order that is wanted.

    >>> from anatomy.report.facts import facts
    >>> some = [facts(slug) for slug in ("gpt2", "llama-3-8b", "mixtral-8x7b", "bert-base-uncased")]
    >>> [one.slug for one in narrowed(some, Wanted("parameters", only={"kind": "grouped-query"}))]
    ['llama-3-8b', 'mixtral-8x7b']
    """
    found = [one for one in lines if all(_is(one, column, choice) for column, choice in wanted.only.items())]
    key = COLUMNS[wanted.by][1]
    known = [one for one in found if key(one) is not None]
    known.sort(key=key, reverse=wanted.down)  # type: ignore[arg-type]
    return known + [one for one in found if key(one) is None]


def _is(line: Facts, column: str, choice: str) -> bool:
    if not choice:
        return True
    if column == "name":
        return all(word in f"{line.name} {line.slug}".casefold() for word in choice.casefold().split())
    if column == "kind":
        return choice in line.kinds
    value = getattr(line, column)
    if column not in STEPS:
        return str(value) == choice
    if value is None or choice == NONE:
        return value is None and choice == NONE
    steps = STEPS[column]
    at = int(choice)
    return steps[at] <= value and (at + 1 == len(steps) or value < steps[at + 1])


def dialog(lines: Sequence[Facts], wanted: Wanted, chosen: str) -> Safe:
    """All that the dialog holds.

    >>> from anatomy.report.facts import facts
    >>> "1 of 1 models" in dialog([facts("gpt2")], Wanted(), "gpt2")
    True
    """
    return join(
        tag(
            "div",
            {"class": "dialog-head"},
            tag("h2", {"id": "all-models-title"}, "All models"),
            tag("button", {"type": "button", "data-action": "all-models-close"}, "Close"),
        ),
        tag("div", {"class": "filters"}, _search(wanted), [_filter(lines, wanted, column) for column in _CHOICES]),
        tag("div", {"id": "all-models-found"}, table(lines, wanted, chosen)),
    )


def table(lines: Sequence[Facts], wanted: Wanted, chosen: str) -> Safe:
    """How many lines are left, and they."""
    found = narrowed(lines, wanted)
    caption = tag(
        "caption", None, "Models of the catalogue", tag("span", {"class": "visually-hidden"}, ", sorted by the buttons")
    )
    return join(
        tag("p", {"class": "note", "role": "status"}, f"{exact(len(found))} of {exact(len(lines))} models"),
        tag(
            "table",
            None,
            caption,
            tag("thead", None, tag("tr", None, [_head(column, wanted) for column in COLUMNS])),
            tag("tbody", None, [_row(one, chosen) for one in found]),
        ),
    )


def _head(column: str, wanted: Wanted) -> Safe:
    order = None
    if column == wanted.by:
        order = "descending" if wanted.down else "ascending"
    arrow = {"descending": "▼", "ascending": "▲", None: ""}[order]
    words = tag("button", {"type": "button", "data-action": "all-models-sort", "data-value": column}, _label(column))
    return tag("th", {"scope": "col", "aria-sort": order, "data-column": column}, words, _hidden(arrow))


def _label(column: str) -> str:
    return COLUMNS[column][0]


def _hidden(arrow: str) -> Child:
    return tag("span", {"aria-hidden": "true"}, arrow) if arrow else None


def _row(line: Facts, chosen: str) -> Safe:
    name: Attributes = {
        "type": "button",
        "data-action": "all-models-choose",
        "data-value": line.slug,
        "aria-current": "true" if line.slug == chosen else None,
    }
    return tag(
        "tr",
        None,
        tag("th", {"scope": "row"}, tag("button", name, line.name)),
        tag("td", None, line.maker),
        tag("td", {"class": "number"}, str(line.year)),
        tag("td", {"class": "number"}, data(line.parameters, short(line.parameters))),
        tag("td", {"class": "number"}, data(line.active, short(line.active))),
        tag("td", {"class": "number"}, "no limit" if line.context is None else data(line.context, exact(line.context))),
        tag("td", {"class": "number"}, NONE if line.cache is None else data(line.cache, size_in_bytes(line.cache))),
        tag("td", None, ", ".join(line.kinds)),
    )


def _search(wanted: Wanted) -> Safe:
    field: Attributes = {
        "type": "search",
        "id": "only-name",
        "data-only": "name",
        "autocomplete": "off",
        "spellcheck": "false",
        "value": wanted.only.get("name", ""),
    }
    return tag("div", None, tag("label", {"for": "only-name"}, _label("name")), tag("input", field))


def _filter(lines: Sequence[Facts], wanted: Wanted, column: str) -> Safe:
    options = [tag("option", {"value": ""}, "any")]
    for value, words in _CHOICES[column](lines):
        options.append(tag("option", {"value": value, "selected": wanted.only.get(column) == value}, words))
    ident = f"only-{column}"
    select = tag("select", {"id": ident, "data-only": column, "autocomplete": "off"}, options)
    return tag("div", None, tag("label", {"for": ident}, _label(column)), select)


Choices = Sequence[tuple[str, str]]


def _steps(column: str, words: Callable[[int], str], *, last: str = "") -> Callable[[Sequence[Facts]], Choices]:
    """A choice for each step, named by where it begins and where the next one does."""
    steps = STEPS[column]
    named = [(str(0), f"below {words(steps[1])}")]
    named += [(str(at), f"{words(steps[at])} to {words(steps[at + 1])}") for at in range(1, len(steps) - 1)]
    named.append((str(len(steps) - 1), f"{words(steps[-1])} and more"))
    return lambda _lines: [*named, *([(NONE, last)] if last else [])]


_CHOICES: Mapping[str, Callable[[Sequence[Facts]], Choices]] = {
    "maker": lambda lines: [(one, one) for one in sorted({one.maker for one in lines}, key=str.casefold)],
    "year": lambda lines: [(str(one), str(one)) for one in sorted({one.year for one in lines}, reverse=True)],
    "parameters": _steps("parameters", short),
    "active": _steps("active", short),
    "context": _steps("context", exact, last="no limit"),
    "cache": _steps("cache", size_in_bytes, last=NONE),
    "kind": lambda _lines: [(kind, kind) for kind in KINDS],
}
