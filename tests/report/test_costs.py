"""What a model costs: the parts of a run, of a cache and of a need add up, and curves pass through their figures."""

import pytest

import anatomy
from anatomy.model.switches import CHOICES, Options
from anatomy.model.terms import rounded_up, total
from anatomy.report.anatomy import default_seq_len

SLUGS = list(anatomy.entries())


@pytest.mark.parametrize("slug", SLUGS)
def test_what_is_made_up_of_others_is_their_sum(slug: str) -> None:
    model = anatomy.load(slug)
    shown = anatomy.describe(model, default_seq_len(model, 700))
    for run in CHOICES["run"]:
        costs = shown.under(Options(run=run, square="causal", cache="int4", weights="int8", batch=3))
        assert sum(working.result for _, working in costs.by_part) == costs.run.per_pass
        assert costs.per_token.result * costs.run.tokens == costs.run.per_pass == costs.per_pass.result
        assert costs.split_at(shown.seq_len).both == costs.run.per_token
    cache = costs.kv_cache
    kept = sum(working.result for _, working in costs.kv_kinds)
    assert kept == (cache.result if cache else 0)
    assert [rounded_up(working.result) for _, working in costs.kv_kinds] == list(costs.cache_at(shown.seq_len))
    assert costs.needed.result == (kept if costs.serves else 0) + costs.weights("int8").result + costs.peak()[1].result


def test_the_switches_reach_what_they_are_for() -> None:
    shown = anatomy.describe(anatomy.load("llama-3-8b"), 1024)
    cache = 1024 * 131072
    assert [getattr(shown.under(Options(cache=dtype)).kv_cache, "result", 0) for dtype in CHOICES["cache"]] == [
        2 * cache,
        cache,
        cache // 2,
        cache // 2,
        cache // 4,
    ]
    assert getattr(shown.under(Options(batch=5)).kv_cache, "result", 0) == 5 * cache
    assert getattr(shown.under(Options(batch=5)).kv_per_token, "result", 0) == 131072
    assert shown.under(Options(weights="fp32")).activations_in == "fp32"
    assert shown.under(Options(weights="fp32")).peak()[1].result == 2 * shown.costs.peak()[1].result
    plain, mixed = (shown.costs.weights("int4", mixed=one).result for one in (False, True))
    assert plain == rounded_up(total(shown.costs.weights("bf16").terms)) // 4 < mixed


def test_equal_costs_are_worked_out_once() -> None:
    bert = anatomy.describe(anatomy.load("bert-base-uncased"), 8)
    assert bert.under(Options(run="decode", unembedding="last")) is bert.costs


def test_curves_reach_the_longest_t_and_the_crossing() -> None:
    costs = anatomy.describe(anatomy.load("gpt2"), 8).costs
    lengths = [point.seq_len for point in costs.split_curve]
    assert lengths[0] == 1
    assert {1024, 6703} <= set(lengths)
    assert lengths[-1] == 6703 * 3 // 2
    assert [at for at, _ in costs.cache_curve][-1] == 1024
    fixed = anatomy.describe(anatomy.load("vit-base"), 197).costs
    assert (fixed.split_curve, fixed.cache_curve, fixed.kv_cache, fixed.kv_kinds) == ((), (), None, ())
