"""The glossary explains the terms that the sentences use, and is found where they are used."""

import anatomy
from anatomy.report.anatomy import describe
from anatomy.teaching.explanations import explain
from anatomy.teaching.glossary import GLOSSARY, met


def test_terms_that_a_learner_meets_are_there() -> None:
    wanted = {"token", "parameter", "d", "head", "softmax", "GELU", "FLOP", "KV cache", "dropout", "mask", "logits"}
    assert wanted <= set(GLOSSARY)
    assert all(said.endswith(".") for _, said in GLOSSARY.values())


def test_a_part_s_text_finds_its_terms_in_order() -> None:
    shown = describe(anatomy.load("gpt2"))
    attention, mlp = shown.find("attention"), shown.find("mlp")
    assert attention and mlp  # noqa: PT018
    assert [term for term, _ in met(explain(shown, attention))] == [
        "block", "head", "query", "key", "value", "norm", "dot product", "mask", "token", "softmax", "score",
        "residual stream",
    ]  # fmt: skip
    assert "GELU" in dict(met(explain(shown, mlp)))


def test_symbols_are_no_terms() -> None:
    assert met(["W_d and T_x and heading"]) == []
