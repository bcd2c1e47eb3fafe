"""Training steps, and the shortcuts 2N, 6N and 12 L d² with all that lies between them and the count."""

import pytest

import anatomy
from anatomy.counts import decoding, training
from anatomy.counts.shortcuts import twelve_l_d_squared, two_n
from anatomy.model.terms import total
from anatomy.report.anatomy import default_seq_len

SLUGS = list(anatomy.entries())


@pytest.mark.parametrize("slug", SLUGS)
def test_a_step_is_three_passes_and_four_with_recomputation(slug: str) -> None:
    model = anatomy.load(slug)
    t = default_seq_len(model, 100)
    forward = model.flops(t).per_pass
    assert training.step(model, t).per_pass == 3 * forward
    assert training.step(model, t, recomputing=True).per_pass == 4 * forward


@pytest.mark.parametrize("slug", SLUGS)
def test_steps_lead_from_each_shortcut_to_the_count(slug: str) -> None:
    model = anatomy.load(slug)
    t = default_seq_len(model, 100)
    runs = [(model.flops(t), 1), (training.step(model, t), 3), (training.step(model, t, recomputing=True), 4)]
    if model.decodes:
        runs.append((decoding.step(model, t), 1))
    for run, passes in runs:
        shortcut = two_n(model, run, passes)
        assert shortcut.value == 2 * passes * model.active_parameters * run.tokens
        assert shortcut.value + sum(total(terms) for _, terms in shortcut.steps) == run.per_pass == shortcut.exact
    blocks = sum(stack.blocks for stack in model.stacks)
    square = twelve_l_d_squared(model)
    assert square.value == 12 * blocks * model.width**2
    assert square.value + sum(total(terms) for _, terms in square.steps) == model.parameters_without_embeddings


def test_what_lies_between_is_named() -> None:
    model = anatomy.load("gpt2")
    steps = {name: total(terms) for name, terms in two_n(model, training.step(model, 8), 3).steps}
    assert steps == {
        "tables": -6 * 8 * 39383808,
        "vectors": -6 * 8 * (38400 + 82944),
        "tied": 6 * 8 * 38597376,
        "attention": 3 * 8 * 8 * 2 * 2 * 12 * 768,
    }
    assert training.step(model, 8).per_token == 3 * 247358976


def test_the_published_six_n_of_gpt_3() -> None:
    # Brown et al. 2020, table D.1: 174,600M parameters, 300B tokens, 3.14e23 FLOPs by 6N.
    model = anatomy.load("gpt-3-175b")
    found = two_n(model, training.step(model, 2048), 3)
    assert found.value * 300 * 10**9 // 2048 // 10**21 == 314
