"""Parameters as terms: each kind of tensor is a product in one order, and the products add up to the count."""

import pytest

import anatomy
from anatomy.counts import parameters
from anatomy.model.terms import total
from anatomy.report import describe

# Stored (in, out) and (out, in), fused, stacked experts (in order and flat), a latent, convolutions, patches.
MODELS = ("gpt2", "llama-3-70b", "gpt-oss-20b", "dbrx", "mixtral-8x7b", "deepseek-v3", "whisper-tiny", "vit-base")


@pytest.mark.parametrize("slug", MODELS)
def test_a_working_has_its_matrices_as_the_table_of_weights_has_them(slug: str) -> None:
    model = anatomy.load(slug)
    shown = describe(model, model.fixed_lengths.get("tokens", 8))
    matrices = {matrix.symbol for row in model.rows for matrix in row.matrices}
    seen = set()
    for part in shown.parts:
        for weight in part.weights:
            if weight.symbol not in matrices or not weight.parameters:
                continue
            term = next(term for term in part.terms if weight.symbol in term.label.split(", "))
            first, second = term.factors[:2]
            assert (first.label, second.label, first.value) == ("in", "out", weight.shape[0])
            # What is fused has the outputs of all its matrices.
            assert second.value == weight.shape[1] or ", " in term.label
            seen.add(weight.symbol)
    assert len(seen) >= 4


@pytest.mark.parametrize("slug", MODELS)
def test_the_terms_come_to_what_the_rows_hold(slug: str) -> None:
    model = anatomy.load(slug)
    assert total(parameters.of_model(model)) == model.parameters == sum(row.parameters for row in model.rows)


def test_the_formula_names_in_and_out() -> None:
    rows = {row.part: row for row in anatomy.load("llama-3-70b").rows}
    keys = parameters.term(rows["block/attention/key"])
    assert [(one.label, one.value) for one in keys.factors] == [("in", 8192), ("out", 1024), ("layers", 80)]
    experts = next(row for row in anatomy.load("gpt-oss-20b").rows if row.part == "block/experts/down" and row.matrices)
    assert [factor.label for factor in parameters.term(experts).factors] == ["in", "out", "experts", "layers"]
