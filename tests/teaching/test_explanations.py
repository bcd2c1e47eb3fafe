"""Every part of every kind of model has a text, and every reference in a text has a number."""

import re

import pytest

import anatomy
from anatomy.report.anatomy import default_seq_len, describe
from anatomy.teaching.explanations import _PARTS, explain
from anatomy.teaching.facts import NUMBERS
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


def test_no_number_is_typed_by_hand() -> None:
    for key, sentence in SENTENCES.items():
        digits = re.findall(r"\d+", sentence.replace("holds 0 parameters", ""))
        assert not digits, (key, digits)


@pytest.mark.parametrize(
    ("name", "part", "said"),
    [
        ("gpt2", "attention", "Each of 12 heads"),
        ("gpt2", "unembedding", "It is tied"),
        ("llama-3-70b", "attention", "64 query heads share 8 key and value heads, 8 to each"),
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
        ("gpt-j-6b", "attention", "only a part of each"),
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
