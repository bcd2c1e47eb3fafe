"""Which sentences tell how a model computes: chosen by the fields of its computation, never by its family's name."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.model.architecture import Attention
from anatomy.model.blocks import contains, count
from anatomy.model.computation import Computation, Rotation
from anatomy.model.rows import Model


def scores(computation: Computation) -> Iterator[tuple[str, bool]]:
    """What is done to scores, and to what they are made of, beside the usual division."""
    yield "undivided", not computation.score_scale.changes
    yield "by-depth", computation.score_by_depth
    yield "score-cap", bool(computation.score_cap)
    yield "qkv-limit", bool(computation.qkv_limit)
    yield "banded", computation.every_other_banded


def rotation(model: Model, record: Attention) -> Iterator[str]:
    """How the blocks of a record rotate queries and keys.

    >>> import anatomy
    >>> model = anatomy.load("gemma-3-27b")
    >>> [list(rotation(model, record)) for record in model.attention]
    [['in-rotary', 'base-in-window'], ['in-rotary', 'base-local', 'scaled-linear']]
    """
    made = model.computation
    rotary = made.rotation if made else None
    if made is None or rotary is None:
        return
    if _all(rotary, record):
        yield "in-none"
        if made.query_growth:
            yield "query-growth"
        return
    if record.latent is not None:
        yield "in-rotary-latent"
    else:
        yield "in-rotary" if rotary.size == record.qk_size else "in-rotary-part"
    if len(rotary.without) == 1 and contains(record.blocks, rotary.without[0].start):
        yield "unrotated-some"
    if rotary.local_base:
        yield "base-in-window" if record.window else "base-local"
    # Where blocks with a window have a base of their own, only the others are stretched.
    if rotary.scaling and not (rotary.local_base and record.window):
        yield f"scaled-{rotary.scaling}" + ("-sharp" if rotary.sharpening else "")


def _all(rotary: Rotation, record: Attention) -> bool:
    """Whether no block of a record rotates."""
    held = sum(contains(rotary.without, block) for where in record.blocks for block in where) if rotary.without else 0
    return held == count(record.blocks)


def logits(computation: Computation | None) -> list[str]:
    """What is done to logits before their softmax."""
    if computation is None:
        return []
    scaled = ["logits-scaled"] if computation.logit_scale.changes else []
    return scaled + (["logits-capped"] if computation.logit_cap else [])


def routing(computation: Computation | None) -> list[str]:
    """How a router groups and weighs experts.

    >>> import anatomy
    >>> routing(anatomy.load("deepseek-v3").computation)
    ['router-grouped', 'weights-sigmoid-times']
    """
    made = computation.routing if computation else None
    if made is None:
        return ["router"]
    found = ["router-grouped" if made.groups > 1 else "router"]
    times = "-times" if made.factor != 1 else ""
    if made.weighs == "input":
        return [*found, "weights-input"]
    if made.over == "chosen":
        return [*found, "weights-chosen"]
    if made.scores == "sigmoid":
        return [*found, f"weights-sigmoid{times}" if made.normalised else "weights-sigmoid-raw"]
    return [*found, "weights-softmax-normalised" if made.normalised else f"weights-softmax{times}"]
