"""The anatomy of a model at a sequence length: the record that ``show --json`` prints and that every view draws."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from anatomy import costs, flops, labels, memory
from anatomy.activations import Activation as Activation
from anatomy.activations import activations
from anatomy.blocks import Blocks, contains, count, kinds, label
from anatomy.catalog import LoadedModel
from anatomy.tensors import Row, Stack
from anatomy.terms import Number, total

# What stands before and after the blocks; inside them the stack's own flow decides.
BEFORE, AFTER = ("embedding", "embedding-norm", "residual"), ("final-norm", "pooler", "head", "unembedding")
CACHE_DTYPE, CACHE_BATCH = "bf16", 1


@dataclass(frozen=True, slots=True)
class Weight:
    """A logical matrix (or a vector or table) of a part: ``shape`` is (in, out) for matrices, ``count`` of them."""

    symbol: str
    shape: tuple[int, ...]
    count: int
    stored_name: str
    stored_shape: tuple[int, ...]
    parameters: int
    tied_to: str | None = None
    buffer: bool = False


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
        stack = part.stack if len(self.model.stacks) > 1 else None
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
    full = flops.forward(model, seq_len, flops.FULL)
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
        causal=flops.forward(model, seq_len, flops.CAUSAL),
        kv_bytes_per_token=memory.kv_bytes_per_token(model, CACHE_DTYPE),
        kv_bytes=memory.kv_cache_bytes(model, seq_len, CACHE_BATCH, CACHE_DTYPE),
    )


def describe(model: LoadedModel, seq_len: int = 8) -> Anatomy:
    """The anatomy of ``model`` at ``seq_len`` tokens.

    >>> import anatomy
    >>> describe(anatomy.load("gpt2")).find("attention").parameters
    28348416

    Raises ``SequenceLengthError``.
    """
    flops.check_seq_len(model, seq_len)
    return _described(model, seq_len)


def default_seq_len(model: LoadedModel, wished: int = 8) -> int:
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
            present = _in_flow(stack, {row.part_id for row in held})
            made_here = tuple(
                made(part_id, stack.id, [row for row in held if row.part_id == part_id], blocks) for part_id in present
            )
            block_kinds.append(BlockKind(stack.id, blocks, sum(row.parameters_per_block for row in held), made_here))
            parts += made_here
        for part_id in AFTER:
            rows = [row for row in outside if row.part_id == part_id]
            if rows:
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
        weights=tuple(_weights(rows)),
        activations=tuple(activations(model, seq_len, part_id, stack, blocks, rows)),
        flops=int(total(full.of_part(part_id, stack if len(model.stacks) > 1 else None, blocks))),
    )


def _group(part_id: str, rows: list[Row]) -> str:
    if part_id == "residual":
        return "residual"
    # A part is drawn in the colour of its matrices: attention's, though its QK norms are counted as norms.
    groups = [row.group for row in rows]
    return next((group for group in groups if group != "norms"), groups[0])


def _weights(rows: list[Row]) -> Iterator[Weight]:
    for row in rows:
        for matrix in row.matrices:
            size = 0 if row.tied_to else matrix.elements * row.copies
            many = matrix.count * row.copies
            shape = (matrix.inputs, matrix.outputs)
            yield Weight(matrix.symbol, shape, many, row.name, row.shape, size, row.tied_to)
    for row in rows:
        if not row.matrices:
            size = row.parameters_per_block
            yield Weight(row.symbol, row.shape, row.copies, row.name, row.shape, size, row.tied_to, row.buffer)


def as_dict(anatomy: Anatomy) -> dict[str, Any]:
    """The record with the keys that DESIGN.md fixes for ``show --json``; shares are Fractions still."""
    model = anatomy.model
    cached = anatomy.kv_bytes_per_token is not None
    return {
        "model": {
            "slug": model.slug,
            "name": model.name,
            "maker": model.entry.maker if model.entry else None,
            "model_type": model.model_type,
            "architecture": model.architecture,
            "stacks": [{"id": stack.id, "blocks": stack.blocks} for stack in model.stacks],
            "width": model.width,
            "vocabulary": model.vocabulary,
            "context": model.context,
            "defaults": dict(model.defaults),
        },
        "seq_len": anatomy.seq_len,
        "parameters": {
            "total": model.parameters,
            "without_embeddings": model.parameters_without_embeddings,
            "active": model.active_parameters,
            "active_without_token_table": model.active_parameters_without_token_table,
            "released_total": model.entry.released_total if model.entry else None,
            "tied_unembedding": model.tied_unembedding,
        },
        "groups": [
            {"id": one.id, "label": one.label, "parameters": one.parameters, "share": one.share}
            for one in anatomy.groups
        ],
        "block_kinds": [
            {"stack": kind.stack, "blocks": label(kind.blocks), "parameters": kind.parameters}
            for kind in anatomy.block_kinds
        ],
        "parts": [_part_dict(part) for part in anatomy.parts],
        "flops": {
            "full": {"per_pass": anatomy.full.per_pass, "per_token": anatomy.full.per_token},
            "causal": {"per_pass": anatomy.causal.per_pass, "per_token": anatomy.causal.per_token},
            "by_part": [
                {"id": part.id, "stack": part.stack, "blocks": part.blocks_label, "per_pass": part.flops}
                for part in anatomy.parts
                if part.flops
            ],
            **costs.flops_dict(model, anatomy.seq_len),
        },
        "memory": {
            **costs.memory_dict(model, anatomy.seq_len),
            "kv_cache": {
                "dtype": CACHE_DTYPE,
                "batch": CACHE_BATCH,
                "bytes_per_token": anatomy.kv_bytes_per_token,
                "bytes": anatomy.kv_bytes,
            }
            if cached
            else None,
        },
        "other_conventions": costs.conventions_dict(model, anatomy.seq_len),
        "name": costs.name_dict(model.name, model),
    }


def _part_dict(part: Part) -> dict[str, Any]:
    return {
        "id": part.id,
        "stack": part.stack,
        "blocks": part.blocks_label,
        "label": part.label,
        "parameters_per_block": part.parameters_per_block,
        "parameters": part.parameters,
        "share": part.share,
        "weights": [
            {
                "symbol": weight.symbol,
                "shape": list(weight.shape),
                "count": weight.count,
                "stored_name": weight.stored_name,
                "stored_shape": list(weight.stored_shape),
                "parameters": weight.parameters,
                "tied_to": weight.tied_to,
                "buffer": weight.buffer,
            }
            for weight in part.weights
        ],
        "activations": [{"symbol": one.symbol, "shape": list(one.shape)} for one in part.activations],
    }


def to_json(value: object) -> str:
    """JSON of a record, Fractions as the integers or decimal numbers that they are.

    >>> to_json({"share": Fraction(1, 4), "whole": Fraction(8, 2)})
    '{"share": 0.25, "whole": 4}'
    """
    return json.dumps(value, default=_number, ensure_ascii=False)


def _number(value: object) -> int | float:
    if not isinstance(value, Fraction):
        raise TypeError(f"{type(value).__name__} is no JSON value")
    return value.numerator if value.denominator == 1 else float(value)
