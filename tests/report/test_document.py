"""The text of what commands print as JSON."""

import re
from fractions import Fraction

import pytest

from anatomy.report.document import to_json


def test_numbers_are_whole_where_they_can_be_and_words_stay_as_they_are() -> None:
    value = {"é": "×", "half": Fraction(1, 2), "whole": Fraction(6, 3), "none": None}
    assert to_json(value) == '{"é": "×", "half": 0.5, "whole": 2, "none": null}'


def test_what_is_no_json_is_named() -> None:
    with pytest.raises(TypeError, match=re.escape("set is no JSON value")):
        to_json({"a": {1}})
