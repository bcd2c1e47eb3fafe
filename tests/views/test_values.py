"""Every value that the page shows of a model, its parts and groups, against a second count."""

from fractions import Fraction
from functools import lru_cache

import pytest

import anatomy
from anatomy.model.rows import Matrix
from anatomy.views.page import regions
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model, choose_option, choose_seq_len, select_part
from tests.elements import Element, elements
from tests.formulas import equations, holds, worth
from tests.second_count import Place, Second, cases, reads, rounded, second, share
from tests.second_shapes import activations, depending, expected_weights

CASES = cases()


@lru_cache(maxsize=64)
def at(slug: str, seq_len: int) -> State:
    """The page with that model at that length, come to by its controls."""
    return choose_seq_len(choose_model(State(), slug), str(seq_len))


def region(state: State, name: str) -> Element:
    """A region as elements."""
    return elements(regions(state, (name,))[name])


def selected(state: State, place: Place) -> State:
    """The page with a part selected."""
    return select_part(state, place.id, place.stack, place.label)


def worked(element: Element, value: int | Fraction) -> None:
    """A working in an element: every equation holds, and its last one comes to the value."""
    shown = [one.text for one in element.all("span", "equation")]
    for equation in shown:
        assert holds(equation), equation
    symbols = [one.text for one in element.all("p", "symbols")]
    assert symbols
    assert all(symbols)
    assert all(one.text == one.text.strip() for one in element.all("p"))
    shown = shown or [one.text for one in element.all("span", "value")]
    assert worth(shown[-1].split(" = ")[-1]) == value


@pytest.mark.parametrize(("slug", "seq_len"), CASES)
def test_headline_figures(slug: str, seq_len: int) -> None:
    state, count = at(slug, seq_len), second(slug, seq_len)
    figures = region(state, "figures")
    expected: dict[str, int | Fraction] = {"parameters": count.total, "without-embeddings": count.inside}
    if state.loaded.traits.experts_per_token:
        expected["active"] = count.active
    expected["flops"] = Fraction(count.run(), seq_len)
    cache = count.cache()
    if cache is not None:
        expected["kv-cache"] = cache
    assert [one["data-figure"] for one in figures.one("dl").children] == list(expected)
    for name, value in expected.items():
        figure = figures.one("div", data_figure=name)
        ((exactly, words),) = figure.values
        assert Fraction(exactly) == value or float(exactly) == float(value)
        assert reads(words, value)
        working = figure.one("details", id=f"w-{name}")
        worked(working, value)
        said = figure.one("dd", "convention").text
        digits = f"{int(value):,}" if value.denominator == 1 else f"about {round(value):,}"
        assert said.startswith(digits)
        assert figure.one("dt").text.endswith(f"at T = {seq_len:,}") == (name in ("flops", "kv-cache"))
    causal = Fraction(count.run(square="causal"), seq_len)
    said = figures.one("div", data_figure="flops").one("dd", "convention").text
    *windows, masked = said.split("; ")[-1].split(", ")
    assert reads(masked.removesuffix(" if masked pairs were skipped"), causal)
    banded = count.run(square="windows")
    assert bool(windows) == (banded != count.run())
    assert all(reads(one.removesuffix(" by windows"), Fraction(banded, seq_len)) for one in windows)
    for square in ("windows", "causal"):
        other = elements(regions(choose_option(state, "square", square), ("figures",))["figures"])
        figure = other.one("div", data_figure="flops")
        counted = Fraction(count.run(square=square), seq_len)
        assert float(figure.one("data")["value"]) == float(counted)
        assert f"; {square}, " in figure.one("dd", "convention").text
    if cache is not None:
        said = figures.one("div", data_figure="kv-cache").one("dd", "convention").text
        assert f"{cache:,} bytes for one sequence in bf16, {int(count.growth()):,} a token" in said
    if "active" in expected:
        used, of = state.loaded.traits.experts_per_token, state.loaded.traits.experts
        assert f": {used} of {of} routed experts" in figures.one("div", data_figure="active").text
    tied = "the unembedding is stored as the token table" in figures.one("div", data_figure="parameters").text
    assert tied == state.loaded.tied_unembedding


@pytest.mark.parametrize("slug", dict(CASES))
def test_where_the_parameters_live(slug: str) -> None:
    count = second(slug, dict(CASES)[slug])
    where = region(at(slug, count.seq_len), "where")
    title = where.one("h2")
    assert title.values == [(str(count.total), f"{count.total:,}")]
    groups = {name: Fraction(held, count.total) for name, held in count.groups.items()}
    rows = where.one("table", "groups").one("tbody").all("tr")
    assert [row["data-group"] for row in rows] == list(groups)
    for row, (name, held) in zip(rows, count.groups.items(), strict=True):
        ((value, words),) = row.values
        cells = [cell.text for cell in row.all("td")]
        assert row.classes == [f"g-{name}"]
        assert (value, cells[0], cells[1]) == (str(held), f"{held:,}", words)
        assert reads(words, held)
        assert share(cells[2], groups[name])
    exactly, worded, all_of_it = where.one("table", "groups").one("tfoot").all("td")
    assert exactly.text == f"{count.total:,}"
    ((value, words),) = worded.values
    assert value == str(count.total)
    assert reads(words, count.total)
    assert all_of_it.text in ("100%", "100%rounded")
    bar = where.one("svg", "bar")
    start = Fraction(0)
    for piece, (name, part) in zip(bar.all("g"), groups.items(), strict=True):
        box = piece.one("rect")
        assert piece["data-piece"] == name
        assert (box["x"], box["width"]) == (f"{rounded(start * 100, 2)}%", f"{rounded(part * 100, 2)}%")
        inside = piece.all("text")
        assert len(inside) == (part >= Fraction(12, 100))
        for words_ in inside:
            assert share(words_.text, part)
            assert words_["x"] == f"{rounded((start + part / 2) * 100, 2)}%"
        start += part
    assert all((cut["y1"], cut["y2"]) == ("0", bar["height"]) for cut in bar.all("line"))
    cuts, start = [], Fraction(0)
    for part in list(groups.values())[:-1]:
        start += part
        cuts.append(f"{rounded(start * 100, 2)}%")
    assert [(cut["x1"], cut["x2"]) for cut in bar.all("line")] == [(cut, cut) for cut in cuts]
    counted = where.one("details", id="w-groups").one("div", "body").children
    for one, (name, held) in zip(counted, count.groups.items(), strict=True):
        assert one.classes == [f"g-{name}"]
        worked(one, held)


@pytest.mark.parametrize(("slug", "seq_len"), CASES)
def test_the_panel_of_every_part(slug: str, seq_len: int) -> None:
    state, count = at(slug, seq_len), second(slug, seq_len)
    for place in count.places():
        chosen = selected(state, place)
        assert not chosen.notices
        panel = region(chosen, "panel")
        held, flops = count.held(place), count.flops(place)
        counted = {one["data-count"]: (one["value"], one.text) for one in panel.all("data") if one.get("data-count")}
        expected = {"total": (str(held), f"{held:,}")}
        if len(place.blocks) > 1 and count.rows(place):
            each = count.per_block(count.rows(place))
            expected["per-block"] = (str(each), f"{each:,}")
        assert {name: counted[name] for name in expected} == expected
        assert set(counted) - set(expected) <= {"share", "flops"}
        part = Fraction(held, count.total)
        if "share" in counted:
            assert float(counted["share"][0]) == float(part)
            assert share(counted["share"][1], part)
        tied = not held and any(row.tied_to for row in count.rows(place))
        assert ("share" in counted) == bool(count.rows(place) and not tied)
        assert ("flops" in counted) == bool(flops)
        aside = [one.text for one in panel.all("p", "aside")][-1]
        if flops:
            per_token = Fraction(flops, seq_len)
            assert float(counted["flops"][0]) == float(per_token)
            assert reads(counted["flops"][1], per_token)
            assert f"FLOPs per token at T = {seq_len:,}, " in aside
            of_pass = aside.split(", ")[-1].partition(" of the forward pass")[0]
            assert share(of_pass, Fraction(flops, count.run()))
            assert ("(all blocks together)" in aside) == bool(place.blocks)
        said(panel, region(chosen, "told").text, place, count)
        if held:
            worked(panel.one("details", id="w-panel"), held)
        else:
            assert not panel.all("details", id="w-panel")


def said(panel: Element, line: str, place: Place, count: Second) -> None:
    """The line below the bar, and the sentences of the panel, that have the same figures."""
    held = count.held(place)
    part = Fraction(held, count.total)
    aloud, over = line.removesuffix("."), panel.one("p", "tag").text
    if held:
        assert aloud.endswith(f"{held:,} parameters")
        assert share(over.rpartition(" · ")[2].removesuffix(" of the model"), part)
        assert f", {over.rpartition(' · ')[2]}, " in aloud
    elif any(row.tied_to for row in count.rows(place)):
        assert aloud.endswith("0 parameters of its own, it reuses the token table")
        assert over.endswith("no parameters of its own")
    else:
        assert aloud.endswith("no parameters")
    stack = next(one for one in count.model.stacks if one.id == (place.stack or one.id))
    sentence = panel.one("p", "count").text
    many = len(place.blocks)
    if count.rows(place) and many > 1:
        assert f" across {'all' if many == stack.blocks else 'its'} {many:,}, " in sentence
    assert (" in its one block, " in sentence) == (many == 1 and bool(count.rows(place)))


# DeepSeek V3 has a buffer beside.
@pytest.mark.parametrize(("slug", "seq_len"), [*CASES, ("deepseek-v3", 7)])
def test_the_tables_of_shapes(slug: str, seq_len: int) -> None:
    state, count = at(slug, seq_len), second(slug, seq_len)
    bodies = region(state, "parts").all("div", "body")
    for place, body in zip(count.places(), bodies, strict=True):
        panel = region(selected(state, place), "panel")
        for drawn, shown in ((True, panel.one("table", "shapes")), (False, body.one("table", "shapes"))):
            rows = shown.one("tbody").all("tr")
            weights = [row for row in rows if row.classes == ["weight"]]
            others = rows[len(weights) :]
            assert {row.classes[0] for row in others} <= {"activation"}
            assert len(shown.one("thead").all("th")) == (4 if drawn else 3)
            assert {len(row.all("td")) for row in rows} == {3 if drawn else 2}
            found = sorted(shapes_of(weights))
            assert found == sorted(expected_weights(count, place))
            assert {row.all("td")[-1].text for row in others} <= {"not a weight"}
            computed = [(row["data-symbol"], row.one("span", "size").text) for row in others]
            assert computed == [(name, size) for name, size, _ in activations(count, place)]
            grown = {row["data-symbol"]: [one.text for one in row.all("span", "more")] for row in others}
            assert grown == {name: [f"grows with {how}"] if how else [] for name, _, how in activations(count, place)}
            assert not shown.all("span", "mark")
        how = depending(count, place)
        assert how in panel.text


def shapes_of(rows: list[Element]) -> list[tuple[str, str, str, str]]:
    """Symbol, shape, how many, and parameters with what is said of them."""
    found = []
    for row in rows:
        cells = row.all("td")
        ((value, words),) = cells[-1].values
        assert words == f"{int(value):,}"
        many = "".join(one.text for one in cells[0].all("span", "more"))
        found.append(
            (
                row["data-symbol"],
                row.one("span", "size").text,
                many,
                f"{value} {cells[-1].text[len(words) :].removeprefix(', ')}",
            )
        )
        assert row.one("th").text == row["data-symbol"].replace("_", "")
    return found


@pytest.mark.parametrize("slug", dict(CASES))
def test_how_the_checkpoint_stores_a_part(slug: str) -> None:
    count = second(slug, dict(CASES)[slug])
    state = at(slug, count.seq_len)
    for place in count.places():
        rows = count.rows(place)
        stored = region(selected(state, place), "panel").all("table", "stored")
        assert len(stored) == bool(rows)
        found = [
            [cell.text for cell in row.all("th") + row.all("td")]
            for table in stored
            for row in table.one("tbody").all("tr")
        ]
        assert sorted(one[:2] for one in found) == sorted(
            [row.name, " × ".join(f"{size:,}" for size in row.shape)] for row in rows
        )
        for name, _, how in found:
            (row,) = (one for one in rows if one.name == name)
            if row.tied_to:
                assert how == f"not stored: it is {row.tied_to}"
                continue
            words = []
            if len(row.matrices) > 1:
                words.append(f"{', '.join(symbols(row.matrices))} in one")
            words += [row.layout] if row.layout else []
            if row.matrices and len(row.shape) == 2 and row.shape[0] != row.shape[1]:
                words.append("in × out" if row.shape[0] == row.matrices[0].inputs else "out × in")
            assert how == "; ".join(words)


def symbols(matrices: tuple[Matrix, ...]) -> list[str]:
    """Symbols without the mark of a subscript."""
    return [one.symbol.replace("_", "") for one in matrices]


@pytest.mark.parametrize("slug", dict(CASES))
def test_the_list_of_parts(slug: str) -> None:
    count = second(slug, dict(CASES)[slug])
    whole = region(at(slug, count.seq_len), "parts").one("details", id="all-parts")
    listed = whole.one("div", "list").all("details")
    for place, one in zip(count.places(), listed, strict=True):
        held = count.held(place)
        part = Fraction(held, count.total)
        line = one.one("summary")
        assert line.one("span", "exact").text == f"{held:,}"
        assert share(line.one("span", "percent").text, part)
        assert line.one("rect", "fill")["width"] == f"{rounded(part * 100, 1)}%"
        assert line.one("rect", "track")["width"] == "100%"
        several = len(count.kinds(place.stack)) > 1 if place.blocks and place.stack else False
        address = (place.id, place.stack if count.several else None, place.label if several else None)
        for element in (one, line):
            assert tuple(element.get(f"data-{key}") for key in ("part", "stack", "blocks")) == address


@pytest.mark.parametrize("slug", dict(CASES))
def test_the_running_sum(slug: str) -> None:
    count = second(slug, dict(CASES)[slug])
    state, places = at(slug, count.seq_len), count.places()
    seen, sum_ = State(visited=frozenset()), 0
    state = choose_seq_len(choose_model(seen, slug), str(count.seq_len))
    for number, place in enumerate(places):
        shown = region(state, "try-this")
        assert shown.one("p", id="running-sum").values == [
            (str(sum_), f"{sum_:,}"),
            (str(count.total), f"{count.total:,}"),
        ]
        assert f"{number} of {len(places)} parts so far" in shown.text
        following = shown.one("a", id="try-next")
        assert following["href"].endswith(f"part={place.id}") or f"part={place.id}&" in following["href"]
        state = selected(state, place).settled()
        sum_ += count.held(place)
    entry = state.loaded.entry
    told = "exactly what the released checkpoint holds." in region(state, "try-this").text
    assert told == (entry is not None and entry.released_total == count.total)
    assert not region(state, "try-this").all("a", id="try-next")


@pytest.mark.parametrize(("slug", "seq_len"), CASES)
def test_the_controls(slug: str, seq_len: int) -> None:
    state = at(slug, seq_len)
    control = region(state, "length-control")
    fixed, context = "tokens" in state.loaded.fixed_lengths, state.loaded.context or 1_048_576
    field, slider = control.one("input", id="seq-len"), region(state, "bar-rest").one("input", id="seq-len-slider")
    assert (field["min"], field["max"], field["value"], field["step"]) == ("1", str(context), str(seq_len), "1")
    # Two steps to each doubling, a power of two and half as much again, and the longest at the end.
    scale = sorted({1, context, *(n for k in range(1, 40) for n in (2**k, 3 * 2 ** (k - 1)) if n < context)})
    below = sum(step <= seq_len for step in scale) - 1
    assert (slider["min"], slider["max"], slider["value"]) == ("0", str(len(scale) - 1), str(below))
    assert slider["aria-valuetext"] == f"T = {seq_len:,}"
    assert [one.get("disabled") is not None for one in (field, slider)] == [fixed, fixed]
    hint = f"in tokens, fixed at {context:,} by this model" if fixed else f"in tokens, 1 to {context:,}"
    assert control.one("span", id="seq-len-hint").text == hint
    tried = [one["data-value"] for one in region(state, "try-this").all("button", id="try-length")]
    assert tried == ([] if fixed else [str(1 if seq_len == context else context)])
    options = region(state, "model-control").all("option")
    assert [one["value"] for one in options if one.get("selected") is not None] == [slug]
    assert len(options) == len({one["value"] for one in options}) == len(anatomy.entries())


def test_every_equation_of_the_page_holds() -> None:
    for slug, seq_len in CASES:
        for name in ("figures", "where", "compute", "memory", "conventions"):
            for equation in equations(regions(at(slug, seq_len), (name,))[name]):
                assert holds(equation), equation
