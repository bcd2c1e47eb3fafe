"""The diagram: the residual stream from the embeddings to the end, and the parts that read it and add to it."""

from __future__ import annotations

from itertools import groupby

from anatomy.model.architecture import Stack
from anatomy.report.anatomy import Anatomy, Part
from anatomy.views.drawing.boxes import box, link, shape_of_stream
from anatomy.views.drawing.canvas import Drawing, words
from anatomy.views.drawing.wiring import (
    LEFT,
    STREAM,
    Frame,
    block,
)
from anatomy.views.markup import (
    Attributes,
    Child,
    Safe,
    join,
    px,
    tag,
)
from anatomy.views.wording import plural
from anatomy.visit.state import State
from anatomy.words.formatting import exact, shape

# Laid out for the width of a phone; wider screens show the same drawing larger.
WIDTH = 360
# A drawing no taller than this can stand whole beside the panel.
TALL = 860


def view(state: State) -> Safe:
    """The model in a line, and its diagram.

    >>> "Block 1 of 12" in view(State())
    True
    """
    return join(
        tag("h2", {"id": "diagram-title"}, state.loaded.name),
        tag("p", {"class": "facts"}, _unbroken(facts(state.anatomy))),
        draw(state),
    )


def facts(anatomy: Anatomy) -> str:
    """What the model is, in a line.

    >>> from anatomy.visit.state import State
    >>> facts(State().anatomy)
    'OpenAI, 2019 · 12 blocks · d = 768 · vocabulary 50,257'
    """
    model = anatomy.model
    made = [f"{model.entry.maker}, {model.entry.released[:4]}"] if model.entry else []
    several = model.several_stacks
    for stack in model.stacks:
        made.append(plural(stack.blocks, f"{stack.id} block" if several else "block"))
    made.append(f"d = {exact(model.width)}")
    if model.vocabulary:
        made.append(f"vocabulary {exact(model.vocabulary)}")
    return " · ".join(made)


def _unbroken(line: str) -> list[Child]:
    """A line breaks between its facts, never inside one."""
    first, *others = line.split(" · ")
    return [tag("span", None, first), *([" · ", tag("span", None, other)] for other in others)]


def draw(state: State) -> Safe:
    """The drawing alone."""
    anatomy = state.anatomy
    drawing = Drawing(y=6)
    frame = _frame(anatomy)
    stacks, several = {stack.id: stack for stack in anatomy.model.stacks}, anatomy.model.several_stacks
    runs = [(name, list(found)) for name, found in groupby(anatomy.parts, key=lambda part: part.stack)]
    began: float | None = None
    for at, (name, parts) in enumerate(runs):
        if name is not None:
            if several:
                drawing.label(LEFT, drawing.y + 18, name.capitalize(), style="stack")
                drawing.y += 28
            began = drawing.y if began is None or several else began
        for part in parts:
            if part.blocks is None:
                _outside(state, drawing, part, frame)
            elif part is next(one for one in parts if one.blocks == part.blocks):
                kind = next(kind for kind in anatomy.block_kinds if kind.stack == name and kind.blocks == part.blocks)
                block(state, drawing, stacks[name or ""], kind, frame)
        ends = name is not None and (at + 1 == len(runs) or runs[at + 1][0] is not None)
        if ends and began is not None:
            _end(state, drawing, stacks[name or ""], began, last=at + 1 == len(runs))
    if runs[-1][0] is None and began is not None:
        _end(state, drawing, anatomy.model.stacks[-1], began, last=True)
    wanted: Attributes = {
        "viewBox": f"0 0 {WIDTH} {px(drawing.y)}",
        "preserveAspectRatio": "xMinYMin",
        "role": "group",
        "aria-label": f"Diagram of {state.loaded.name}: select a part",
        "class": "anatomy tall" if drawing.y > TALL else "anatomy",
    }
    return tag("svg", wanted, drawing.markup())


def _frame(anatomy: Anatomy) -> Frame:
    memory = 354.0 if any(part.id == "cross-attention" for part in anatomy.parts) else None
    right = 344.0 - (14 if memory else 0)
    beside = any(branch.reads != "stream" for stack in anatomy.model.stacks for branch in stack.flow)
    beside = beside or any(part.id in ("router", "shared-expert") for part in anatomy.parts)
    return Frame(right, right - (26 if beside else 12), memory)


def _outside(state: State, drawing: Drawing, part: Part, frame: Frame) -> None:
    if part.id == "residual":
        _stream_label(state, drawing, part, frame)
        return
    markup, room = box(state, part, LEFT, drawing.y, frame.right - LEFT)
    drawing.parts.append(markup)
    drawing.y = room.bottom + 11


def _stream_label(state: State, drawing: Drawing, part: Part, frame: Frame) -> None:
    sizes, letters = shape_of_stream(state.anatomy, part)
    said = f"{letters} = {sizes}"
    # Very large sizes leave no room for more.
    said += ", a vector per position" if len(said) < 20 else ""
    x, y, wide, high = STREAM + 8.0, drawing.y - 7, frame.right - STREAM - 8.0, 44
    edges: Attributes = {"x": px(x), "y": px(y), "width": px(wide), "height": high, "rx": 7}
    ring: Attributes = {"x": px(x - 4), "y": px(y - 4), "width": px(wide + 8), "height": high + 8, "rx": 10}
    drawing.parts.append(
        link(
            state,
            part,
            (part.label, said),
            tag("rect", {"class": "ring", **ring}),
            tag("rect", {"class": "box", **edges}),
            words(x + 8, y + 18, part.label, style="name"),
            words(x + 8, y + 34, said),
            style="stream-label",
        )
    )
    drawing.y = y + high + 5


def _end(state: State, drawing: Drawing, stack: Stack, began: float, *, last: bool) -> None:
    """The stream of a stack from where it began to here, and where it leads."""
    anatomy = state.anatomy
    several = anatomy.model.several_stacks
    read = not last and any(part.id == "cross-attention" for part in anatomy.parts)
    down = drawing.y + (12 if read else 20)
    line = {"class": "stream", "data-of": stack.id if several else None}
    drawing.lines.insert(0, tag("path", {**line, "d": f"M{STREAM} {px(began + 4)}V{px(down - 6)}"}))
    if read:
        drawing.memory = down - 8
        drawing.label(STREAM + 16, down + 10, "What the encoder has made of the source")
    else:
        tip = f"M{STREAM} {px(down)}L{STREAM - 7} {px(down - 12)}L{STREAM + 7} {px(down - 12)}Z"
        drawing.lines.append(tag("path", {"class": "stream-tip", "d": tip}))
        drawing.label(STREAM + 16, down - 4, result(anatomy, stack))
    drawing.y = down + (8 if last else 24)


def result(anatomy: Anatomy, stack: Stack) -> str:
    """What comes out at the end of a stack: logits, what a pooler makes of one position, or the last vectors.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> vit = describe(anatomy.load("vit-base-in21k"), 197)
    >>> result(vit, vit.model.stacks[0])
    'Pooled, 1 × 768'
    """
    for part in reversed(anatomy.parts):
        for one in part.activations:
            if one.symbol in ("Logits", "Pooled"):
                return f"{one.symbol}, {shape(one.shape)}"
    stream = next(part for part in anatomy.parts if part.id == "residual" and part.stack == stack.id)
    return f"Out, {shape(stream.activations[-1].shape)}"
