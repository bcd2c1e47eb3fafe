"""Markup: escaping, attributes, the words of numbers."""

from fractions import Fraction

import pytest

from anatomy.views.markup import (
    Safe,
    data,
    join,
    plain,
    px,
    symbol,
    tag,
)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (tag("p", None, "a < b & c"), "<p>a &lt; b &amp; c</p>"),
        (tag("p", None, Safe("<b>x</b>")), "<p><b>x</b></p>"),
        (tag("p", {"title": "\"<'"}), '<p title="&quot;&lt;&#x27;"></p>'),
        (tag("input", {"disabled": True, "value": 0, "id": None, "checked": False}), '<input disabled value="0">'),
        (tag("input", {"min": 1}) + tag("input", {"min": True}), '<input min="1"><input min>'),
        (tag("b", class_="x", data_part="mlp"), '<b class="x" data-part="mlp"></b>'),
        (tag("ul", None, (tag("li", None, number) for number in (1, 2))), "<ul><li>1</li><li>2</li></ul>"),
        (join("a", None, False, ["b", ["c"]]), "abc"),
        (symbol("W_Q, W_up < b_K"), "W<sub>Q</sub>, W<sub>up</sub> &lt; b<sub>K</sub>"),
        (data(Fraction(1, 8), "0.13"), '<data value="0.125">0.13</data>'),
    ],
)
def test_markup(made: str, expected: str) -> None:
    assert made == expected


@pytest.mark.parametrize(
    ("value", "text"), [(7, "7"), (Fraction(14, 2), "7"), (Fraction(1, 4), "0.25"), (10**30, "1" + "0" * 30)]
)
def test_a_value_is_exact(value: int | Fraction, text: str) -> None:
    assert plain(value) == text


@pytest.mark.parametrize(("value", "text"), [(1.25, "1.2"), (3.0, "3"), (-0.5, "-0.5")])
def test_coordinates_have_one_decimal(value: float, text: str) -> None:
    assert px(value) == text
