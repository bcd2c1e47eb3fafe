"""The table of all models: sorted by any column, narrowed down by any of them."""

import re

import pytest

import anatomy
from anatomy.report.facts import facts
from anatomy.views import all_models
from anatomy.views.all_models import COLUMNS, NONE, STEPS, Wanted, narrowed

LINES = [facts(slug) for slug in anatomy.entries()]


@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("down", [False, True])
def test_it_is_sorted_by_any_column_and_what_is_not_known_comes_last(column: str, down: bool) -> None:
    key = COLUMNS[column][1]
    values = [key(one) for one in narrowed(LINES, Wanted(column, down))]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=down)  # type: ignore[type-var]
    assert values == known + [None] * (len(values) - len(known))
    assert len(values) == len(LINES)
    # The one that it is sorted by says so, and no other.
    said = re.findall(r'aria-sort="(\w+)" data-column="(\w+)"', all_models.table(LINES, Wanted(column, down), ""))
    assert said == [("descending" if down else "ascending", column)]


def test_a_header_pressed_again_turns_the_order_round() -> None:
    orders = []
    wanted = Wanted()
    for column in ("year", "year", "year", "name"):
        wanted = wanted.sorted_by(column)
        orders.append((wanted.by, wanted.down))
    assert orders == [("year", False), ("year", True), ("year", False), ("name", False)]


@pytest.mark.parametrize("column", STEPS)
def test_each_model_is_within_one_choice_of_a_figure(column: str) -> None:
    choices = [value for value, _ in all_models._CHOICES[column](LINES)]
    found = [one.slug for choice in choices for one in narrowed(LINES, Wanted(only={column: choice}))]
    assert sorted(found) == sorted(one.slug for one in LINES)


@pytest.mark.parametrize(
    ("only", "slugs"),
    [
        ({"name": "gpt xl"}, ["gpt2-xl"]),
        ({"name": "BERT", "maker": "Google"}, ["bert-base-uncased"]),
        ({"kind": "speech", "parameters": "0"}, ["whisper-tiny", "whisper-small"]),
        ({"year": "2018"}, ["bert-base-uncased"]),
        # 10^9 is where the second step begins: Gemma 3 1B holds 999,885,952.
        ({"name": "gemma 3", "parameters": "1"}, ["gemma-3-4b"]),
        ({"cache": NONE, "kind": "images"}, ["vit-base-in21k", "vit-base"]),
        ({"name": "no such model"}, []),
    ],
)
def test_it_is_narrowed_down(only: dict[str, str], slugs: list[str]) -> None:
    assert [one.slug for one in narrowed(LINES, Wanted(only=only))] == slugs
    assert f"{len(slugs)} of {len(LINES)} models" in all_models.table(LINES, Wanted(only=only), "gpt2")


def test_the_chosen_model_says_so_and_choices_stay() -> None:
    wanted = Wanted(only={"kind": "encoder", "name": '"<b>'})
    assert re.findall(r'data-value="([^"]+)" aria-current="true"', all_models.table(LINES, Wanted(), "t5-small")) == [
        "t5-small"
    ]
    made = all_models.dialog(LINES, wanted, "gpt2")
    assert '<option value="encoder" selected>' in made
    assert 'value="&quot;&lt;b&gt;"' in made
