"""Workings opened in place: the formula in symbols, the same in this model's numbers, and the result."""

from __future__ import annotations

from functools import lru_cache

from anatomy.views.markup import (
    Child,
    Safe,
    join,
    symbol,
    tag,
)
from anatomy.words import labels
from anatomy.words.working import Working, line

# Up to so many terms a formula stands in one line; more are a line each, and their sum below.
IN_A_LINE = 2


def disclosed(ident: str, summary: Child, *body: Child, style: str = "working", current: bool = False) -> Safe:
    """A native disclosure; its id lets the page keep it open while the figures in it change.

    >>> disclosed("w-total", "124M", "49,158 × 768")
    '<details id="w-total" class="working"><summary>124M</summary><div class="body">49,158 × 768</div></details>'
    """
    return tag(
        "details",
        {"id": ident, "class": style, "data-current": "true" if current else None},
        tag("summary", None, summary),
        tag("div", {"class": "body"}, *body),
    )


@lru_cache(maxsize=1024)
def formula(working: Working, unit: str = "") -> Safe:
    """A working written out.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> made = formula(describe(anatomy.load("llama-3-70b")).costs.kv_per_token, "bytes")
    >>> '<span class="equation">2 × 8 KV heads × 128 × 2 bytes × 80 layers = 327,680</span> bytes' in made
    True
    """
    after = f" {unit}" if unit else ""
    if len(working.terms) <= IN_A_LINE:
        return join(
            tag("p", {"class": "symbols"}, working.symbols()),
            tag("p", None, _equation(working.equation()), after),
        )
    lines = [line(term) for term in working.terms]
    kinds = list(dict.fromkeys(symbols for _, symbols, _ in lines))
    several = len({labels.usual(term.part) for term in working.terms}) > 1
    places = [labels.usual(term.part) if several and term.part else "" for term in working.terms]
    return join(
        [tag("p", {"class": "symbols"}, one) for one in kinds],
        tag(
            "ul",
            {"class": "lines"},
            [
                tag("li", None, _label(place, label), " ", _equation(equation))
                for place, (label, _, equation) in zip(places, lines, strict=True)
            ],
        ),
        tag("p", {"class": "sum"}, _equation(working.sums()), after),
    )


def _label(place: str, label: str) -> Safe:
    return tag("span", {"class": "label"}, symbol(f"{place}: {label}" if place else label))


def _equation(text: str) -> Safe:
    return tag("span", {"class": "equation" if "=" in text else "value"}, text)
