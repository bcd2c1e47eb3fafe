"""Each challenge: its solution solves it, the start does not; where one draws a line, what lies just beside it."""

import pytest

from anatomy.teaching.challenges import FIRST, Challenge, results
from anatomy.teaching.further import CHALLENGES, FURTHER, LEVELS
from anatomy.visit.address import from_hash
from anatomy.visit.state import State


def solved(where: str) -> set[str]:
    """The challenges that an address solves."""
    state = from_hash(State(), where)
    assert not state.notices
    return set(state.settled().solved)


@pytest.mark.parametrize("challenge", CHALLENGES, ids=lambda challenge: challenge.id)
def test_the_solution_solves_it_and_the_start_does_not(challenge: Challenge) -> None:
    assert challenge.solved_by(State().shown) is None
    assert challenge.id in solved(challenge.solution)


def test_the_first_are_three_and_the_further_twelve_and_all_are_told_apart() -> None:
    assert [challenge.id for challenge in FIRST] == ["scores", "mlp", "keys"]
    assert [len(level) for level in LEVELS] == [6, 6]
    assert len({challenge.id for challenge in CHALLENGES}) == len(FIRST) + len(FURTHER) == 15
    assert len({challenge.prompt for challenge in CHALLENGES}) == 15


@pytest.mark.parametrize(
    ("name", "beside", "where"),
    [
        # SmolLM2 135M: 576 x 576 for Q and O, 576 x 192 for K and V: 884,736 weights; 940^2 = 883,600.
        ("scores", "#model=smollm2-135m&t=940", "#model=smollm2-135m&t=941"),
        # GPT-2 XL: 983,347,200 of 1,557,611,200.
        ("mlp", "#model=gpt2-xl", "#model=mistral-7b-v0.1"),
        ("keys", "#model=llama-3-8b&part=mlp", "#model=llama-3-8b&part=attention"),
        # As many KV heads as query heads: W_K is as large as W_Q.
        ("keys", "#model=llama-2-7b&part=attention", "#model=qwen2.5-0.5b&part=attention"),
        # Pythia 70M: 25,755,648 in the table, 18,902,016 in its blocks' matrices and biases.
        ("tables", "#model=pythia-160m", "#model=pythia-70m"),
        ("norms", "#model=olmo-2-7b", "#model=olmo-7b"),
        # An untied unembedding holds what it multiplies with; the stream neither holds nor multiplies.
        ("tied", "#model=llama-3-8b&part=unembedding", "#model=gemma-2b&part=unembedding"),
        ("tied", "#model=gpt2&part=residual", "#model=gpt2&part=unembedding"),
        # GPT-2 XL's tables are 5% of it; GPT-2 medium's 15%.
        ("lookup", "#model=gpt2-medium&part=embedding", "#model=gpt2&part=embedding"),
        ("output", "#model=llama-3-8b&part=attention", "#model=qwen3-0.6b&part=attention"),
        ("output", "#model=gemma-7b&part=mlp", "#model=gemma-7b&part=attention"),
        ("one-key", "#model=falcon-40b&part=attention", "#model=starcoderbase&part=attention"),
        # Of Qwen3 30B 3.3 are active: 11%; of 235B 22: 9.4%.
        ("active", "#model=qwen3-30b-a3b", "#model=qwen3-235b-a22b"),
        # Llama 3.2 1B: 1,235,814,400 parameters, 16,384 cached numbers per token: 75,428.1 tokens hold as many.
        ("cache", "#model=llama-3.2-1b&t=75428", "#model=llama-3.2-1b&t=75429"),
        # SmolLM2 135M: 3 x 576 x 1,536 multiply-adds in a block's MLP for each token, 2 x 576 x T in its mixing: 2,304.
        ("mixing", "#model=smollm2-135m&t=2304", "#model=smollm2-135m&t=2305"),
        # Gemma 3 1B: 22 of 26 blocks keep 512 tokens: 4 T + 22 x 512 is below 13 T from T = 1,251.6 on.
        ("windows", "#model=gemma-3-1b&t=1251", "#model=gemma-3-1b&t=1252"),
        # DeepSeek V2 Lite: 576 cached of 16 x 320; V2 of 128 x 320.
        ("latent", "#model=deepseek-v2-lite&part=attention", "#model=deepseek-v2&part=attention"),
        # Falcon 7B shares one key head and caches 8,192 bytes; Mistral 7B is 4.6% larger, Llama 2 7B 2.7% smaller.
        ("twins", "#model=falcon-7b&with=mistral-7b-v0.1", "#model=falcon-7b&with=olmo-7b"),
        ("twins", "#model=falcon-7b&with=llama-2-7b", "#model=olmo-7b&with=falcon-7b"),
        ("twins", "#model=falcon-7b", "#model=falcon-7b&with=olmo-7b"),
        # A model without a cache has none to be eight times as large.
        ("twins", "#model=bert-base-uncased&with=roberta-base", "#model=falcon-7b&with=olmo-7b"),
    ],
)
def test_what_lies_just_beside_does_not_solve_it(name: str, beside: str, where: str) -> None:
    assert name not in solved(beside)
    assert name in solved(where)


def test_a_solved_challenge_says_by_which_numbers() -> None:
    by = from_hash(State(), "#model=olmo-7b&with=falcon-7b").settled().solved
    assert by["twins"] == "6,888,095,744 and 6,921,720,704 parameters, 8.19 KB and 524 KB of KV cache per token"
    assert by["norms"] == "its 65 norms hold 0 parameters"
    by = from_hash(State(), "#model=deepseek-v3&part=attention").settled().solved
    assert by["latent"] == "576 numbers are cached for each token and block, and 40,960 keys and values made of them"


def test_results_name_what_is_solved_and_what_is_left() -> None:
    lines = results(CHALLENGES, {"mlp": ""}).splitlines()
    assert lines[0] == "Anatomy of a transformer: 1 of 15 challenges solved"
    # Solved on an earlier visit: by which numbers is not known any more.
    assert [line[:3] for line in lines[1:]].count("[x]") == 1
    assert len(lines) == 16
