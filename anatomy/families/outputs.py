"""What a class puts on top of the blocks, by the ending of its name: an unembedding, a classifier, or nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from anatomy.families.layers import linear, unembedding
from anatomy.model.rows import Matrix, Row
from anatomy.reading.config import Config


def labels(config: Config) -> int:
    """How many classes a classifier tells apart: ``num_labels``, the length of ``id2label``, or 2 (PreTrainedConfig).

    >>> labels(Config({"id2label": {"0": "bad", "1": "fair", "2": "good"}}))
    3
    """
    named = config.values.get("id2label")
    if named is None:
        return config.integer("num_labels", default=2)
    if not isinstance(named, Mapping) or not named:
        raise config.error("id2label", named, "an object with a name for each class")
    config.only("num_labels", None, len(named), why="as many as id2label names")
    return len(named)


def head(config: Config, architecture: str, vocabulary: int, width: int, tied_to: str | None) -> Iterator[Row]:
    """What a class puts on top of the blocks, by the ending of its name: an unembedding, a classifier, or nothing.

    A classifier of sequences is applied at one position, without a bias; one of tokens at every position, with a bias.
    """
    if architecture.endswith("ForCausalLM"):
        yield unembedding("lm_head.weight", tied_to, vocabulary, width)
    elif architecture.endswith("ForSequenceClassification"):
        yield from linear("score", "head", Matrix("W_C", width, labels(config)), multiplies="one")
    elif architecture.endswith("ForTokenClassification"):
        yield from linear("score", "head", Matrix("W_C", width, labels(config)), bias=True)
