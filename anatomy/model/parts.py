"""Which selectable part, and which group of parameters, the slash path of a part belongs to."""

from __future__ import annotations

from functools import lru_cache

GROUPS = ("embeddings", "attention", "mlp", "experts", "router", "norms", "unembedding")
STACKS = ("encoder", "decoder")

# The same few dozen paths are asked for again at every length.
_kept = lru_cache(maxsize=4096)


@_kept
def stack_of(path: str) -> str | None:
    """``encoder`` or ``decoder`` where a slash path names one, else None.

    >>> stack_of("encoder/block/mlp/up"), stack_of("block/mlp/up")
    ('encoder', None)
    """
    head = path.split("/", 1)[0]
    return head if head in STACKS else None


@_kept
def part_id(path: str) -> str:
    """The id of the selectable part that a slash path leads to.

    >>> part_id("block/attention/qkv"), part_id("encoder/block/mlp/up"), part_id("final-norm")
    ('attention', 'mlp', 'final-norm')
    """
    steps = [step for step in path.split("/") if step not in STACKS and step != "block"]
    return steps[0]


@_kept
def group(path: str) -> str:
    """The group of parameters that a slash path is counted in.

    >>> group("block/attention/qkv"), group("block/attention/q-norm"), group("embedding/position")
    ('attention', 'norms', 'embeddings')

    Raises ``ValueError`` for a path that no group counts.
    """
    last = path.rsplit("/", 1)[-1]
    head = part_id(path)
    if head in ("unembedding", "head", "pooler"):
        return "unembedding"
    if "norm" in last.split("-"):
        return "norms"
    if head == "embedding":
        return "embeddings"
    if head in ("attention", "cross-attention"):
        return "attention"
    if head in ("experts", "shared-expert"):
        return "experts"
    if head in ("router", "mlp"):
        return head
    raise ValueError(f"part path {path!r} belongs to no group; add it to anatomy.model.parts.group")
