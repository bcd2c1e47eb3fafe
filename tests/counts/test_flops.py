"""FLOPs against PyTorch's own counter (witness data) and against formulas written only here."""

from fractions import Fraction

import pytest

import anatomy
from anatomy.counts import flops
from anatomy.model.architecture import Attention
from anatomy.model.switches import CAUSAL


def dense_formula(
    width: int, inner: int, blocks: int, heads: int, kv: int, size: int, vocabulary: int, gated: bool, t: int
) -> int:
    """Multiply-adds of a decoder, twice, worked out by hand: projections, scores, values, MLP, unembedding."""
    projections = width * size * (2 * heads + 2 * kv)
    mlp = width * inner * (3 if gated else 2)
    square = 2 * t * heads * size
    return 2 * t * (blocks * (projections + mlp + square) + width * vocabulary)


@pytest.mark.parametrize("t", [1, 8, 100, 1024])
@pytest.mark.parametrize(
    ("slug", "shape"),
    [
        ("gpt2", (768, 3072, 12, 12, 12, 64, 50257, False)),
        ("gpt2-xl", (1600, 6400, 48, 25, 25, 64, 50257, False)),
        ("llama-3-70b", (8192, 28672, 80, 64, 8, 128, 128256, True)),
        ("mistral-nemo-12b", (5120, 14336, 40, 32, 8, 128, 131072, True)),
        ("qwen2.5-0.5b", (896, 4864, 24, 14, 2, 64, 151936, True)),
    ],
)
def test_a_pass_is_what_the_formula_gives(
    slug: str, shape: tuple[int, int, int, int, int, int, int, bool], t: int
) -> None:
    assert anatomy.load(slug).flops(t).per_pass == dense_formula(*shape, t)


def test_golden_figures_of_gpt2() -> None:
    model = anatomy.load("gpt2")
    assert model.flops(seq_len=8).per_token == 247358976
    assert model.flops(seq_len=1024).per_token == 284812800


def test_causal_counts_just_the_pairs_that_the_mask_lets_through() -> None:
    model = anatomy.load("gpt2")
    saved = 12 * 12 * (64 + 64) * 2 * (8 * 8 - 36)
    assert model.flops(8).per_pass - model.flops(8, CAUSAL).per_pass == saved


@pytest.mark.parametrize("t", [1, 2, 7, 30])
@pytest.mark.parametrize("window", [None, 1, 3, 7, 100])
def test_visible_pairs_by_walking_the_mask(t: int, window: int | None) -> None:
    record = Attention("decoder", (), 1, 1, 1, 1, window=window)
    walked = sum(1 for query in range(t) for key in range(t) if key <= query and (not window or query - key < window))
    assert flops.visible_pairs(record, t) == walked


@pytest.mark.parametrize("t", [1, 2, 7, 30])
@pytest.mark.parametrize("window", [None, 1, 3, 7, 101])
def test_a_window_without_a_causal_mask_reaches_to_both_sides(t: int, window: int | None) -> None:
    record = Attention("encoder", (), 1, 1, 1, 1, window=window, causal=False)
    walked = sum(1 for query in range(t) for key in range(t) if not window or abs(query - key) <= window // 2)
    assert flops.visible_pairs(record, t) == walked


@pytest.mark.parametrize("t", [1, 5, 8, 9, 30])
def test_chunks_do_not_look_across(t: int) -> None:
    record = Attention("decoder", (), 1, 1, 1, 1, chunk=4)
    walked = sum(1 for query in range(t) for key in range(query + 1) if key // 4 == query // 4)
    assert flops.visible_pairs(record, t) == walked


def test_a_window_as_long_as_the_sequence_saves_nothing() -> None:
    model = anatomy.load("mistral-7b-v0.1")
    record = model.attention[0]
    assert record.window == 4096
    assert flops.visible_pairs(record, 4096) == 4096 * 4097 // 2
    assert flops.visible_pairs(record, 4097) == 4096 * 4097 // 2 + 4096


def test_per_token_is_a_fraction_where_it_is_not_whole() -> None:
    model = anatomy.load("gpt2")
    causal = model.flops(6, CAUSAL)
    assert causal.per_token * 6 == causal.per_pass
    assert isinstance(flops.Flops(3, causal.terms).per_token, int | Fraction)


def test_the_kv_heads_change_projections_only() -> None:
    values = dict(anatomy.entries()["llama-3-8b"].config)
    few, many = anatomy.load(values), anatomy.load(values | {"num_key_value_heads": 32})
    projections = 2 * 8 * 32 * 2 * 4096 * (32 - 8) * 128
    assert many.flops(8).per_pass - few.flops(8).per_pass == projections


@pytest.mark.parametrize("t", [0, -1, 1025, True, 2.0, "8"])
def test_an_impossible_length_is_refused(t: object) -> None:
    with pytest.raises(anatomy.SequenceLengthError, match="accepted: an integer from 1 to 1,024"):
        anatomy.load("gpt2").flops(t)  # type: ignore[arg-type]


@pytest.mark.parametrize("slug", list(anatomy.entries()))
def test_the_parts_add_up_to_the_pass(slug: str) -> None:
    model = anatomy.load(slug)
    shown = anatomy.describe(model, anatomy.report.anatomy.default_seq_len(model, 8))
    assert sum(part.flops for part in shown.parts) == shown.full.per_pass
