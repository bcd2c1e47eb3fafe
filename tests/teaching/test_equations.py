"""Equations say what each model computes, and only in symbols of the part's own table; every paper has its number."""

import re

import pytest

import anatomy
from anatomy.report.anatomy import default_seq_len, describe
from anatomy.teaching.equations import equations, misunderstanding, papers

CASES = [
    ("gpt2", "embedding", "x_t = W_E [ id_t ] + W_pos [ t ]"),
    ("gpt2", "residual", "x ← x + MLP ( norm ( x ) )"),
    ("gpt2", "norm-mlp", "y = ( x − mean ( x ) ) / deviation ( x ) · γ + β"),
    ("gpt2", "attention", "Out = [ head_1 … head_12 ] W_O + b_O"),
    ("gpt2", "mlp", "y = GELU ( x W_up + b_up ) W_down + b_down"),
    ("bert-base-uncased", "residual", "x ← norm ( x + attention ( x ) )"),
    ("bert-base-uncased", "attention", "head = softmax ( Q K^⊤ / √64 ) V"),
    ("bert-base-uncased", "unembedding", "p = softmax ( x W_U + b_U )"),
    ("olmo-2-7b", "residual", "x ← x + norm ( attention ( x ) )"),
    ("olmo-1b", "norm-mlp", "y = ( x − mean ( x ) ) / deviation ( x )"),
    ("gpt-j-6b", "residual", "x ← x + attention ( norm ( x ) ) + MLP ( norm ( x ) )"),
    ("granite-3.0-2b", "residual", "x ← x + 0.22 · MLP ( norm ( x ) )"),
    ("mixtral-8x7b", "residual", "x ← x + experts ( norm ( x ) )"),
    ("t5-small", "residual", "x ← x + attention ( norm ( x ) )"),
    ("t5-small", "attention", "head = softmax ( Q K^⊤ + b_rel ) V"),
    ("gemma-2-27b", "norm-mlp", "y = x / rms ( x ) · ( 1 + γ )"),
    ("gemma-2-27b", "attention", "head = softmax ( 50 · tanh ( Q K^⊤ / √144 / 50 ) + mask ) V"),
    ("gemma-2-27b", "unembedding", "p = softmax ( 30 · tanh ( x W_U / 30 ) )"),
    ("deepseek-v3", "attention", "head = softmax ( Q K^⊤ / √192 · ( 0.1 · ln 40 + 1 )^2 + mask ) V"),
    ("gpt-oss-20b", "attention", "head = softmax ( Q K^⊤ / √64 · ( 0.1 · ln 32 + 1 )^2 + mask , sink ) V"),
    ("gpt-oss-20b", "experts", "y = ( ( u + 1 ) · g · sigmoid ( 1.702 · g ) ) W_down + b_down"),
    ("opt-350m", "embedding", "x_t = W_E [ id_t ] W_in + W_pos [ t ]"),
    ("command-r", "unembedding", "p = softmax ( x W_U / 16 )"),
]


@pytest.mark.parametrize(("slug", "part", "said"), CASES)
def test_the_equation_is_this_model_s(slug: str, part: str, said: str) -> None:
    shown = describe(anatomy.load(slug))
    found = shown.find(part)
    assert found is not None
    assert said in equations(shown, found)


def test_equations_name_only_what_the_part_holds() -> None:
    for slug in anatomy.entries():
        shown = describe(anatomy.load(slug), default_seq_len(anatomy.load(slug)))
        for part in shown.parts:
            held = {symbol for weight in part.weights for symbol in weight.symbol.split(", ")}
            named = set(re.findall(r"\b(?:W|b)_(?!rel)\w+|[γβ]", " ".join(equations(shown, part))))
            assert named <= held, (slug, part.id)
            assert misunderstanding(part), part.id
            assert all(re.fullmatch(r"\d{4}\.\d{5}", number) for _, number in papers(shown, part))
