"""Sizes in names, and what they are worth."""

import pytest

import anatomy
from anatomy.words.naming import claims, named


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("GPT-2 small", []),
        ("Llama 3 8B", [("8B", 8 * 10**9, False)]),
        ("Mixtral 8x22B", [("8x22B", 176 * 10**9, False)]),
        ("Qwen1.5 MoE A2.7B", [("A2.7B", 27 * 10**8, True)]),
        ("Qwen3 235B A22B", [("235B", 235 * 10**9, False), ("A22B", 22 * 10**9, True)]),
        ("Command R7B", [("R7B", 7 * 10**9, False)]),
        ("StableLM 3B 4E1T", [("3B", 3 * 10**9, False)]),
        ("StarCoderBase", []),
        ("BLOOM 560M", [("560M", 560 * 10**6, False)]),
        ("Llama-3.2-1B-Instruct", [("1B", 10**9, False)]),
        ("Pythia 2.8B", [("2.8B", 28 * 10**8, False)]),
        ("DeepSeek V3", []),
    ],
)
def test_claims(name: str, found: list[tuple[str, int, bool]]) -> None:
    assert [(one.written, one.size, one.active) for one in claims(name)] == found
    assert all(type(one.step) is int for one in claims(name))


def test_famous_ones() -> None:
    more = {slug: named(anatomy.load(slug).name, anatomy.load(slug))[0] for slug in ("gemma-7b", "mixtral-8x7b")}
    assert (more["gemma-7b"].true, more["gemma-7b"].claim.kept_by(more["gemma-7b"].true)) == (8537680896, False)
    assert more["mixtral-8x7b"].more < 0
