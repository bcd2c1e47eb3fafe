"""Every part of every kind of model has a text, and every reference in a text has a number."""

import re

import pytest

import anatomy
from anatomy.report.anatomy import default_seq_len, describe
from anatomy.teaching.explanations import _PARTS, explain
from anatomy.teaching.facts import NUMBERS, Facts
from anatomy.teaching.prose import SENTENCES
from anatomy.words import labels

ALL = list(anatomy.entries())


@pytest.mark.parametrize("name", ALL)
def test_every_part_is_explained_without_a_gap(name: str) -> None:
    model = anatomy.load(name)
    shown = describe(model, default_seq_len(model))
    for part in shown.parts:
        paragraphs = explain(shown, part)
        assert paragraphs, part.id
        for text in paragraphs:
            assert text.endswith("."), (part.id, text)
            assert not re.search(r"[{}<>]|None", text), (part.id, text)


def test_every_label_has_a_text_and_every_text_a_label() -> None:
    assert set(labels._PARTS) | {"embedding", "attention"} <= set(_PARTS)


def test_every_reference_in_a_sentence_has_a_number() -> None:
    for key, sentence in SENTENCES.items():
        assert set(re.findall(r"{(\w+)}", sentence)) <= set(NUMBERS), key


def test_every_sentence_is_said_of_some_model() -> None:
    said = set()
    for slug in ALL:
        model = anatomy.load(slug)
        shown = describe(model, default_seq_len(model))
        for part in shown.parts:
            said |= {key for keys in _PARTS[part.id](Facts(shown, part)) for key in keys}
    rare = {
        "LayerNorm-offset",
        "input", "head", "at-sinusoidal", "at-none", "window-both-ways", "sharing-both-ways", "by-depth",
        "scaled-dynamic", "scaled-longrope", "scaled-yarn", "weights-sigmoid-raw", "token-unread",
    }  # fmt: skip
    assert set(SENTENCES) - said == rare


def test_no_number_is_typed_by_hand() -> None:
    for key, sentence in SENTENCES.items():
        digits = re.findall(r"\d+", sentence.replace("holds 0 parameters", ""))
        assert not digits, (key, digits)


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("gpt2", "attention", "Each of 12 heads"),
        ("gpt2", "unembedding", "W_U is tied"),
        ("llama-3-70b", "attention", "share 8 key and value heads of that size, 8 to each"),
        ("llama-3-70b", "mlp", "three matrices"),
        ("llama-3-70b", "unembedding", "It is not tied"),
        ("mistral-7b-v0.1", "attention", "at most the last 4,096 tokens"),
        ("falcon-7b", "attention", "one single key and value head"),
        ("falcon-7b", "norm-block", "Attention and MLP both read"),
        ("bloom-560m", "embedding", "ALiBi"),
        ("bloom-560m", "embedding-norm", "before they enter the first block"),
        ("bert-base-uncased", "attention", "bidirectional"),
        ("bert-base-uncased", "norm-post-attention", "After the addition the stream itself"),
        ("bert-base-uncased", "embedding", "which of two texts"),
        ("gemma-2-2b", "norm-post-mlp", "before it is added"),
        ("gemma-3-27b", "attention", "Queries and keys are normalised"),
        ("llama-4-scout", "attention", "chunk of 8,192 tokens"),
        ("llama-4-maverick", "router", "the one with the highest"),
        ("opt-350m", "embedding", "rows of 512 numbers"),
        ("opt-350m", "embedding", "2,048 positions, and 2 more"),
        ("gpt-j-6b", "attention", "Of the 256 numbers of each query and key, 64 are rotated"),
        ("gpt-j-6b", "mlp", "beside attention"),
        ("gpt-j-6b", "unembedding", "A learned b_U"),
        ("bert-base-uncased", "unembedding", "First W_T"),
        ("qwen1.5-moe-a2.7b", "shared-expert", "W_scale"),
        ("deepseek-v3", "router", "by a rule, not by gradients"),
        ("deepseek-v3", "attention", "through a latent, of 1,536 numbers"),
        ("t5-small", "attention", "Only this block, the first of its stack"),
        ("gpt-oss-20b", "attention", "learned sink"),
        ("deepseek-v3", "attention", "compressed to a latent of 512 numbers"),
        ("deepseek-v3", "experts", "only 8 of them"),
        ("t5-small", "embedding", "relative positions"),
        ("t5-small", "cross-attention", "reads the source"),
        ("t5-small", "residual", "each position of the source"),
        ("whisper-tiny", "embedding", "spectrogram"),
        ("whisper-tiny", "embedding", "sines and cosines"),
        ("vit-base", "residual", "each of the 197 positions"),
        ("vit-base", "embedding", "cut into patches"),
        ("vit-base", "head", "score for each class"),
        ("gpt2", "residual", "read it through a norm and add their results to it; norms add nothing"),
        ("gpt2", "attention", "from all 768 of a position, as the norm leaves it"),
        ("gpt2", "attention", "(12 × 64 = 768)"),
        ("gpt2", "attention", "divided by √64"),
        ("gpt2", "attention", "no token may see what it is to predict"),
        ("gpt2", "unembedding", "one that is likely is written, and the model runs again"),
        ("llama-4-scout", "router", "What the expert reads is multiplied by the sigmoid of its score"),
        ("llama-4-scout", "attention", "normalised, without a learned scale"),
        ("deepseek-v2", "router", "first the best 3 groups are chosen, then the best 6 experts"),
        ("deepseek-v3", "router", "first the best 4 groups are chosen, then the best 8 experts"),
        ("deepseek-v2", "shared-expert", "It is 2 experts of the routed ones’ size side by side"),
        ("gemma-2-2b", "embedding", "multiplied by √2,304"),
        ("granite-3.0-2b", "embedding", "multiplied by 12"),
        ("opt-350m", "embedding", "so two products follow"),
        ("vit-base-in21k", "pooler", "a summary of the image"),
        ("bert-base-uncased", "residual", "after each addition a norm rewrites the stream itself"),
        ("vit-base", "residual", "make 197 rows, whatever it shows"),
        ("vit-base", "embedding", "stands for the whole image"),
        ("deepseek-v3", "attention", "128 of the 192 numbers of each key; the other 64 are made past the latent"),
        ("deepseek-v3", "attention", "only 64 are rotated"),
        ("deepseek-v3", "attention", "scores are multiplied by (0.1 · ln 40 + 1)² (YaRN)"),
        ("gpt-3-175b", "attention", "In every other block of the published model attention is sparse"),
        ("phi-4-mini", "attention", "A window of 262,144 tokens is set, but the longest text has 131,072"),
        ("phi-4-mini", "attention", "96 are rotated"),
        ("pythia-160m", "attention", "16 are rotated"),
        ("gpt-neox-20b", "attention", "24 are rotated"),
        ("phi-2", "attention", "32 are rotated"),
        ("phi-1.5", "attention", "32 are rotated"),
        ("stablelm-3b-4e1t", "attention", "20 are rotated"),
        ("glm-4.5", "attention", "64 are rotated"),
        ("smollm3-3b", "attention", "One block in 4 does without rotation"),
        ("olmo-2-7b", "attention", "which pass a norm before they are added to the stream"),
        ("gemma-2-2b", "mlp", "which pass a norm before they are added to the stream"),
        ("gemma-2-2b", "norm-mlp", "by one plus a learned γ"),
        ("granite-3.0-8b", "mlp", "which are multiplied by 0.22 and added to the stream"),
        ("opt-350m", "mlp", "and a norm rewrites the sum"),
        ("bart-base", "mlp", "and a norm rewrites the sum"),
        ("bert-base-uncased", "unembedding", "their softmax is its forecast of that token"),
        ("roberta-base", "unembedding", "Where a token was hidden"),
        ("gemma-2-9b", "unembedding", "30 · tanh(x / 30)"),
        ("command-r", "unembedding", "divided by 16"),
        ("command-r-plus", "unembedding", "multiplied by 0.8333"),
        ("command-r7b", "unembedding", "divided by 4"),
        ("granite-3.0-8b", "unembedding", "divided by 16"),
        ("t5-small", "unembedding", "divided by √512"),
        ("gemma-2-27b", "attention", "divided by √144"),
        ("gemma-2-27b", "attention", "50 · tanh(x / 50)"),
        ("gemma-3-27b", "attention", "divided by √168"),
        ("granite-3.0-2b", "attention", "divided by 64"),
        ("t5-small", "attention", "Scores are not divided"),
        ("t5-small", "attention", "32 buckets"),
        ("t5-small", "embedding", "Cross-attention adds none"),
        ("whisper-tiny", "embedding", "the second moves on by two frames at a time"),
        ("whisper-tiny", "embedding", "Two convolutions over time, each followed by GELU"),
        ("whisper-tiny", "embedding", "fixed before training"),
        ("whisper-tiny", "residual", "S = 1,500, whatever T is"),
        ("gemma-3-27b", "attention", "10,000 here, and 1,000,000 in the blocks that see everything"),
        ("qwen1.5-moe-a2.7b", "router", "taken over all 60; the weights of the chosen are left as they are"),
        ("deepseek-v2", "router", "times 16"),
        ("mixtral-8x7b", "router", "of the scores of the chosen alone"),
        ("gpt-oss-20b", "router", "A trained b_router"),
        (
            "gpt-oss-20b",
            "experts",
            "cut off above 7, the content at ±7; what goes on is (up + 1) · gate · sigmoid(",
        ),
        ("qwen3-30b-a3b", "router", "rescaled so that the weights of the chosen add up to one"),
        ("glm-4.5-air", "router", "by the sigmoid of its score, rescaled"),
        ("kimi-k2", "router", "multiplied by 2.827"),
        ("dbrx", "attention", "cut off at ±8"),
        ("llama-3.2-1b", "attention", "stretched 32 times"),
        ("command-r-plus", "attention", "each head by itself and with a learned scale of its own"),
        ("olmo-2-7b", "attention", "all heads of a position together"),
        ("qwen3-8b", "attention", "a learned scale that all heads share"),
        ("gpt-j-6b", "mlp", "through one norm"),
        ("pythia-160m", "mlp", "each through its own norm"),
    ],
)
def test_what_is_particular_to_a_model_is_said(name: str, part: str, said: str) -> None:
    model = anatomy.load(name)
    shown = describe(model, default_seq_len(model))
    found = shown.find(part)
    assert found is not None
    assert said in " ".join(explain(shown, found))


@pytest.mark.parametrize("name", ["llama-4-scout", "command-r7b"])
def test_blocks_that_see_everything_are_not_said_to_rotate_where_they_do_not(name: str) -> None:
    shown = describe(anatomy.load(name))
    told = [" ".join(explain(shown, part)) for part in shown.parts if part.id == "attention"]
    assert ["RoPE" in one for one in told] == ["(NoPE)" not in one for one in told]
    assert any("(NoPE)" in one for one in told)


def test_a_window_without_a_causal_mask_is_said_to_reach_to_both_sides() -> None:
    values = dict(anatomy.entries()["gemma-3-1b"].config) | {"use_bidirectional_attention": True}
    shown = describe(anatomy.load(values))
    local = next(part for part in shown.parts if part.attention and part.attention.window)
    said = " ".join(explain(shown, local))
    assert "at most the 513 nearest tokens: its own, and as many before it as after it" in said
    assert "No mask hides what comes later" in said
    assert "KV cache" not in said
