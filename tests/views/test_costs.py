"""The sections on costs as strings: switches, figures, plots, for every kind of model."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

import anatomy
from anatomy.model.switches import CHOICES, DEFAULT, Options
from anatomy.report.anatomy import default_seq_len
from anatomy.views import (
    compute,
    conventions,
    curves,
    figures,
    memory,
    switches,
)
from anatomy.views.drawing.plot import (
    across,
    down,
    drawn,
    octaves,
)
from anatomy.visit import steps
from anatomy.visit.state import State
from anatomy.words.formatting import operations

SLUGS = list(anatomy.entries())


def data(markup: str) -> list[int]:
    return [int(value) for value in re.findall(r'<data value="(-?\d+)"', markup)]


@pytest.mark.parametrize("slug", SLUGS)
@pytest.mark.parametrize("run", CHOICES["run"])
def test_parts_of_a_pass_add_up_to_it(slug: str, run: str) -> None:
    state = steps.choose_option(steps.choose_model(State(), slug), "run", run)
    made = str(compute.view(state))
    parts = re.findall(r'<span class="exact"><data value="(\d+)">', made)
    assert sum(map(int, parts)) == state.costs.run.per_pass
    assert f'<data value="{state.costs.run.per_pass}">{operations(state.costs.run.per_pass)}</data>' in made


@pytest.mark.parametrize("switch", list(CHOICES))
def test_the_chosen_one_is_marked_and_all_have_labels(switch: str) -> None:
    for value in CHOICES[switch]:
        state = steps.choose_option(State(), switch, value)
        made = str(switches.view(state))
        (choices,) = re.findall(rf'<select id="{switch}".*?</select>', made)
        assert re.findall(r'<option value="([^"]+)" selected>', choices) == [value]
        assert f'<label for="{switch}">' in made


def test_what_a_model_cannot_do_is_disabled_and_said() -> None:
    bert = str(switches.view(steps.choose_option(steps.choose_model(State(), "bert-base-uncased"), "run", "decode")))
    assert re.search(r'<option value="decode" disabled>Decode step: [^<]*writes no next token<', bert)
    assert '<option value="prefill" selected>' in bert
    training = str(switches.view(steps.choose_option(State(), "run", "train")))
    said = "a training step has a target at every position"
    assert f'<option value="last" disabled>Last only: {said}<' in training


def test_a_refused_batch_is_said_beside_it_and_changes_nothing() -> None:
    state = steps.choose_option(State(), "batch", "none")
    assert state.options == DEFAULT
    said = 'id="batch-notice" class="notice" role="status">Batch "none" is no whole number'
    assert said in str(switches.view(state))


@pytest.mark.parametrize("slug", SLUGS)
def test_curves_are_drawn_inside_their_box_and_the_marker_stands_on_one(slug: str) -> None:
    model = anatomy.load(slug)
    top = anatomy.report.anatomy.default_seq_len(model, 10**9)
    for t in sorted({anatomy.report.anatomy.default_seq_len(model, 8), top}):
        for options in (DEFAULT, Options(run="decode", square="causal", cache="int4")):
            found = anatomy.describe(model, t).under(options)
            for plot in (curves.flops_plot(found), curves.cache_plot(found)):
                if plot is None:
                    continue
                markup = str(drawn(plot))
                ElementTree.fromstring(markup)
                for x, y in re.findall(r"(-?\d+) (-?\d+)", "".join(re.findall(r' d="([^"]+)"', markup))):
                    assert 0 <= int(x) <= 10000
                    assert 0 <= int(y) <= 2300
                now = plot.marks[0]
                assert (now.id, now.seq_len) == ("now", t)
                assert f'class="mark m-now" data-t="{t}"' in markup
                both = dict(plot.series[0].points)
                assert t not in both or abs(both[t] - (now.value or 0)) <= 1


def test_a_cache_is_drawn_beside_something_to_compare_it_to() -> None:
    def series(slug: str) -> list[str]:
        model = anatomy.load(slug)
        plot = curves.cache_plot(anatomy.describe(model, default_seq_len(model, 8)).costs)
        return [one.label for one in plot.series] if plot else []

    assert series("gpt2") == ["cache of 12 layers, all of T", "the weights, 249 MB"]
    assert series("gemma-3-1b") == ["all layers", "22 layers, window of 512", "4 layers, all of T"]
    for slug in anatomy.entries():
        assert len(series(slug)) != 1, slug


@pytest.mark.parametrize("slug", ["vit-base", "vit-base-in21k"])
def test_one_length_has_no_curve_but_its_split(slug: str) -> None:
    state = steps.choose_model(State(), slug)
    made = str(compute.view(state))
    assert "flops-plot" not in made
    assert "The model runs at this one length." in made
    assert "It keeps no KV cache" in str(memory.view(state))


def test_places_on_a_log_axis_are_exact() -> None:
    for value in (1, 2, 3, 10, 1000, 10**15, 2**60, 2**60 - 1):
        place = octaves(value)
        assert 2**place <= value**64 < 2 ** (place + 1)
    assert across(1024, 1024**2) == 5000
    assert down(10**3, (0, 6)) in (1150, 1151)


@pytest.mark.parametrize("slug", SLUGS)
def test_each_headline_figure_opens_its_working(slug: str) -> None:
    made = str(figures.view(steps.choose_model(State(), slug)))
    names = re.findall(r'<div data-figure="([^"]+)">', made)
    assert re.findall(r'<details id="w-([^"]+)" class="working">', made) == names


def test_the_name_table_has_every_size_and_marks_the_current_model() -> None:
    made = str(conventions.view(steps.choose_model(State(), "gemma-7b")))
    assert "Its name says 7B; it holds 8,537,680,896, 22.0% more." in made
    assert made.count('aria-current="true"') == 1
    assert '<tr class="now" aria-current="true"><th scope="row">Gemma 7B</th><td>7B</td>' in made
    assert "GPT-2 small has no size in its name." in str(conventions.view(State()))


def test_gib_and_gb_are_both_labelled() -> None:
    made = str(memory.view(steps.choose_model(State(seq_len=8192), "llama-3-70b")))
    assert '<data value="2684354560">2.68 GB</data> · 2.50 GiB' in made
    assert '<data value="141107412992">141 GB</data> · 131 GiB' in made


@pytest.mark.parametrize(
    "sizes",
    [
        {"hidden_size": 10**12, "vocab_size": 10**12, "num_hidden_layers": 10**9, "max_position_embeddings": 10**12},
        {"hidden_size": 1, "vocab_size": 1, "num_hidden_layers": 1, "max_position_embeddings": 1},
    ],
)
def test_sizes_that_no_one_builds_are_counted_and_drawn(sizes: dict[str, int]) -> None:
    model = anatomy.load(
        {"model_type": "mistral", "intermediate_size": 3, "num_attention_heads": 1, "num_key_value_heads": 1, **sizes}
        | {"head_dim": 2}
    )
    for options in (DEFAULT, Options(square="causal", run="train")):
        found = anatomy.describe(model, 1).under(options)
        for plot in (curves.flops_plot(found), curves.cache_plot(found)):
            assert plot is not None
            ElementTree.fromstring(str(drawn(plot)))
    assert "does not overtake them up to T = 1,099,511,627,776" in curves.flops_said(
        anatomy.describe(model, 1).costs
    ) or (sizes["hidden_size"] == 1)


def test_windows_everywhere_keep_attention_below_for_good() -> None:
    shown = anatomy.describe(anatomy.load("mistral-7b-v0.1"), 8)
    assert "Attention never overtakes them" in curves.flops_said(shown.under(Options(square="causal")))
    assert "Attention overtakes" in curves.flops_said(shown.costs)
