"""What parts and groups are called, in a phrase: the words of the diagram, the bar and ``show --json``."""

from __future__ import annotations

from collections.abc import Iterable

from anatomy.model.architecture import Attention
from anatomy.model.blocks import Blocks, contains, count
from anatomy.model.parts import part_id, stack_of
from anatomy.model.rows import Model
from anatomy.words.formatting import exact

_PARTS = {
    "embedding-norm": "Embedding norm",
    "residual": "Residual stream",
    "mlp": "MLP",
    "router": "Router",
    "experts": "Experts",
    "shared-expert": "Shared expert",
    "final-norm": "Final norm",
    "pooler": "Pooler",
    "head": "Classifier",
    "unembedding": "Unembedding",
    "cross-attention": "Cross-attention",
    "norm-attention": "Norm before attention",
    "norm-post-attention": "Norm after attention",
    "norm-cross-attention": "Norm before cross-attention",
    "norm-post-cross-attention": "Norm after cross-attention",
    "norm-mlp": "Norm before MLP",
    "norm-post-mlp": "Norm after MLP",
    "norm-block": "Norm before attention and MLP",
}
_GROUPS = {"attention": "Attention", "mlp": "MLP", "experts": "Experts", "router": "Router"}
_TABLES = ("token", "position", "token-type", "class-token", "patch", "frame")


def attention(record: Attention) -> str:
    """The name that papers give an attention record's form.

    >>> import anatomy
    >>> attention(anatomy.load("gpt2").attention[0]), attention(anatomy.load("llama-3-70b").attention[0])
    ('Multi-head self-attention', 'Grouped-query attention')
    """
    if record.latent is not None:
        return "Multi-head latent attention"
    if record.kv_heads == record.query_heads:
        return "Multi-head self-attention"
    return "Multi-query attention" if record.kv_heads == 1 else "Grouped-query attention"


def _reach(model: Model, record: Attention) -> str:
    """How far a block's queries see, where the blocks of a stack differ in it; nothing where all are alike."""
    mine = [one for one in model.attention if (one.stack, one.kind) == (record.stack, record.kind)]
    if len({(one.window, one.chunk) for one in mine}) < 2:
        return ""
    if record.window:
        return f", window {exact(record.window)}"
    return f", chunks of {exact(record.chunk)}" if record.chunk else ", full"


def embeddings(parts: Iterable[str]) -> str:
    """The embeddings named after their tables.

    >>> embeddings(["embedding/token", "embedding/position"])
    'Token and position embeddings'
    """
    found = [step for step in dict.fromkeys(path.rsplit("/", 1)[-1] for path in parts) if step in _TABLES]
    if not found:
        return "Embeddings"
    if len(found) == 1:
        return f"{found[0].capitalize()} embedding"
    return (", ".join(found[:-1]) + f" and {found[-1]} embeddings").capitalize()


def without(model: Model) -> str:
    """What of a model's class is not counted, to go after its name; nothing where the whole class is.

    >>> import anatomy
    >>> without(anatomy.load("gemma-3-27b")), without(anatomy.load("gpt2"))
    (' without its image encoder and its projection of image features', '')
    """
    return f" without {' and '.join(f'its {one}' for one in model.not_counted)}" if model.not_counted else ""


def part(
    model: Model, part_id: str, stack: str | None, blocks: Blocks | None = None, record: Attention | None = None
) -> str:
    """The label of a part whose attention is that of ``record``; an id without one is a ``KeyError``.

    >>> import anatomy
    >>> model = anatomy.load("gpt-oss-20b")
    >>> part(model, "attention", "decoder", (range(0, 24, 2),), model.attention[0])
    'Grouped-query attention, window 128'
    """
    if part_id == "embedding":
        rows = [row for row in model.rows if row.part_id == "embedding" and row.stack in (None, stack)]
        return embeddings(row.part for row in rows)
    if part_id == "attention":
        return attention(record) + _reach(model, record) if record else "Attention"
    if part_id == "norm-mlp" and blocks and _only_routed(model, stack, blocks):
        return "Norm before experts"
    if part_id == "experts" and any(row.part_id == "shared-expert" for row in model.rows):
        return "Routed experts"
    return _PARTS[part_id]


def usual(part_path: str) -> str:
    """What a part is called where no model says more: its stack, where the path names one, and the part.

    >>> usual("block/attention/qkv"), usual("encoder/block/mlp/up")
    ('Attention', 'Encoder MLP')
    """
    found = part_id(part_path)
    word = _PARTS.get(found) or _GROUPS.get(found) or found.capitalize()
    stack = stack_of(part_path)
    return f"{stack.capitalize()} {word if word.startswith('MLP') else word.lower()}" if stack else word


def _only_routed(model: Model, stack: str | None, blocks: Blocks) -> bool:
    held = [row.part_id for row in model.rows if contains(row.blocks, blocks[0].start) and row.stack in (None, stack)]
    return "experts" in held and "mlp" not in held


def group(model: Model, group_id: str) -> str:
    """The label of a group of parameters.

    >>> import anatomy
    >>> group(anatomy.load("gpt2"), "embeddings"), group(anatomy.load("gpt2"), "mlp")
    ('Token and position embeddings', 'MLP, all blocks')
    >>> group(anatomy.load("deepseek-v3"), "experts"), group(anatomy.load("vit-base"), "unembedding")
    ('Routed and shared experts, 58 blocks', 'Classifier')
    >>> group(anatomy.load("qwen3-4b"), "norms")
    'Norms, those inside attention too'
    """
    rows = [row for row in model.rows if row.group == group_id]
    held = {row.part_id for row in rows}
    if group_id == "embeddings":
        return embeddings(row.part for row in rows)
    if group_id == "unembedding":
        ends = [_PARTS[one] for one in ("pooler", "unembedding", "head") if one in held]
        return (", ".join(ends[:-1]) + f" and {ends[-1]}").capitalize() if len(ends) > 1 else ends[0]
    if group_id == "norms":
        # The part attention counts the norms of its queries, keys and latents as its own; the group of norms has all.
        return "Norms" + (", those inside attention too" if held & {"attention", "cross-attention"} else "")
    deepest = {stack.id: 0 for stack in model.stacks}
    for row in rows:
        at = row.stack or model.stacks[0].id
        deepest[at] = max(deepest[at], count(row.blocks))
    held_blocks, blocks = sum(deepest.values()), sum(stack.blocks for stack in model.stacks)
    some = f"{exact(held_blocks)} block" + ("" if held_blocks == 1 else "s")
    word = "Routed and shared experts" if {"experts", "shared-expert"} <= held else _GROUPS[group_id]
    return f"{word}, " + ("all blocks" if held_blocks == blocks else some)
