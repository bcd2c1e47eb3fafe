"""Phrases that several views share: which blocks, which group, how a shape grows, what a part is addressed by."""

from __future__ import annotations

from collections.abc import Sequence

from anatomy.model.architecture import Stack
from anatomy.report.anatomy import Activation, Anatomy, Part
from anatomy.views.markup import Attributes
from anatomy.words.formatting import exact
from anatomy.words.places import places

# A group in a word: the tag over the panel, the bar.
GROUPS = {
    "embeddings": "Embeddings",
    "attention": "Attention",
    "mlp": "MLP",
    "experts": "Experts",
    "router": "Router",
    "norms": "Norms",
    "unembedding": "Unembedding",
    "residual": "Residual stream",
}
# Words that keep their capital inside a sentence.
_NAMES = ("MLP", "KV")


def inside(label: str) -> str:
    """A label inside a sentence.

    >>> inside("Multi-head self-attention"), inside("MLP")
    ('multi-head self-attention', 'MLP')
    """
    return label if label.startswith(_NAMES) else label[:1].lower() + label[1:]


def listed(names: Sequence[str]) -> str:
    """Names as a list in a sentence.

    >>> listed(["queries", "keys", "out"]), listed(["out"])
    ('queries, keys and out', 'out')
    """
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" and {names[-1]}"


def plural(number: int, word: str) -> str:
    """A number with its word.

    >>> plural(1, "block"), plural(12, "block")
    ('1 block', '12 blocks')
    """
    return f"{exact(number)} {word}" + ("" if number == 1 else "s")


def stack_of(anatomy: Anatomy, part: Part) -> Stack:
    """The stack that a part stands in; the first one for what stacks share."""
    stacks = anatomy.model.stacks
    return next((stack for stack in stacks if stack.id == part.stack), stacks[0])


def where(anatomy: Anatomy, part: Part) -> str:
    """Which stack and which blocks, where a model has several; empty for GPT-2.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("t5-small"))
    >>> where(shown, shown.find("attention", "encoder", "1-5"))
    'encoder, blocks 2–6, encoder.block.1 to encoder.block.5'
    """
    _, stack, blocks = anatomy.address(part)
    words = [stack] if stack else []
    if blocks and part.blocks:
        words.append(places(anatomy.model, part.stack, part.blocks))
    return ", ".join(words)


def hooks(anatomy: Anatomy, part: Part) -> Attributes:
    """The attributes that name a selectable part."""
    part_id, stack, blocks = anatomy.address(part)
    return {"data-part": part_id, "data-stack": stack, "data-blocks": blocks}


def growth(anatomy: Anatomy, activation: Activation) -> str:
    """How an activation's size grows: with T, T², the source length S; nothing where its lengths are fixed.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> [growth(shown, one) for one in shown.find("attention").activations][-2:]
    ['grows with T²', 'grows with T']
    """
    fixed = anatomy.model.fixed_lengths
    free = [axis for axis in activation.depends_on if not (axis == "T" and "tokens" in fixed)]
    free = [axis for axis in free if not (axis == "S" and "source" in fixed)]
    if not free:
        return ""
    if len(free) == 2:
        return f"grows with {free[0]}²" if free[0] == free[1] else f"grows with {free[0]} × {free[1]}"
    return f"grows with {free[0]}"
