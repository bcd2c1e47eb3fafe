"""Two models side by side: both numbers, exact ratios, and what differs in kind."""

from fractions import Fraction
from itertools import combinations

import pytest

import anatomy
from anatomy.report.comparison import common_seq_len, compare
from anatomy.report.contrasts import between
from anatomy.report.document import compared

ONE_OF_EACH = {entry.config["model_type"]: slug for slug, entry in anatomy.entries().items()}


@pytest.mark.parametrize(("first", "second"), list(combinations(ONE_OF_EACH.values(), 2))[::7])
def test_any_two_models_compare_and_their_parts_add_up(first: str, second: str) -> None:
    one, other = anatomy.load(first), anatomy.load(second)
    seq_len = common_seq_len(one, other, 8)
    assert seq_len is not None
    side = compare(one, other, seq_len)
    for lines in (side.parts, side.groups):
        assert sum(line.first or 0 for line in lines) == one.parameters
        assert sum(line.second or 0 for line in lines) == other.parameters
    for contrast in side.contrasts:
        assert one.name in contrast.sentence
        assert other.name in contrast.sentence
    assert compared(side)["seq_len"] == seq_len


def test_gpt2_small_and_llama_3_70b() -> None:
    side = compare(anatomy.load("gpt2"), anatomy.load("llama-3-70b"), 8)
    parts = {line.id: line for line in side.parts}
    assert (parts["attention"].first, parts["attention"].second) == (28348416, 12079595520)
    assert parts["attention"].ratio == Fraction(12079595520, 28348416)
    assert (parts["unembedding"].first, parts["unembedding"].ratio) == (0, None)
    figures = {line.id: line for line in side.figures}
    assert (figures["flops"].first, figures["parameters"].second) == (247358976, 70553706496)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ("gpt2", "llama-3-70b", "In Llama 3 70B, 64 query heads share 8 KV heads; GPT-2 small has 12 of each."),
        ("llama-3-70b", "gpt2", "In Llama 3 70B, 64 query heads share 8 KV heads; GPT-2 small has 12 of each."),
        ("falcon-7b", "gpt2", "In Falcon 7B, 71 query heads share one KV head; GPT-2 small has 12 of each."),
        ("deepseek-v3", "gpt2", "128 heads read keys and values from one latent of 512 numbers per token"),
        ("mixtral-8x7b", "gpt2", "routes each token to 2 of 8 experts"),
        ("bert-base-uncased", "gpt2", "attends in both directions; GPT-2 small attends to earlier tokens only"),
        ("t5-base", "gpt2", "has an encoder and a decoder; GPT-2 small is a decoder"),
        ("mistral-7b-v0.1", "llama-3-8b", "lets every block see 4,096 tokens at most; Llama 3 8B lets every block see"),
        ("gemma-2-9b", "llama-3-8b", "lets 21 of its 42 blocks see 4,096 tokens at most"),
        ("bloom-560m", "gpt2", "adds a penalty for distance to the scores (ALiBi)"),
        ("gpt-j-6b", "gpt2", "computes attention and MLP side by side"),
        ("qwen2.5-7b", "llama-3-8b", "has biases in attention only; Llama 3 8B has no biases in its blocks"),
    ],
)
def test_what_differs_in_kind_is_said(first: str, second: str, said: str) -> None:
    sentences = [one.sentence for one in between(anatomy.load(first), anatomy.load(second))]
    assert any(said in sentence for sentence in sentences), sentences


def test_sizes_alone_are_no_difference_in_kind() -> None:
    assert between(anatomy.load("gpt2"), anatomy.load("gpt2-xl")) == ()


def test_the_length_must_suit_both() -> None:
    gpt2, llama, vit = (anatomy.load(slug) for slug in ("gpt2", "llama-3-70b", "vit-base"))
    assert common_seq_len(llama, gpt2, 8192) == 1024
    assert common_seq_len(gpt2, vit, 8) == 197
    with pytest.raises(anatomy.SequenceLengthError, match="GPT-2 small: sequence length is 8192; accepted"):
        compare(llama, gpt2, 8192)
    assert compare(llama, gpt2, 1024).seq_len == 1024
