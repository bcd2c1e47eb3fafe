"""The table of a part's shapes: weights as in × out, activations at this T, each drawn to one scale."""

from __future__ import annotations

from math import prod

from anatomy.report.anatomy import (
    Activation,
    Anatomy,
    Part,
    Weight,
)
from anatomy.views.markup import (
    Attributes,
    Child,
    Safe,
    data,
    px,
    symbol,
    tag,
)
from anatomy.views.wording import (
    growth,
    inside,
    listed,
    plural,
)
from anatomy.words.formatting import exact, shape

# The room for a drawing: the longest axis of the table fills it, and nothing is drawn thinner than a visible line.
WIDE, HIGH, LEAST = 88, 60, 1.5


def table(anatomy: Anatomy, part: Part, *, changed: bool = False, drawn: bool = True) -> Safe:
    """The table; ``changed`` marks what a change of T has just changed.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> "Shapes for multi-head self-attention" in table(shown, shown.find("attention"))
    True
    """
    scale = _scale(part)
    heads = [("Tensor", None), ("Shape", None), *([("To scale", "fig")] if drawn else []), ("Parameters", "n")]
    rows = [_weight(part, one, scale, changed, drawn) for one in part.weights]
    rows += [_activation(anatomy, one, scale, changed, drawn) for one in part.activations]
    return tag(
        "table",
        {"class": f"shapes g-{part.group}"},
        tag("caption", None, f"Shapes for {inside(part.label)}"),
        tag(
            "thead", None, tag("tr", None, [tag("th", {"scope": "col", "class": style}, word) for word, style in heads])
        ),
        tag("tbody", None, rows),
    )


def _weight(part: Part, weight: Weight, scale: float, changed: bool, drawn: bool) -> Safe:
    return tag(
        "tr",
        {"class": "weight", "data-symbol": weight.symbol},
        tag("th", {"scope": "row"}, symbol(weight.symbol)),
        tag("td", None, _size(weight.shape), *_copies(part, weight), _mark("unchanged") if changed else None),
        tag("td", {"class": "fig"}, _figure(weight.shape, scale)) if drawn else None,
        tag("td", {"class": "n"}, _parameters(weight)),
    )


def _size(sizes: tuple[int, ...]) -> Safe:
    return tag("span", {"class": "size"}, shape(sizes))


def _copies(part: Part, weight: Weight) -> list[Child]:
    if weight.count == 1:
        return []
    word = plural(weight.count, "expert") if part.id == "experts" else exact(weight.count)
    return [tag("span", {"class": "more"}, f"× {word}")]


def _parameters(weight: Weight) -> Child:
    if weight.tied_to:
        return [data(0, "0"), tag("span", {"class": "more"}, "tied: counted as the token table")]
    if weight.buffer:
        return [data(0, "0"), tag("span", {"class": "more"}, "a buffer, not trained")]
    return data(weight.parameters, exact(weight.parameters))


def _activation(anatomy: Anatomy, one: Activation, scale: float, changed: bool, drawn: bool) -> Safe:
    grows = growth(anatomy, one)
    moved = changed and "T" in _free(anatomy, one)
    return tag(
        "tr",
        {"class": "activation changed" if moved else "activation", "data-symbol": one.symbol},
        tag("th", {"scope": "row"}, one.symbol),
        tag(
            "td",
            None,
            _size(one.shape),
            tag("span", {"class": "more"}, grows) if grows else None,
            _mark("changed") if moved else None,
        ),
        tag("td", {"class": "fig"}, _figure(one.shape, scale)) if drawn else None,
        tag("td", {"class": "n none"}, "not a weight"),
    )


def _free(anatomy: Anatomy, one: Activation) -> str:
    # The source is as long as T unless the model fixes it, so a change of T is seen there too.
    return "T" if growth(anatomy, one) else ""


def _mark(word: str) -> Safe:
    return tag("span", {"class": f"mark {word}"}, word)


def _sides(sizes: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns: every axis but the last stands on end."""
    return (prod(sizes[:-1]), sizes[-1]) if sizes else (1, 1)


def _scale(part: Part) -> float:
    """Units of drawing per number: one scale for all tensors of a part."""
    sizes = [one.shape for one in part.weights] + [one.shape for one in part.activations]
    sides = [_sides(one) for one in sizes]
    return min((min(HIGH / max(rows, 1), WIDE / max(columns, 1)) for rows, columns in sides), default=1.0)


def _figure(sizes: tuple[int, ...], scale: float) -> Safe:
    rows, columns = _sides(sizes)
    high, wide = max(LEAST, rows * scale), max(LEAST, columns * scale)
    box: Attributes = {
        "viewBox": f"0 0 {WIDE + 2} {px(high + 2)}",
        "width": WIDE + 2,
        "height": px(high + 2),
        "aria-hidden": "true",
    }
    return tag("svg", box, tag("rect", {"x": 1, "y": 1, "width": px(wide), "height": px(high)}))


def depending(anatomy: Anatomy, part: Part) -> str:
    """A sentence on which of the shapes depend on T, and how.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> depending(shown, shown.find("attention"))
    'Queries, keys, values and out grow with T; scores grow with T². No weight depends on T.'
    """
    grown: dict[str, list[str]] = {}
    for one in part.activations:
        how = growth(anatomy, one)
        if how:
            grown.setdefault(how.removeprefix("grows "), []).append(inside(one.symbol.split(",")[0]))
    if not grown:
        return "None of these shapes depends on T."
    said = "; ".join(f"{listed(names)} {'grow' if _many(names) else 'grows'} {how}" for how, names in grown.items())
    return said[0].upper() + said[1:] + "." + (" No weight depends on T." if part.weights else "")


def _many(names: list[str]) -> bool:
    return len(names) > 1 or names[0].endswith("s")
