"""Decode steps: what one token costs that finds the others in a cache."""

import pytest

import anatomy
from anatomy.counts import decoding, flops
from anatomy.model.switches import CAUSAL
from anatomy.report.anatomy import default_seq_len

DECODERS = [slug for slug in anatomy.entries() if anatomy.load(slug).decodes]


@pytest.mark.parametrize("t", [1, 8, 1000])
def test_a_step_by_hand(t: int) -> None:
    # Llama 3 8B: projections with 32 query and 8 KV heads of 128, a gated MLP, 128,256 logits, T keys for each head.
    weights = 32 * (4096 * 128 * (2 * 32 + 2 * 8) + 3 * 4096 * 14336) + 4096 * 128256
    attention = 32 * 32 * 2 * 128 * t
    assert decoding.step(anatomy.load("llama-3-8b"), t).per_pass == 2 * (weights + attention)


@pytest.mark.parametrize("slug", [slug for slug in DECODERS if len(anatomy.load(slug).stacks) == 1])
def test_the_steps_of_a_text_cost_what_one_causal_pass_costs(slug: str) -> None:
    model = anatomy.load(slug)
    steps = sum(decoding.step(model, t).per_pass for t in range(1, 13))
    assert steps == model.flops(12, CAUSAL).per_pass


@pytest.mark.parametrize("slug", ["mistral-7b-v0.1", "gemma-3-1b", "llama-4-scout", "phi-3-mini"])
def test_at_the_edge_of_a_window_too(slug: str) -> None:
    model = anatomy.load(slug)
    edge = next(record.window or record.chunk for record in model.attention if record.window or record.chunk)
    assert edge is not None
    for t in (edge - 1, edge, edge + 1, min(edge + 7, flops.longest(model))):
        gained = model.flops(t, CAUSAL).per_pass - model.flops(t - 1, CAUSAL).per_pass
        assert decoding.step(model, t).per_pass == gained


def test_a_step_reads_what_windows_and_chunks_let_it_read() -> None:
    model = anatomy.load("mistral-7b-v0.1")
    assert decoding.step(model, 32768).per_pass == decoding.step(model, 4096).per_pass
    # Gemma 3 27B at 8,192: 52 blocks meet 1,024 keys, 10 meet all, 32 heads of 128 for queries, 16 for keys and values.
    products = 62 * (5376 * 128 * (2 * 32 + 2 * 16) + 3 * 5376 * 21504) + 5376 * 262208
    keys = 52 * 1024 + 10 * 8192
    step = decoding.step(anatomy.load("gemma-3-27b"), 8192)
    assert step.per_pass == 2 * products + 4 * 32 * 128 * keys == 56_230_576_128
    assert step.per_pass + 4 * 32 * 128 * 52 * (8192 - 1024) == 62_337_482_752  # what the full square would charge
    # gpt-oss-120b at 131,072: of 36 blocks 18 look back 128 keys; 4 of 128 experts.
    products = 36 * (2880 * 64 * (2 * 64 + 2 * 8) + 2880 * 128 + 4 * 3 * 2880 * 2880) + 2880 * 201088
    keys = 18 * 128 + 18 * 131072
    step = decoding.step(anatomy.load("gpt-oss-120b"), 131072)
    assert step.per_pass == 2 * products + 4 * 64 * 64 * keys == 48_954_654_720
    # Llama 4 Scout: 36 blocks see their chunk of 8,192 so far, 3,616 keys of it at 20,000; 12 see all.
    scout = anatomy.load("llama-4-scout")
    assert decoding.step(scout, 20000).attention == 4 * 40 * 128 * (36 * ((20000 - 1) % 8192 + 1) + 12 * 20000)


def test_the_source_is_read_from_the_cache() -> None:
    # T5 small's decoder, alone: 6 blocks of width 512, 8 heads of 64, an MLP of 2,048; cross-attention has no K and V.
    model = anatomy.load("t5-small")
    weights = 6 * (4 * 512 * 512 + 2 * 512 * 512 + 2 * 512 * 2048) + 512 * 32128
    attention = 6 * 2 * 8 * 64 * (10 + 10)
    assert decoding.step(model, 10).per_pass == 2 * (weights + attention)
    whisper = decoding.step(anatomy.load("whisper-small"), 5)
    met = {term.factors[2].value for term in whisper.terms if term.part == "decoder/block/cross-attention"}
    assert 1500 in met
    assert not [term for term in whisper.terms if term.part.startswith("encoder")]


def test_latent_attention_is_eager_or_absorbed() -> None:
    model, t = anatomy.load("deepseek-v3"), 1000
    eager, absorbed = decoding.step(model, t), decoding.absorbed(model, t)
    assert eager.attention == 2 * 61 * 128 * t * (192 + 128)
    assert absorbed.attention == 2 * 61 * 128 * t * (576 + 512)
    assert eager.per_pass - eager.attention == absorbed.per_pass - absorbed.attention


@pytest.mark.parametrize("slug", [slug for slug in anatomy.entries() if slug not in DECODERS])
def test_encoders_have_no_step(slug: str) -> None:
    assert {stack.id for stack in anatomy.load(slug).stacks} == {"encoder"}


@pytest.mark.parametrize("slug", DECODERS)
def test_a_step_costs_more_the_longer_the_cache(slug: str) -> None:
    model = anatomy.load(slug)
    top = default_seq_len(model, 400)
    costs = [decoding.step(model, t).per_pass for t in (1, 2, top // 2, top)]
    assert costs == sorted(costs)


def test_a_step_beyond_the_context_is_refused() -> None:
    with pytest.raises(anatomy.SequenceLengthError):
        decoding.step(anatomy.load("gpt2"), 1025)
