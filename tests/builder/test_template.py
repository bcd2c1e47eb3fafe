"""Tests of builder.template: placeholders and the complaints about them."""

import pytest

from builder import template
from builder.failure import BuildError


def test_assets_are_named_once_each_in_order() -> None:
    assert template.assets("{{asset:b.js}} {{version}} {{asset:a.css}} {{asset:b.js}}") == ["b.js", "a.css"]


def test_values_are_put_in_unread() -> None:
    values = {"a": "{{b}}", "b": r"\1"}
    assert template.filled("{{a}} {{b}}", values, optional=set(), file="t") == r"{{b}} \1"


def test_an_unknown_placeholder_is_told_with_the_file_and_the_known_ones() -> None:
    with pytest.raises(BuildError, match=r"page\.html: unknown placeholder \{\{colour\}\}; known: version\."):
        template.filled("{{colour}}{{version}}", {"version": ""}, optional=set(), file="page.html")


def test_a_value_that_the_template_forgets_is_told() -> None:
    with pytest.raises(BuildError, match=r"page\.html: the placeholder \{\{region:panel\}\} is missing"):
        template.filled("", {"region:panel": ""}, optional=set(), file="page.html")


def test_an_optional_value_may_be_forgotten() -> None:
    assert template.filled("x", {"preload": ""}, optional={"preload"}, file="t") == "x"
