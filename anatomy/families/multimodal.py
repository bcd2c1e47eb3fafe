"""Language models inside configurations that also see images (Gemma 3, Llama 4, ...): the text part is counted."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import NamedTuple

from anatomy.model.architecture import Known
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

# Released files put this before every name of the text part.
PREFIX = "language_model."
NOT_COUNTED = ("image encoder", "projection of image features")
VISION = (
    Known(r"vision_(tower|model)\..*", "the image encoder, not counted"),
    Known(r"multi_modal_projector\..*", "the projection of image features to the width, not counted"),
)


class Whole(NamedTuple):
    """What a multimodal configuration wraps: the class it names, and its text part's model_type, class and module."""

    architecture: str
    text: str
    text_class: str
    module: str


WHOLES = {
    "gemma3": Whole("Gemma3ForConditionalGeneration", "gemma3_text", "Gemma3ForCausalLM", "llama"),
    "llama4": Whole("Llama4ForConditionalGeneration", "llama4_text", "Llama4ForCausalLM", "llama4"),
    "mistral3": Whole("Mistral3ForConditionalGeneration", "mistral", "MistralForCausalLM", "llama"),
}


def model(config: Config) -> Model:
    """The text part of a multimodal model from its ``config.json``; raises ``ConfigError``.

    Images add a tower and a projection, which are known by name and not counted.
    """
    family = str(config.values["model_type"])
    whole = WHOLES[family]
    architecture = config.architecture((whole.architecture,))
    stated = config.text_part(whole.text)
    values = {**stated.values, "model_type": whole.text, "architectures": [whole.text_class]}
    # The whole configuration may say whether the tables are tied; its text part cannot contradict it.
    outside = config.values.get("tie_word_embeddings")
    if family in ("gemma3", "mistral3"):
        config.only("tie_word_embeddings", True, False)
    if family == "llama4" and stated.values.get("tie_word_embeddings") is None:
        why = "or the same value in text_config too, the only one that transformers reads"
        config.only("tie_word_embeddings", None, False, why=why)
    if family == "gemma3" and outside is None:
        why = "or the same value outside text_config too: versions of transformers differ in which they read"
        stated.only("tie_word_embeddings", None, True, why=why)
    if outside is not None:
        stated.only("tie_word_embeddings", None, outside, why="as outside text_config")
        values["tie_word_embeddings"] = outside
    text = Config(values, stated.source)
    text.defaults = config.defaults
    inner: Model = import_module(f"anatomy.families.{whole.module}").model(text)
    text.refuse_unread()
    return replace(
        inner,
        model_type=family,
        architecture=architecture,
        rows=tuple(renamed(row) for row in inner.rows),
        known=(*inner.known, *VISION),
        not_counted=NOT_COUNTED,
    )


def renamed(row: Row) -> Row:
    """The row under the name that it has inside the whole model."""
    return replace(row, name=PREFIX + row.name, tied_to=PREFIX + row.tied_to if row.tied_to else None)
