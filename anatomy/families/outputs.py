"""What a class puts on top of the blocks, by the ending of its name: an unembedding, a classifier, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anatomy.families.layers import linear
from anatomy.model.rows import Matrix, Row
from anatomy.reading.config import Config

# What the names of a family's classes end in; the first is what a configuration that names no class means.
PLAIN = ("ForCausalLM", "Model")
SEQUENCES = (*PLAIN, "ForSequenceClassification")
TOKENS = (*SEQUENCES, "ForTokenClassification")


def classes(name: str, endings: tuple[str, ...] = PLAIN) -> tuple[str, ...]:
    """The names of a family's classes.

    >>> classes("Phi")
    ('PhiForCausalLM', 'PhiModel')
    """
    return tuple(name + ending for ending in endings)


def unembedding(name: str, tied_to: str | None, vocabulary: int, width: int, part: str = "unembedding") -> Row:
    """The matrix from the width to the vocabulary, applied at every position.

    Where it is stored as another tensor it holds 0 parameters, and is still a matrix product.

    >>> unembedding("lm_head.weight", "wte.weight", 50257, 768).parameters
    0
    """
    matrix = Matrix("W_U", width, vocabulary)
    return Row(name, (vocabulary, width), part, matrices=(matrix,), multiplies="tokens", tied_to=tied_to)


def labels(config: Config, default: int = 2) -> int:
    """How many classes a classifier tells apart: ``num_labels``, the length of ``id2label``, or 2 (PreTrainedConfig).

    >>> labels(Config({"id2label": {"0": "bad", "1": "fair", "2": "good"}}))
    3

    Raises ``ConfigError`` where ``id2label`` names nothing.
    """
    named = config.values.get("id2label")
    if named is None:
        return config.integer("num_labels", default=default)
    if not isinstance(named, Mapping) or not named:
        raise config.error("id2label", named, "an object with a name for each class")
    config.only("num_labels", None, len(named), why="as many as id2label names")
    return len(named)


def head(config: Config, architecture: str, unembedding: Row) -> Iterator[Row]:
    """What a class puts on top of the blocks, by the ending of its name: its unembedding, a classifier, or nothing.

    Both classifiers are applied at every position: one of sequences, which has no bias, is told apart afterwards at the
    last token that is no padding.
    """
    width = unembedding.shape[1]
    if architecture.endswith(("ForCausalLM", "LMHeadModel")):
        yield unembedding
    elif architecture.endswith("ForSequenceClassification"):
        yield from linear("score", "head", Matrix("W_C", width, labels(config)))
    elif architecture.endswith("ForTokenClassification"):
        yield from linear("score", "head", Matrix("W_C", width, labels(config)), bias=True)
