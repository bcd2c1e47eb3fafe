"""The peak activation of one layer, worked out by hand for a few."""

import pytest

import anatomy
from anatomy.counts.peak import peak
from anatomy.report.anatomy import default_seq_len


def test_scores_of_gpt2_at_its_longest() -> None:
    t, width = 1024, 768
    step = peak(anatomy.load("gpt2"), t)
    assert step.part == "block/attention"
    assert step.bytes == 2 * (4 * t * width + 12 * t * t)


def test_hidden_numbers_of_a_gated_mlp() -> None:
    step = peak(anatomy.load("llama-3-8b"), 8, batch=3, dtype="fp32")
    assert step.part == "block/mlp"
    assert step.bytes == 3 * 4 * 8 * (2 * 4096 + 2 * 14336)


def test_of_routed_experts_those_that_are_used() -> None:
    step = peak(anatomy.load("gpt-oss-20b"), 8, fused=True)
    assert (step.part, step.bytes) == ("block/experts", 2 * 8 * (2 * 2880 + 4 * 2 * 2880))
    stored_one_by_one = peak(anatomy.load("mixtral-8x7b"), 8, fused=True)
    assert stored_one_by_one.bytes == 2 * 8 * (2 * 4096 + 2 * 2 * 14336)


def test_latent_attention_is_expanded() -> None:
    t = 4096
    held = t * 7168 + t * 128 * (192 + 192 + 128)
    assert peak(anatomy.load("deepseek-v3"), t).bytes == 2 * (held + 128 * t * t)


@pytest.mark.parametrize("slug", list(anatomy.entries()))
def test_it_grows_with_t_and_a_fused_kernel_takes_no_more(slug: str) -> None:
    model = anatomy.load(slug)
    lengths = sorted({default_seq_len(model, t) for t in (1, 9, 500, 5000)})
    found = [peak(model, t).bytes for t in lengths]
    assert found == sorted(found)
    assert all(peak(model, t, fused=True).bytes <= peak(model, t).bytes for t in lengths)
