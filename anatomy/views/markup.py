"""Markup from plain Python: escaped unless marked safe, attributes in the order given, the same bytes everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from html import escape
from typing import TypeAlias

from anatomy.model.terms import Number

Value = str | int | bool | None
Attributes = Mapping[str, Value]
# A string, since an alias cannot yet name itself with |.
Child: TypeAlias = "Value | Iterable[Child]"

# HTML's elements without content; SVG's are closed like any other.
VOID = frozenset({"br", "col", "hr", "input", "link", "meta", "wbr"})
_SYMBOL = re.compile(r"\b([WbEAxγβ])_([A-Za-z]+[0-9]?)")


class Safe(str):
    """Text that is markup already and is not escaped again."""

    __slots__ = ()


def join(*children: Child) -> Safe:
    """One piece of markup of many: strings are escaped, None and booleans leave nothing.

    >>> join("a < b", None, [Safe("<br>"), 12])
    'a &lt; b<br>12'
    """
    return Safe("".join(map(_worded, children)))


# The same few hundred texts are escaped at each step of the page.
_escaped = lru_cache(maxsize=4096)(partial(escape, quote=False))


def _worded(child: Child) -> str:
    if isinstance(child, Safe):
        return child
    if isinstance(child, str):
        return _escaped(child)
    if child is None or isinstance(child, bool):
        return ""
    if isinstance(child, int):
        return str(child)
    return "".join(map(_worded, child))


def tag(name: str, attributes: Attributes | None = None, /, *children: Child, **keywords: Value) -> Safe:
    """An element; keywords are attributes too: ``class_`` is class, ``data_part`` data-part; True has no value.

    >>> tag("a", {"href": "#part=mlp"}, "MLP & norm", data_part="mlp", hidden=True, title=None)
    '<a href="#part=mlp" data-part="mlp" hidden>MLP &amp; norm</a>'
    """
    opening = name
    for key, value in (attributes or {}).items():
        opening += _attribute(key, value)
    for key, value in keywords.items():
        opening += _attribute(key.rstrip("_").replace("_", "-"), value)
    if name in VOID:
        return Safe(f"<{opening}>")
    return Safe(f"<{opening}>{''.join(map(_worded, children))}</{name}>")


# Typed, since True and 1 are the same key and not the same attribute.
@lru_cache(maxsize=4096, typed=True)
def _attribute(key: str, value: Value) -> str:
    if value is None or value is False:
        return ""
    return f" {key}" if value is True else f' {key}="{escape(str(value))}"'


def data(value: Number, text: str, count: str | None = None) -> Safe:
    """A worded number that carries its exact value; ``count`` says which count of the panel it is.

    >>> data(124439808, "124M")
    '<data value="124439808">124M</data>'
    """
    return tag("data", {"value": plain(value), "data-count": count}, text)


def plain(value: Number) -> str:
    """A number as a machine reads it: digits, or a decimal number where it is not whole.

    >>> plain(247358976), plain(Fraction(1, 8))
    ('247358976', '0.125')
    """
    if isinstance(value, Fraction) and value.denominator != 1:
        return f"{float(value)!r}"
    return str(int(value))


def symbol(text: str) -> Safe:
    """Text in which W_Q and the like have their subscripts.

    >>> symbol("W_Q and b_Q")
    'W<sub>Q</sub> and b<sub>Q</sub>'
    >>> symbol("γ_DKV")
    'γ<sub>DKV</sub>'
    """
    return Safe(_SYMBOL.sub(r"\1<sub>\2</sub>", escape(text, quote=False)))


def px(value: float) -> str:
    """A drawing's coordinate: one decimal at most, so that a drawing is the same bytes everywhere.

    >>> px(12), px(3.14159), px(2.0)
    ('12', '3.1', '2')
    """
    return f"{value:.1f}".removesuffix(".0")
