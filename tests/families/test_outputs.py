"""What a class puts on top of the blocks: an unembedding, tied or not, a classifier, or nothing."""

import pytest

import anatomy
from anatomy.report.anatomy import describe
from tests.families.changes import like, shapes


def test_a_bare_model_has_none_and_its_names_no_prefix() -> None:
    bare, causal = anatomy.load(like("llama-3-8b", architectures=["LlamaModel"])), anatomy.load("llama-3-8b")
    assert bare.parameters == causal.parameters - 128256 * 4096
    assert next(bare.tensors()).name == "embed_tokens.weight"
    assert {row.name for row in bare.rows} == {row.name.removeprefix("model.") for row in causal.rows[:-1]}


@pytest.mark.parametrize(("slug", "prefix"), [("llama-3.2-1b", "Llama"), ("gemma-2b", "Gemma"), ("phi-3-mini", "Phi3")])
def test_a_sequence_classifier_multiplies_at_every_position(slug: str, prefix: str) -> None:
    names = {"0": "bad", "1": "fair", "2": "good"}
    values = like(slug, architectures=[prefix + "ForSequenceClassification"], id2label=names)
    model, body = anatomy.load(values), anatomy.load(like(slug, architectures=[prefix + "Model"]))
    assert shapes(model)["score.weight"] == (3, model.width)
    assert model.parameters == body.parameters + 3 * model.width
    assert model.flops(8).per_pass == body.flops(8).per_pass + 2 * 8 * 3 * model.width
    assert model.groups()["unembedding"] == 3 * model.width
    part = describe(model, 8).find("head")
    assert part is not None
    assert part.label == "Classifier"
    assert [one.shape for one in part.activations] == [(8, 3)]


def test_a_token_classifier_reads_every_position_and_has_a_bias() -> None:
    model = anatomy.load(like("qwen3-0.6b", architectures=["Qwen3ForTokenClassification"], num_labels=5))
    body = anatomy.load(like("qwen3-0.6b", architectures=["Qwen3Model"]))
    assert model.parameters == body.parameters + 5 * 1024 + 5
    assert model.flops(8).per_pass == body.flops(8).per_pass + 2 * 8 * 5 * 1024


def test_two_labels_where_none_are_said() -> None:
    model = anatomy.load(like("gpt2", architectures=["GPT2ForSequenceClassification"]))
    assert shapes(model)["score.weight"] == (2, 768)
    assert next(model.tensors()).name == "transformer.wte.weight"
    assert model.defaults["num_labels"] == 2


@pytest.mark.parametrize(
    "slug", ["gpt2", "llama-3.2-1b", "gemma-2-2b", "command-r", "falcon-7b", "gpt-neox-20b", "phi-2"]
)
def test_untying_adds_the_table_once_more_and_changes_no_flops(slug: str) -> None:
    model = anatomy.load(slug)
    table = model.vocabulary * model.width if model.vocabulary else 0
    tied = anatomy.load(like(slug, tie_word_embeddings=True))
    untied = anatomy.load(like(slug, tie_word_embeddings=False))
    assert untied.parameters == tied.parameters + table
    assert untied.flops(8).per_pass == tied.flops(8).per_pass
    assert (tied.tied_unembedding, untied.tied_unembedding) == (True, False)
