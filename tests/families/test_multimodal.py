"""Language models inside configurations that also see images."""

import pytest

import anatomy
from tests.families.changes import inside


def test_gemma_3_leaves_heads_and_vocabulary_to_its_class() -> None:
    whole = inside("gemma-3-4b", "text_config")
    assert "vocab_size" not in whole["text_config"]
    written = inside(
        "gemma-3-4b", "text_config", vocab_size=262208, num_attention_heads=8, num_key_value_heads=4, head_dim=256
    )
    assert anatomy.load(whole).rows == anatomy.load(written).rows
    assert anatomy.load(whole).defaults["vocab_size"] == 262208


@pytest.mark.parametrize("tied", [True, False])
def test_gemma_3_is_tied_as_its_whole_configuration_says(tied: bool) -> None:
    outside = {**inside("gemma-3-4b", "text_config"), "tie_word_embeddings": tied}
    both = {**inside("gemma-3-4b", "text_config", tie_word_embeddings=tied), "tie_word_embeddings": tied}
    assert anatomy.load(outside).tied_unembedding is anatomy.load(both).tied_unembedding is tied
    assert anatomy.load(inside("gemma-3-4b", "text_config", tie_word_embeddings=True)).tied_unembedding


def test_the_text_part_is_counted_under_its_longer_names() -> None:
    whole = anatomy.load("gemma-3-4b")
    text = {**inside("gemma-3-4b", "text_config")["text_config"], "architectures": ["Gemma3ForCausalLM"]}
    alone = anatomy.load(text)
    assert whole.parameters == alone.parameters
    assert [row.name for row in whole.rows] == [f"language_model.{row.name}" for row in alone.rows]
    assert whole.architecture == "Gemma3ForConditionalGeneration"
    assert (whole.model_type, alone.model_type) == ("gemma3", "gemma3_text")


def test_mistral_inside_another_configuration() -> None:
    # mistralai/Mistral-Small-3.1-24B-Instruct-2503; its text part is Mistral-Small-3.1's 24B language model.
    text = {
        "model_type": "mistral",
        "head_dim": 128,
        "hidden_size": 5120,
        "intermediate_size": 32768,
        "max_position_embeddings": 131072,
        "num_attention_heads": 32,
        "num_hidden_layers": 40,
        "num_key_value_heads": 8,
        "sliding_window": None,
        "vocab_size": 131072,
    }
    values = {
        "model_type": "mistral3",
        "architectures": ["Mistral3ForConditionalGeneration"],
        "text_config": text,
        "vision_config": {"model_type": "pixtral", "hidden_size": 1024},
    }
    model = anatomy.load(values)
    attention = 5120 * (2 * 4096 + 2 * 1024)
    assert model.parameters == 2 * 131072 * 5120 + 40 * (attention + 3 * 5120 * 32768 + 2 * 5120) + 5120
    assert model.parameters == 23572403200
    assert next(model.tensors()).name == "language_model.model.embed_tokens.weight"
    tied = anatomy.load({**values, "tie_word_embeddings": True})
    assert tied.parameters == model.parameters - 131072 * 5120
    assert {row.tied_to for row in tied.rows} == {None, "language_model.model.embed_tokens.weight"}
