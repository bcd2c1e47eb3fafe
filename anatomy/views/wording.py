"""Phrases that several views share: which blocks, which group, how a shape grows, what a part is addressed by."""

from __future__ import annotations

from collections.abc import Sequence

from anatomy.model.architecture import Stack
from anatomy.model.blocks import Blocks, count
from anatomy.report.anatomy import Activation, Anatomy, Part
from anatomy.views.markup import Attributes
from anatomy.words.formatting import exact

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


def numbers(blocks: Blocks, most: int = 3) -> str:
    """Block numbers as people count, from 1; of many runs the first and the last.

    >>> numbers((range(0, 3),)), numbers((range(0, 26, 2),)), numbers((range(5, 6),))
    ('1–3', '1, 3, … 25', '6')
    """
    words = []
    for indices in blocks:
        last = indices.start + (count((indices,)) - 1) * indices.step
        if last == indices.start:
            words.append(exact(indices.start + 1))
        elif indices.step == 1:
            words.append(f"{exact(indices.start + 1)}–{exact(last + 1)}")
        elif last == indices.start + indices.step:
            words += [exact(indices.start + 1), exact(last + 1)]
        else:
            words.append(f"{exact(indices.start + 1)}, {exact(indices.start + indices.step + 1)}, … {exact(last + 1)}")
    if len(words) > most:
        words = [*words[: most - 1], "… " + words[-1]]
    return ", ".join(words)


def stack_of(anatomy: Anatomy, part: Part) -> Stack:
    """The stack that a part stands in; the first one for what stacks share."""
    stacks = anatomy.model.stacks
    return next((stack for stack in stacks if stack.id == part.stack), stacks[0])


def where(anatomy: Anatomy, part: Part) -> str:
    """Which stack and which blocks, where a model has several: empty for GPT-2."""
    _, stack, blocks = anatomy.address(part)
    words = [stack] if stack else []
    if blocks and part.blocks:
        number = count(part.blocks)
        words.append(f"block{'' if number == 1 else 's'} {numbers(part.blocks)}")
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
