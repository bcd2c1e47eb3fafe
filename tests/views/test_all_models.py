"""The table of all models: sorted by any column, narrowed down by any of them."""

import re

import pytest

import anatomy
from anatomy.report.facts import facts
from anatomy.views import all_models
from anatomy.views.all_models import COLUMNS, NONE, STEPS, Wanted, narrowed
from tests.elements import elements
from tests.second_count import KINDS, lengths_of, reads, second

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


def test_every_line_against_a_second_count() -> None:
    counts = [second(slug, lengths_of(anatomy.load(slug))[0]) for slug in KINDS]
    shown = elements(all_models.table([facts(slug) for slug in KINDS], Wanted("name"), "gpt2"))
    assert shown.one("p", "note").text == f"{len(KINDS)} of {len(KINDS)} models"
    heads = ["Model", "Maker", "Year", "Parameters", "Active", "Context", "Cache per token", "Kind"]
    columns = shown.one("thead").all("th")
    assert [one.one("button").text for one in columns] == heads
    assert [one["data-column"] for one in columns] == [one.one("button")["data-value"] for one in columns]
    assert {(one["scope"], one.one("button")["data-action"]) for one in columns} == {("col", "all-models-sort")}
    assert [one.all("span")[0].text for one in columns if one.get("aria-sort")] == ["▲"]
    counts.sort(key=lambda one: one.model.name.casefold())
    for row, count in zip(shown.one("tbody").children, counts, strict=True):
        entry, model = anatomy.entries()[count.model.slug or ""], count.model
        button = row.one("th", scope="row").one("button")
        assert (button.text, button["data-action"]) == (entry.name, "all-models-choose")
        assert (button["data-value"], button.get("aria-current") == "true") == (entry.slug, entry.slug == "gpt2")
        maker, year, *numbers, kinds = row.all("td")
        assert (maker.text, year.text) == (entry.maker, entry.released[:4])
        assert kinds.text == ", ".join(facts(entry.slug).kinds)
        assert [one.classes for one in (year, *numbers)] == [["number"]] * 5
        context = model.fixed_lengths.get("tokens") or model.context
        cache = count.growth() if count.caching else None
        for cell, value, none in zip(
            numbers,
            (count.total, count.active, context, cache),
            ("", "", "no limit", "none"),
            strict=True,
        ):
            if value is None:
                assert (cell.text, cell.values) == (none, [])
                continue
            ((exactly, words),) = cell.values
            assert exactly == str(int(value))
            assert reads(words, value)
            assert cell.text == words


def test_the_fields_above_it() -> None:
    shown = elements(all_models.dialog(LINES, Wanted(only={"name": "x", "context": NONE}), "gpt2"))
    assert shown.one("h2", id="all-models-title").text == "All models"
    close = shown.one("div", "dialog-head").one("button")
    assert (close["data-action"], close.text) == ("all-models-close", "Close")
    assert shown.one("div", id="all-models-found").all("table")
    fields = shown.one("div", "filters").children
    labels = ["Model", "Maker", "Year", "Parameters", "Active", "Context", "Cache per token", "Kind"]
    assert [one.one("label").text for one in fields] == labels
    for one, column in zip(fields, COLUMNS, strict=True):
        (field,) = (inside for inside in one.children if inside.name != "label")
        assert one.one("label")["for"] == field["id"] == f"only-{column}"
        assert (field["data-only"], field["autocomplete"]) == (column, "off")
    assert fields[0].one("input")["value"] == "x"
    chosen = [one.text for one in shown.all("option") if one.get("selected") is not None]
    assert chosen == ["no limit"]
    for column, said in {
        "parameters": "any, below 1.00B, 1.00B to 10.0B, 10.0B to 100B, 100B and more",
        "context": "any, below 2,049, 2,049 to 8,193, 8,193 to 32,769, 32,769 and more, no limit",
        "cache": "any, below 50.0 KB, 50.0 KB to 200 KB, 200 KB and more, none",
    }.items():
        options = shown.one("select", id=f"only-{column}").all("option")
        assert ", ".join(one.text for one in options) == said
        assert [one["value"] for one in options[1:]] == [
            *map(str, range(len(STEPS[column]))),
            *([NONE] if column in ("context", "cache") else []),
        ]
    makers = [one["value"] for one in shown.one("select", id="only-maker").all("option")]
    assert makers == ["", *sorted({one.maker for one in LINES}, key=str.casefold)]
    years = [one["value"] for one in shown.one("select", id="only-year").all("option")]
    assert years == ["", *sorted({str(one.year) for one in LINES}, reverse=True)]
