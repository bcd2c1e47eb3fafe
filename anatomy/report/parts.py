"""The parts of a model: which there are, in which order they stand, what each holds, computes and costs at a T."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

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

    ``terms`` add up to its parameters, ``products`` to its FLOPs in the forward pass; ``attention`` says how its
    positions exchange information, None where they do not.
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
    activations: tuple[Activation, ...]
    flops: int
    attention: Attention | None
    terms: tuple[Term, ...]
    products: tuple[Term, ...]

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


class _Maker:
    """What every part of a model at a T is made from."""

    def __init__(self, model: Model, seq_len: int, full: Flops) -> None:
        self.model, self.seq_len = model, seq_len
        self.held, self.products = ByPart(parameters.of_model(model)), ByPart(full.terms)

    def part(self, part_id: str, stack: str | None, rows: Sequence[Row], blocks: Blocks | None) -> Part:
        """The part with these rows."""
        model, mine = self.model, [row for row in rows if row.part_id == part_id]
        held = sum(row.parameters_per_block for row in mine)
        times = count(blocks) if blocks else 1
        attention = _attention(model, part_id, stack, blocks)
        named = model.named_stack(stack)
        products = self.products.of(part_id, named, blocks)
        return Part(
            id=part_id,
            stack=stack,
            blocks=blocks,
            label=labels.part(model, part_id, stack, blocks, attention),
            group=_group(part_id, mine),
            parameters_per_block=held if blocks else None,
            parameters=held * times,
            share=Fraction(held * times, model.parameters),
            weights=weights.listed(mine),
            activations=tuple(activations(model, self.seq_len, part_id, stack, attention, mine)),
            flops=int(total(products)),
            attention=attention,
            terms=self.held.of(part_id, named, blocks),
            products=products,
        )


def parts_of(model: Model, seq_len: int, full: Flops) -> tuple[tuple[Part, ...], tuple[BlockKind, ...]]:
    """All parts in the order of computation, and the kinds of blocks with those inside them.

    >>> import anatomy
    >>> gpt2 = anatomy.load("gpt2")
    >>> parts, (kind,) = parts_of(gpt2, 8, gpt2.flops(8))
    >>> [part.id for part in parts if part not in kind.parts], kind.parameters
    (['embedding', 'residual', 'final-norm', 'unembedding'], 7087872)
    """
    parts: list[Part] = []
    block_kinds: list[BlockKind] = []
    made = _Maker(model, seq_len, full).part
    # What both stacks share stands in no stack of its own.
    shared = [row for row in model.rows if not row.blocks and row.stack is None and model.several_stacks]
    parts += [made(part_id, None, shared, None) for part_id in _present(shared, BEFORE)]
    for stack in model.stacks:
        mine = [row for row in model.rows if row.stack == model.named_stack(stack.id)]
        outside = [row for row in mine if not row.blocks]
        held = {row.part_id for row in outside}
        parts += [made(one, stack.id, outside, None) for one in BEFORE if one in held or one == "residual"]
        found = _block_kinds(model, stack, [row for row in mine if row.blocks], made)
        block_kinds += found
        parts += [part for kind in found for part in kind.parts]
        parts += [made(one, stack.id, outside, None) for one in AFTER if one in held or one in stack.bare]
    parts += [made(part_id, None, shared, None) for part_id in _present(shared, AFTER)]
    return tuple(parts), tuple(block_kinds)


def _present(rows: Sequence[Row], wanted: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(row.part_id for row in rows if row.part_id in wanted))


def _block_kinds(
    model: Model, stack: Stack, rows: Sequence[Row], made: Callable[[str, str, Sequence[Row], Blocks], Part]
) -> list[BlockKind]:
    sets = [row.blocks for row in rows] + [one.blocks for one in model.attention if one.stack == stack.id]
    found = []
    for blocks in sorted(kinds(stack.blocks, sets), key=lambda kind: kind[0].start):
        held = [row for row in rows if contains(row.blocks, blocks[0].start)]
        present = _in_flow(stack, {row.part_id for row in held} | {one for one in stack.bare if one not in AFTER})
        inside = tuple(made(part_id, stack.id, held, blocks) for part_id in present)
        found.append(BlockKind(stack.id, blocks, sum(row.parameters_per_block for row in held), inside))
    return found


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
