"""The anatomy of a model at a sequence length: the record that every view draws and that ``show --json`` prints."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from anatomy.catalog import LoadedModel
from anatomy.counts import flops, memory
from anatomy.model.architecture import Stack
from anatomy.model.blocks import (
    Blocks,
    contains,
    count,
    kinds,
    label,
)
from anatomy.model.rows import Row
from anatomy.model.switches import CAUSAL
from anatomy.model.terms import Number, total
from anatomy.report import weights
from anatomy.report.activations import Activation as Activation
from anatomy.report.activations import activations
from anatomy.report.weights import Weight as Weight
from anatomy.words import labels

# What stands before and after the blocks; inside them the stack's own flow decides.
BEFORE, AFTER = ("embedding", "embedding-norm", "residual"), ("final-norm", "pooler", "head", "unembedding")
DEFAULT_SEQ_LEN = 8
CACHE_DTYPE, CACHE_BATCH = "bf16", 1


@dataclass(frozen=True, slots=True)
class Part:
    """A selectable part: of a stack, of one kind of its blocks (None outside blocks)."""

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

    @property
    def blocks_label(self) -> str | None:
        """Its blocks as words, such as ``0-11``; None outside blocks."""
        return label(self.blocks) if self.blocks else None


@dataclass(frozen=True, slots=True)
class BlockKind:
    """Blocks of a stack that are alike in tensors and attention."""

    stack: str
    blocks: Blocks
    parameters: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A group of parameters, for the bar."""

    id: str
    label: str
    parameters: int
    share: Fraction


@dataclass(frozen=True, eq=False)
class Anatomy:
    """Everything shown of a model at T = ``seq_len``; views only word and draw it."""

    model: LoadedModel
    seq_len: int
    longest: int
    groups: tuple[Group, ...]
    block_kinds: tuple[BlockKind, ...]
    parts: tuple[Part, ...]
    full: flops.Flops
    causal: flops.Flops
    kv_bytes_per_token: Number | None
    kv_bytes: int | None

    def address(self, part: Part) -> tuple[str, str | None, str | None]:
        """What tells the part from the others: its id, then its stack and blocks where there are several."""
        stack = self.model.named_stack(part.stack)
        several = sum(kind.stack == part.stack for kind in self.block_kinds) > 1
        return part.id, stack, part.blocks_label if several else None

    def find(self, part_id: str, stack: str | None = None, blocks: str | None = None) -> Part | None:
        """The part with this id, in this stack and kind of blocks where they are given; else None."""
        for part in self.parts:
            if part.id == part_id and stack in (None, part.stack) and blocks in (None, part.blocks_label):
                return part
        return None


@lru_cache(maxsize=64)
def _described(model: LoadedModel, seq_len: int) -> Anatomy:
    full = flops.forward(model, seq_len)
    parts, block_kinds = _parts(model, seq_len, full)
    return Anatomy(
        model=model,
        seq_len=seq_len,
        longest=flops.longest(model),
        groups=tuple(
            Group(name, labels.group(model, name), held, Fraction(held, model.parameters))
            for name, held in model.groups().items()
        ),
        block_kinds=block_kinds,
        parts=parts,
        full=full,
        causal=flops.forward(model, seq_len, CAUSAL),
        kv_bytes_per_token=memory.kv_bytes_per_token(model, CACHE_DTYPE),
        kv_bytes=memory.kv_cache_bytes(model, seq_len, CACHE_BATCH, CACHE_DTYPE),
    )


def describe(model: LoadedModel, seq_len: int = DEFAULT_SEQ_LEN) -> Anatomy:
    """The anatomy of ``model`` at ``seq_len`` tokens.

    >>> import anatomy
    >>> describe(anatomy.load("gpt2")).find("attention").parameters
    28348416

    Raises ``SequenceLengthError``.
    """
    flops.check_seq_len(model, seq_len)
    return _described(model, seq_len)


def default_seq_len(model: LoadedModel, wished: int = DEFAULT_SEQ_LEN) -> int:
    """The legal sequence length nearest to the one wished for.

    >>> import anatomy
    >>> default_seq_len(anatomy.load("gpt2"), 5000)
    1024
    """
    return model.fixed_lengths.get("tokens") or max(1, min(wished, flops.longest(model)))


def _parts(model: LoadedModel, seq_len: int, full: flops.Flops) -> tuple[tuple[Part, ...], tuple[BlockKind, ...]]:
    parts: list[Part] = []
    block_kinds: list[BlockKind] = []
    several = len(model.stacks) > 1

    def made(part_id: str, stack: str | None, rows: list[Row], blocks: Blocks | None) -> Part:
        return _part(model, seq_len, full, part_id, stack, rows, blocks)

    shared = [row for row in model.rows if not row.blocks and several and row.stack is None]
    for part_id in dict.fromkeys(row.part_id for row in shared if row.part_id in BEFORE):
        parts.append(made(part_id, None, [row for row in shared if row.part_id == part_id], None))
    for stack in model.stacks:
        mine = [row for row in model.rows if row.stack == stack.id or not several]
        outside = [row for row in mine if not row.blocks]
        for part_id in BEFORE:
            rows = [row for row in outside if row.part_id == part_id]
            if rows or part_id == "residual":
                parts.append(made(part_id, stack.id, rows, None))
        inside = [row for row in mine if row.blocks]
        sets = [row.blocks for row in inside] + [one.blocks for one in model.attention if one.stack == stack.id]
        for blocks in sorted(kinds(stack.blocks, sets), key=lambda found: found[0].start):
            held = [row for row in inside if contains(row.blocks, blocks[0].start)]
            present = _in_flow(stack, {row.part_id for row in held} | {one for one in stack.bare if one not in AFTER})
            made_here = tuple(
                made(part_id, stack.id, [row for row in held if row.part_id == part_id], blocks) for part_id in present
            )
            block_kinds.append(BlockKind(stack.id, blocks, sum(row.parameters_per_block for row in held), made_here))
            parts += made_here
        for part_id in AFTER:
            rows = [row for row in outside if row.part_id == part_id]
            if rows or part_id in stack.bare:
                parts.append(made(part_id, stack.id, rows, None))
    for part_id in dict.fromkeys(row.part_id for row in shared if row.part_id in AFTER):
        parts.append(made(part_id, None, [row for row in shared if row.part_id == part_id], None))
    return tuple(parts), tuple(block_kinds)


def _in_flow(stack: Stack, present: set[str]) -> list[str]:
    flow = [
        one for branch in stack.flow for one in (*branch.parts, *([branch.norm_after] if branch.norm_after else []))
    ]
    missing = present - set(flow)
    if missing:
        raise ValueError(f"the flow of stack {stack.id!r} leaves out {sorted(missing)}")
    return [part_id for part_id in flow if part_id in present]


def _part(
    model: LoadedModel,
    seq_len: int,
    full: flops.Flops,
    part_id: str,
    stack: str | None,
    rows: list[Row],
    blocks: Blocks | None,
) -> Part:
    times = count(blocks) if blocks else 1
    held = sum(row.parameters_per_block for row in rows)
    return Part(
        id=part_id,
        stack=stack,
        blocks=blocks,
        label=labels.part(model, part_id, stack, blocks),
        group=_group(part_id, rows),
        parameters_per_block=held if blocks else None,
        parameters=held * times,
        share=Fraction(held * times, model.parameters),
        weights=weights.listed(rows),
        activations=tuple(activations(model, seq_len, part_id, stack, blocks, rows)),
        flops=int(total(full.of_part(part_id, model.named_stack(stack), blocks))),
    )


def _group(part_id: str, rows: list[Row]) -> str:
    if part_id == "residual":
        return "residual"
    # A part is drawn in the colour of its matrices: attention's, though its QK norms are counted as norms.
    # What holds nothing at all is a norm without a scale.
    return next((row.group for row in rows if row.group != "norms"), "norms")
