"""One block of the diagram: branches leave the stream, pass through their parts, and are added back."""

from __future__ import annotations

from dataclasses import dataclass

from anatomy.model.architecture import Branch, Stack
from anatomy.model.blocks import count
from anatomy.model.computation import Computation
from anatomy.report.anatomy import BlockKind, Part
from anatomy.views.drawing.boxes import Box, box
from anatomy.views.drawing.canvas import Drawing
from anatomy.views.markup import Attributes, px, tag
from anatomy.views.wording import plural
from anatomy.visit.state import State
from anatomy.words.formatting import exact, short
from anatomy.words.places import indices, numbers

STREAM, LEFT = 34, 8
# In a block the boxes stand right of the stream; a line turns down into them a little further right.
INDENT, TURN = 60, 84
SHEETS = 2
# What a router hands to the experts: no vector of the stream.
CHOICE = "which, and with what weight"


@dataclass(frozen=True)
class Frame:
    """How wide a block is drawn, and the place of the lines that run down beside its parts."""

    right: float
    inner_right: float
    memory: float | None = None

    @property
    def rail(self) -> float:
        """Where a line runs down past a part, at the right."""
        return (self.inner_right + self.right) / 2


def block(state: State, drawing: Drawing, stack: Stack, kind: BlockKind, frame: Frame) -> None:
    """Draw a block of this kind at the drawing's y, and move y below it."""
    parts = {part.id: part for part in kind.parts}
    top = drawing.y
    _heading(state, drawing, stack, kind, frame)
    source: Box | float = drawing.y
    for branch in stack.flow:
        chain = [parts[name] for name in branch.parts if name in parts]
        if chain:
            source = _branch(state, drawing, frame, branch, chain, source)
        if branch.norm_after in parts:
            drawing.y += 12
            _on_stream(state, drawing, parts[branch.norm_after], frame)
    drawing.y += 10
    more = count(kind.blocks) - 1
    drawing.frame(LEFT, frame.right, top, drawing.y, SHEETS if more else 0)
    drawing.y += 4 * SHEETS if more else 0
    said = more_blocks(stack, kind, state.loaded.computation)
    if said:
        drawing.label(STREAM + 16, drawing.y + 20, *said)
        drawing.y += 20 + 15 * (len(said) - 1)
    drawing.y += 14


def title(stack: Stack, kind: BlockKind) -> str:
    """Which blocks a frame stands for."""
    held = count(kind.blocks)
    if held == stack.blocks:
        return f"Block 1 of {exact(stack.blocks)}"
    return f"Block{'' if held == 1 else 's'} {numbers(kind.blocks)} of {exact(stack.blocks)}"


def total(kind: BlockKind) -> str:
    """What a block of this kind holds, and all of the kind together.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> total(describe(anatomy.load("gpt2")).block_kinds[0])
    '7,087,872 × 12 = 85.1M'
    """
    many = count(kind.blocks)
    if many == 1 or not kind.parameters:
        return exact(kind.parameters)
    return f"{exact(kind.parameters)} × {exact(many)} = {short(kind.parameters * many)}"


def _heading(state: State, drawing: Drawing, stack: Stack, kind: BlockKind, frame: Frame) -> None:
    """Which blocks these are, as people count and as the checkpoint does: below where both leave no room for a line."""
    right, top, whole = frame.right - 14, drawing.y, count(kind.blocks) == stack.blocks
    said = indices(state.loaded, stack.id, (range(1),) if whole else kind.blocks)
    place: Attributes = {"class": "heading", "x": px(right), "y": px(top + 20), "text-anchor": "end"}
    below: Attributes = {} if whole else {"x": px(right), "dy": 15}
    beside = tag("tspan", {"class": "sub", **below}, said)
    drawing.parts.append(tag("text", place, f"{title(stack, kind)}, ", beside))
    drawing.label(right, top + (37 if whole else 52), total(kind), end=True)
    drawing.y = top + (24 if whole else 39)


def more_blocks(stack: Stack, kind: BlockKind, computation: Computation | None) -> list[str]:
    """What stands behind a frame, in up to three lines: blocks of one shape may still compute in two ways."""
    held = count(kind.blocks)
    if held == stack.blocks:
        if held == 1:
            return []
        own = "its own weights" if held == 2 else "their own weights"
        return [f"{plural(held - 1, 'more block')} with the same shape", f"and {own}", *_apart(held, computation)]
    if held > 1:
        return [f"{plural(held, 'block')} of this kind,", "each with its own weights"]
    # T5: all blocks use the table that the first one holds.
    if any(weight.symbol == "b_rel" for part in kind.parts for weight in part.weights):
        return ["It differs from the others only in holding", "their table of relative positions"]
    return []


def _apart(held: int, computation: Computation | None) -> list[str]:
    if computation and computation.every_other_banded:
        return ["Every other one attends in sparse bands"]
    bare = count(computation.rotation.without) if computation and computation.rotation else 0
    return [f"{exact(bare)} of the {exact(held)} do not rotate queries and keys"] if 0 < bare < held else []


def _on_stream(state: State, drawing: Drawing, part: Part, frame: Frame) -> Box:
    markup, room = box(state, part, LEFT + 10, drawing.y, frame.inner_right - LEFT - 10)
    drawing.parts.append(markup)
    drawing.y = room.bottom
    return room


def _branch(
    state: State, drawing: Drawing, frame: Frame, branch: Branch, chain: list[Part], source: Box | float
) -> Box | float:
    """Draw a branch and its addition; what the next branch may read of it is returned."""
    tap = drawing.y + 6
    drawing.y = tap + 18
    if branch.reads == "stream":
        drawing.line([(STREAM, tap), (TURN, tap), (TURN, drawing.y)])
        start: Box | float = tap
    else:
        # It reads what the branch before it read: past that branch's parts, at their right.
        start = source
        drawing.y = tap
    rooms: dict[str, Box] = {}
    waiting: Box | None = None
    norm = chain[0].id if chain[0].id.startswith("norm") else None
    for at, part in enumerate(chain):
        markup, room = box(state, part, INDENT, drawing.y, frame.inner_right - INDENT)
        drawing.parts.append(markup)
        before = chain[at - 1].id if at else ""
        # Experts, routed and shared, read what the router reads: past it, at their right.
        if part.id == "shared-expert" and before == "experts":
            _past(drawing, frame, rooms[norm] if norm else start, room)
            waiting = rooms[before]
        elif part.id == "experts" and before == "router":
            _past(drawing, frame, rooms[norm] if norm else start, room)
            drawing.line([(TURN, rooms[before].bottom), (TURN, room.y)], "choice")
            drawing.label(TURN + 10, room.y - 7, CHOICE)
        elif at:
            drawing.line([(TURN, rooms[before].bottom), (TURN, room.y)])
        elif branch.reads != "stream":
            _past(drawing, frame, start, room)
        if part.id == "cross-attention" and frame.memory:
            begin = (STREAM + 10.0, drawing.memory)
            turns = [(frame.memory, drawing.memory), (frame.memory, room.middle), (room.right, room.middle)]
            drawing.line([begin, *turns], "memory")
        rooms[part.id] = room
        drawing.y = room.bottom + (24 if part.id == "router" else 14)
    last = rooms[chain[-1].id]
    plus = last.bottom + 20
    drawing.line([(TURN, last.bottom), (TURN, plus), (STREAM + 10, plus)])
    if waiting:
        # The routed experts' sum joins that of the shared one, past it at the left.
        beside = (STREAM + 10 + INDENT) / 2
        drawing.line([(INDENT, waiting.middle), (beside, waiting.middle), (beside, plus), (STREAM + 10, plus)])
    drawing.plus(STREAM, plus)
    drawing.y = plus + 12
    if branch.reads == "stream":
        return rooms[norm] if norm == "norm-block" else tap
    return source


def _past(drawing: Drawing, frame: Frame, source: Box | float, room: Box) -> None:
    """A line from a norm (or from the stream, at a height) past other parts into the right edge of a part."""
    into = [(frame.rail, room.middle), (room.right, room.middle)]
    if isinstance(source, Box):
        drawing.line([(source.right, source.middle), (frame.rail, source.middle), *into])
    else:
        drawing.line([(TURN - 10, source), (frame.rail, source), *into])
