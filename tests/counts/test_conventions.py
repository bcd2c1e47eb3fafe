"""What other conventions print, against figures worked out by hand or published."""

from fractions import Fraction

import pytest

import anatomy
from anatomy.counts import conventions, memory
from anatomy.report.anatomy import default_seq_len
from anatomy.words.remarks import CONVENTIONS, convention


def of(slug: str, seq_len: int = 8) -> dict[tuple[str, str], int | Fraction]:
    return {(one.figure, one.id): one.value for one in conventions.others(anatomy.load(slug), seq_len)}


def test_gpt2() -> None:
    found = of("gpt2", 1024)
    ours, square = 284812800, 4 * 768 * 12 * 1024
    expected = {
        ("parameters", "no-embeddings"): 85056000,
        ("parameters", "tied-twice"): 163037184,
        ("parameters", "twelve"): 84934656,
        ("flops", "macs"): ours // 2,
        ("flops", "causal-half"): ours - square // 2,
        ("flops", "causal"): ours - Fraction(square * 1023, 2 * 1024),
        ("flops", "no-square"): ours - square,
        ("flops", "flops-no-unembedding"): ours - 2 * 38597376,
        ("flops", "last-only"): ours - Fraction(2 * 38597376 * 1023, 1024),
        ("flops", "two-n"): 2 * 124439808,
        ("flops", "look-up"): ours + 2 * 38597376,
        ("flops", "whole-pass"): ours * 1024,
        ("kv-cache", "one-of-two"): 18874368,
        ("kv-cache", "binary"): 36,
        ("weights", "fp32"): 497759232,
        ("weights", "binary"): Fraction(248879616, 2**20),
    }
    assert found == expected


def test_mixtures_of_experts() -> None:
    found = of("mixtral-8x7b")
    assert found["parameters", "active"] == 12879925248
    experts = 32 * 3 * 4096 * 14336
    ours = anatomy.load("mixtral-8x7b").flops(8).per_token
    assert found["flops", "all-experts"] == ours + 2 * 6 * experts
    # gpt-oss's paper: 3.61B active without the token table.
    assert of("gpt-oss-20b")["parameters", "active-no-table"] == 3608307264


def test_caches() -> None:
    assert of("llama-3-70b")["kv-cache", "query-heads"] == 8 * 8 * 327680
    assert of("gemma-3-1b", 8192)["kv-cache", "no-window"] == 8192 * 26 * 2 * 256 * 2
    assert of("deepseek-v3")["kv-cache", "expanded"] == 8 * 61 * 128 * (192 + 128) * 2


@pytest.mark.parametrize("slug", list(anatomy.entries()))
def test_each_differs_from_ours_and_has_a_sentence(slug: str) -> None:
    model = anatomy.load(slug)
    found = conventions.others(model, default_seq_len(model, 300))
    assert len({(one.figure, one.id) for one in found}) == len(found)
    for one in found:
        assert one.id in CONVENTIONS
        assert one.binary or one.value != one.ours
        heading, sentence = convention(one.id, one.binary)
        assert "{" not in heading + sentence
    ours = {one.figure: one.ours for one in found}
    assert ours["parameters"] == model.parameters
    assert ours["weights"] == memory.weights_bytes(model, "bf16")
