"""The table of a part's shapes: weights as in × out, activations at this T, each drawn to the model's one scale."""

from __future__ import annotations

from anatomy.report.anatomy import (
    Activation,
    Anatomy,
    Part,
    Weight,
)
from anatomy.views.drawing import scale
from anatomy.views.markup import (
    Child,
    Safe,
    data,
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


def table(anatomy: Anatomy, part: Part, *, changed: bool = False, drawn: bool = True) -> Safe:
    """The table; ``changed`` marks what a change of T has just changed.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> "Shapes for multi-head self-attention" in table(shown, shown.find("attention"))
    True
    """
    most = scale.longest(anatomy) if drawn else None
    heads = [("Tensor", "name"), ("Shape", None), *([("To scale", "fig")] if drawn else []), ("Parameters", "n")]
    rows = [_weight(anatomy, part, one, most, changed) for one in part.weights]
    rows += [_activation(anatomy, one, most, changed) for one in part.activations]
    return tag(
        "table",
        {"class": f"shapes g-{part.group}"},
        tag("caption", None, f"Shapes for {inside(part.label)}"),
        tag(
            "thead", None, tag("tr", None, [tag("th", {"scope": "col", "class": style}, word) for word, style in heads])
        ),
        tag("tbody", None, rows),
    )


def _weight(anatomy: Anatomy, part: Part, weight: Weight, most: int | None, changed: bool) -> Safe:
    tiles, lit = (weight.count, _used(anatomy)) if part.id == "experts" else (1, 0)
    return tag(
        "tr",
        {"class": "weight", "data-symbol": weight.symbol},
        tag("th", {"scope": "row"}, symbol(weight.symbol)),
        tag("td", None, _size(weight.shape), *_copies(part, weight), _mark("unchanged") if changed else None),
        _figure(weight.shape, most, tiles, lit),
        tag("td", {"class": "n"}, _parameters(weight)),
    )


def _used(anatomy: Anatomy) -> int:
    return anatomy.model.traits.experts_per_token or 0


def _size(sizes: tuple[int, ...]) -> Safe:
    return tag("span", {"class": "size"}, shape(sizes))


def _copies(part: Part, weight: Weight) -> list[Child]:
    if weight.count == 1:
        return []
    word = plural(weight.count, "expert") if part.id == "experts" else exact(weight.count)
    return [" ", tag("span", {"class": "more"}, f"× {word}")]


def _parameters(weight: Weight) -> Child:
    if weight.tied_to:
        return [data(0, "0"), ", ", tag("span", {"class": "more"}, "tied: counted where it is stored")]
    if weight.buffer:
        return [data(0, "0"), ", ", tag("span", {"class": "more"}, "a buffer: set by a rule, not by gradients")]
    return data(weight.parameters, exact(weight.parameters))


def _activation(anatomy: Anatomy, one: Activation, most: int | None, changed: bool) -> Safe:
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
            [", ", tag("span", {"class": "more"}, grows)] if grows else None,
            _mark("changed") if moved else None,
        ),
        _figure(one.shape, most),
        tag("td", {"class": "n none"}, "not a weight"),
    )


def _free(anatomy: Anatomy, one: Activation) -> str:
    # The source is as long as T unless the model fixes it, so a change of T is seen there too.
    return "T" if growth(anatomy, one) else ""


def _mark(word: str) -> list[Child]:
    return [", ", tag("span", {"class": f"mark {word}"}, word)]


def _figure(sizes: tuple[int, ...], most: int | None, tiles: int = 1, lit: int = 0) -> Safe | None:
    """The cell of a drawing, with what a broken one leaves out; none in a table that draws nothing."""
    if most is None:
        return None
    said = scale.factor(sizes, most)
    more = tag("span", {"class": "factor"}, said) if said else None
    return tag("td", {"class": "fig"}, scale.drawn(sizes, most, tiles=tiles, lit=lit), more)


def legend(anatomy: Anatomy, part: Part) -> str:
    """How the drawings are to be read.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("mixtral-8x7b"))
    >>> legend(shown, shown.find("experts"))[-93:]
    'under 3 pixels drawn as 3, pale. Of each stack of 8 tiles the 2 that a token uses are filled.'
    """
    most = scale.longest(anatomy)
    said = "One scale for the whole model at every T."
    shapes = [one.shape for one in part.weights] + [one.shape for one in part.activations]
    if any(scale.thin(one, most) for one in shapes):
        said = f"{said[:-1]}; under {scale.LEAST} pixels drawn as {scale.LEAST}, pale."
    traits = anatomy.model.traits
    if part.id == "experts" and traits.experts and traits.experts_per_token:
        used = f"the {exact(traits.experts_per_token)} that a token uses are filled"
        if traits.experts_per_token == 1:
            used = "the one that a token uses is filled"
        said += f" Of each stack of {plural(traits.experts, 'tile')} {used}."
    return said


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
