"""Two models side by side: both numbers, exact ratios, and what differs in kind."""

import itertools
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
        ("mistral-7b-v0.1", "llama-3-8b", "limits every block to a window of 4,096 tokens; Llama 3 8B limits no block"),
        ("gemma-2-9b", "llama-3-8b", "limits 21 of its 42 blocks to a window of 4,096 tokens"),
        ("bloom-560m", "gpt2", "adds a penalty for distance to the scores (ALiBi)"),
        ("gpt-j-6b", "gpt2", "computes attention and MLP side by side"),
        ("qwen2.5-7b", "llama-3-8b", "has biases on W_Q, W_K, W_V only; Llama 3 8B has no biases on its projections"),
        ("whisper-tiny", "t5-small", "has biases on all its projections but W_K"),
        ("glm-4.5", "llama-3-8b", "has biases on W_Q, W_K, W_V only"),
        ("stablelm-2-1.6b", "llama-3-8b", "has biases on W_Q, W_K, W_V only"),
        ("t5-base", "gpt2", "attends in both directions in its encoder, to earlier tokens only in its decoder"),
        ("phi-4-mini", "phi-4", "rotates 96 of 128 numbers of a head"),
        ("llama-4-scout", "llama-4-maverick", "normalises queries and keys without a learned scale"),
        ("olmo-1b", "llama-2-7b", "uses LayerNorm without a scale"),
        ("gemma-2b", "llama-2-7b", "uses RMSNorm with a scale of 1 + γ"),
        ("gemma-2b", "llama-2-7b", "takes embeddings multiplied by √d"),
        ("gemma-2-2b", "gemma-2-27b", "takes scores divided by √144, capped at 50"),
        ("granite-3.0-2b", "granite-3.0-8b", "takes logits divided by 8"),
        ("granite-3.0-2b", "llama-2-7b", "adds results multiplied by 0.22"),
        ("bloom-560m", "gpt2", "and its embeddings"),
        ("gpt-3-175b", "gpt2", "attends in sparse bands in every other block"),
        ("dbrx", "mixtral-8x7b", "cuts off queries, keys and values at ±8"),
        ("deepseek-v2", "deepseek-v3", "weighs experts by the softmax, times 16, in 3 of 8 groups"),
        ("qwen1.5-moe-a2.7b", "mixtral-8x7b", "has a shared expert"),
        ("llama-4-scout", "mixtral-8x7b", "multiplies what an expert reads by the sigmoid of its score"),
        ("smollm3-3b", "smollm2-135m", "in 27 of its 36 blocks"),
        ("gemma-3-1b", "gemma-2-2b", "(10,000 in windows)"),
        ("vit-base", "vit-base-in21k", "has a classifier and no unembedding"),
        ("olmo-2-7b", "gpt2", "normalises each part's output; GPT-2 small normalises before each part"),
        ("gemma-2-9b", "gpt2", "normalises before and after each part; GPT-2 small normalises before each part"),
        ("bert-base-uncased", "gpt2", "normalises after each addition; GPT-2 small normalises before each part"),
        ("gpt-oss-20b", "gpt2", "has an MLP of three matrices ("),
        ("gpt2", "llama-3-8b", "has an MLP of two matrices (GELU"),
    ],
)
def test_what_differs_in_kind_is_said(first: str, second: str, said: str) -> None:
    sentences = [one.sentence for one in between(anatomy.load(first), anatomy.load(second))]
    assert any(said in sentence for sentence in sentences), sentences


def test_sizes_alone_are_no_difference_in_kind() -> None:
    """Of all pairs of the catalogue only these differ in size alone: every field of the computation is looked at."""
    alike = [
        {"gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl"},
        {"pythia-70m", "pythia-160m"},
        {"whisper-tiny", "whisper-small", "whisper-large-v3"},
        {"bart-large", "bart-large-cnn"},
        {"bert-base-uncased", "roberta-base"},
        {"t5-v1.1-small", "flan-t5-xl"},
        {"llama-2-70b", "tinyllama-1.1b"},
    ]
    known = {slug for group in alike for slug in group}
    others = sorted(set(anatomy.entries()) - known)
    for first, second in itertools.combinations(sorted(known) + others[::3], 2):
        same = any({first, second} <= group for group in alike)
        assert (not between(anatomy.load(first), anatomy.load(second))) == same, (first, second)


def test_a_softmax_over_the_chosen_is_a_rescaled_one() -> None:
    sentences = " ".join(one.sentence for one in between(anatomy.load("mixtral-8x7b"), anatomy.load("dbrx")))
    assert "weighs" not in sentences


def test_the_length_must_suit_both() -> None:
    gpt2, llama, vit = (anatomy.load(slug) for slug in ("gpt2", "llama-3-70b", "vit-base"))
    assert common_seq_len(llama, gpt2, 8192) == 1024
    assert common_seq_len(gpt2, vit, 8) == 197
    with pytest.raises(anatomy.SequenceLengthError, match="GPT-2 small: sequence length is 8192; accepted"):
        compare(llama, gpt2, 8192)
    assert compare(llama, gpt2, 1024).seq_len == 1024


def test_like_is_held_against_like() -> None:
    side = compare(anatomy.load("deepseek-v3"), anatomy.load("llama-3-70b"), 8)
    parts = {line.id: line for line in side.parts}
    # 3 dense blocks are not held against 80: what one of them holds is.
    assert (parts["mlp"].first, parts["mlp"].second, parts["mlp"].ratio) == (1189085184, 56371445760, None)
    assert parts["attention"].ratio == Fraction(12079595520, 11413422080 + 61 * (1536 + 512))
    figures = {line.id: (line.first, line.second) for line in side.figures}
    attention, norms = 7168 * 1536 + 1536 * 24576 + 7168 * 576 + 512 * 32768 + 16384 * 7168, 2 * 7168 + 1536 + 512
    dense = attention + norms + 3 * 7168 * 18432
    routed = attention + norms + 7168 * 256 + 257 * 3 * 7168 * 2048
    assert figures["blocks-dense"] == (3, 80)
    assert figures["block-dense"] == (dense, 8192 * 128 * (2 * 64 + 2 * 8) + 3 * 8192 * 28672 + 2 * 8192)
    assert (figures["blocks-routed"], figures["block-routed"]) == ((58, None), (routed, None))
    assert figures["weights-bytes"] == (673150552416, 2 * 70553706496)
    assert (figures["heads"], figures["kv-heads"], figures["head-size"]) == ((128, 64), (None, 8), (192, 128))
    assert (figures["mlp-width"], figures["expert-width"]) == ((18432, 28672), (2048, None))
    assert (figures["experts"], figures["experts-per-token"]) == ((256, None), (8, None))
    assert figures["kv-per-token"] == (61 * (512 + 64) * 2, 327680)


def test_every_ratio_goes_one_way_and_says_which() -> None:
    gpt2, llama = anatomy.load("gpt2"), anatomy.load("llama-3-70b")
    ends = "; every ratio is of its number to the other’s."
    said = "Llama 3 70B has 567 times as many parameters as GPT-2 small"
    assert compare(gpt2, llama, 8).direction == said + ends
    said = "GPT-2 small has 0.00176 times as many parameters as Llama 3 70B"
    assert compare(llama, gpt2, 8).direction == said + ends
    assert compare(gpt2, gpt2, 8).direction == "GPT-2 small has as many parameters as GPT-2 small" + ends
