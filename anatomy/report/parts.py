"""The parts of a model: which there are, in which order they stand, what each holds, computes and costs at a T."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from anatomy.counts import parameters
from anatomy.counts.flops import Flops
from anatomy.model.architecture import Attention, Stack
from anatomy.model.blocks import (
    Blocks,
    contains,
    count,
    kinds,
    label,
)
from anatomy.model.rows import Model, Row
from anatomy.model.terms import ByPart, Term, total
from anatomy.report import weights
from anatomy.report.activations import Activation, activations
from anatomy.report.weights import Weight
from anatomy.words import labels
from anatomy.words.working import Working

# What stands before and after the blocks; inside them the stack's own flow decides.
BEFORE, AFTER = ("embedding", "embedding-norm", "residual"), ("final-norm", "pooler", "head", "unembedding")
# The parts in which positions exchange information, and the kind of the record that says how.
_MIXING = {"attention": "self", "cross-attention": "cross"}


@dataclass(frozen=True, slots=True)
class Part:
    """A selectable part: of a stack, of one kind of its blocks (None outside blocks).

    ``share`` says how much of the model's parameters it holds; ``terms`` add up to its own, ``products`` to its FLOPs
    in the forward pass; ``attention`` says how its positions exchange information, None where they do not.
    """

    id: str
    stack: str | None
    blocks: Blocks | None
    label: str
    group: str
    parameters_per_block: int | None
    parameters: int
    share: Fraction
    weights: tuple[Weight, ...]
    attention: Attention | None
    terms: tuple[Term, ...]
    activations: tuple[Activation, ...] = ()
    products: tuple[Term, ...] = ()
    flops: int = 0

    @property
    def blocks_label(self) -> str | None:
        """Its blocks as words, such as ``0-11``; None outside blocks."""
        return label(self.blocks) if self.blocks else None

    @property
    def working(self) -> Working:
        """How its parameters are counted."""
        return Working(self.label, self.terms, self.parameters)


@dataclass(frozen=True, slots=True)
class BlockKind:
    """Blocks of a stack that are alike in tensors and attention."""

    stack: str
    blocks: Blocks
    parameters: int
    parts: tuple[Part, ...]


def parts_of(model: Model, seq_len: int, full: Flops) -> tuple[tuple[Part, ...], tuple[BlockKind, ...]]:
    """All parts in the order of computation, and the kinds of blocks with those inside them.

    >>> import anatomy
    >>> gpt2 = anatomy.load("gpt2")
    >>> parts, (kind,) = parts_of(gpt2, 8, gpt2.flops(8))
    >>> [part.id for part in parts if part not in kind.parts], kind.parameters
    (['embedding', 'residual', 'final-norm', 'unembedding'], 7087872)
    """
    by_part = ByPart(full.terms)
    parts: list[Part] = []
    inside: dict[tuple[str, Blocks], list[Part]] = {}
    for part, rows in _standing(model):
        products = by_part.of(part.id, model.named_stack(part.stack), part.blocks)
        computed = tuple(activations(model, seq_len, part.id, part.stack, part.attention, rows))
        parts.append(replace(part, activations=computed, products=products, flops=int(total(products))))
        if part.stack and part.blocks:
            inside.setdefault((part.stack, part.blocks), []).append(parts[-1])
    block_kinds = (
        BlockKind(stack, blocks, sum(one.parameters_per_block or 0 for one in held), tuple(held))
        for (stack, blocks), held in inside.items()
    )
    return tuple(parts), tuple(block_kinds)


@lru_cache(maxsize=64)
def _standing(model: Model) -> tuple[tuple[Part, list[Row]], ...]:
    """The parts with their rows, as they are at every T: what they compute and cost is still to be said."""
    held = ByPart(parameters.of_model(model))
    found = []
    for part_id, stack, blocks, rows in _places(model):
        size = sum(row.parameters_per_block for row in rows)
        in_all = size * (count(blocks) if blocks else 1)
        attention = _attention(model, part_id, stack, blocks)
        part = Part(
            id=part_id,
            stack=stack,
            blocks=blocks,
            label=labels.part(model, part_id, stack, blocks, attention),
            group=_group(part_id, rows),
            parameters_per_block=size if blocks else None,
            parameters=in_all,
            share=Fraction(in_all, model.parameters),
            weights=weights.listed(rows),
            attention=attention,
            terms=held.of(part_id, model.named_stack(stack), blocks),
        )
        found.append((part, rows))
    return tuple(found)


Place = tuple[str, str | None, Blocks | None, list[Row]]


def _places(model: Model) -> Iterator[Place]:
    """Each part's id, stack, blocks and rows, in the order of computation."""
    # What both stacks share stands in no stack of its own.
    shared = [row for row in model.rows if not row.blocks and row.stack is None and model.several_stacks]
    yield from _outside(shared, None, [part_id for part_id in BEFORE if _any(shared, part_id)])
    for stack in model.stacks:
        mine = [row for row in model.rows if row.stack == model.named_stack(stack.id)]
        outside = [row for row in mine if not row.blocks]
        yield from _outside(outside, stack.id, [one for one in BEFORE if one == "residual" or _any(outside, one)])
        yield from _inside([row for row in mine if row.blocks], stack, model)
        yield from _outside(outside, stack.id, [one for one in AFTER if one in stack.bare or _any(outside, one)])
    yield from _outside(shared, None, [part_id for part_id in AFTER if _any(shared, part_id)])


def _any(rows: Sequence[Row], part_id: str) -> bool:
    return any(row.part_id == part_id for row in rows)


def _outside(rows: Sequence[Row], stack: str | None, part_ids: Sequence[str]) -> Iterator[Place]:
    for part_id in part_ids:
        yield part_id, stack, None, [row for row in rows if row.part_id == part_id]


def _inside(rows: Sequence[Row], stack: Stack, model: Model) -> Iterator[Place]:
    sets = [row.blocks for row in rows] + [one.blocks for one in model.attention if one.stack == stack.id]
    for blocks in sorted(kinds(stack.blocks, sets), key=lambda kind: kind[0].start):
        held = [row for row in rows if contains(row.blocks, blocks[0].start)]
        present = {row.part_id for row in held} | {one for one in stack.bare if one not in AFTER}
        for part_id in _in_flow(stack, present):
            yield part_id, stack.id, blocks, [row for row in held if row.part_id == part_id]


def _in_flow(stack: Stack, present: set[str]) -> list[str]:
    flow = [
        one for branch in stack.flow for one in (*branch.parts, *([branch.norm_after] if branch.norm_after else []))
    ]
    missing = present - set(flow)
    if missing:
        raise ValueError(f"the flow of stack {stack.id!r} leaves out {sorted(missing)}")
    return [part_id for part_id in flow if part_id in present]


def _attention(model: Model, part_id: str, stack: str | None, blocks: Blocks | None) -> Attention | None:
    """The record that says how the positions of a part exchange information: one holds for all blocks of a kind."""
    kind = _MIXING.get(part_id)
    if kind is None or not blocks:
        return None
    alike = [one for one in model.attention if (one.stack, one.kind) == (stack, kind)]
    return next((one for one in alike if contains(one.blocks, blocks[0].start)), None)


def _group(part_id: str, rows: Sequence[Row]) -> str:
    if part_id == "residual":
        return "residual"
    # A part is drawn in the colour of its matrices: attention's, though its QK norms are counted as norms.
    # What holds nothing at all is a norm without a scale.
    return next((row.group for row in rows if row.group != "norms"), "norms")
