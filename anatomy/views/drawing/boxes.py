"""A part as a box of the diagram: a link with its label, what is particular about it, its count and its share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anatomy.model.architecture import Attention
from anatomy.model.blocks import count
from anatomy.report.anatomy import Anatomy, Part
from anatomy.views.drawing import glyphs
from anatomy.views.drawing.canvas import words
from anatomy.views.markup import (
    Attributes,
    Safe,
    join,
    px,
    tag,
)
from anatomy.views.panel import none
from anatomy.views.wording import (
    hooks,
    plural,
    stack_of,
    where,
)
from anatomy.visit.state import State, visit_key
from anatomy.words.formatting import exact, percent, short

PAD = 12
# All shares are drawn to one scale: so many units are the whole model.
WHOLE = 230
# So many characters of a count and its share stand side by side.
IN_A_LINE = 29
# The width of a letter of a label, in the widest of the fonts that a system may bring.
LETTER = 8.6


@dataclass(frozen=True)
class Box:
    """Where a part was drawn: lines lead to and from its edges."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    @property
    def middle(self) -> float:
        """Half its height."""
        return self.y + self.height / 2


def link(state: State, part: Part, seen: Sequence[str], *children: Safe, style: str = "") -> Safe:
    """The link that selects a part; its name says what is ``seen`` in it, then its exact count and its place."""
    anatomy = state.anatomy
    return tag(
        "a",
        {
            "id": f"see-{visit_key(anatomy, part).replace(' ', '_')}",
            "href": state.link(part),
            **hooks(anatomy, part),
            "data-action": "part",
            "class": f"part g-{part.group} {style}".strip(),
            "aria-label": spoken(anatomy, part, seen),
        },
        # What reads the drawing as text finds its lines apart.
        [[" " if at else None, child] for at, child in enumerate(children)],
    )


def spoken(anatomy: Anatomy, part: Part, seen: Sequence[str]) -> str:
    """The name of a part's link: the lines that are seen in it, in their order, then what they leave out.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> spoken(shown, shown.find("attention"), ["Self-attention", "2,362,368 × 12 = 28.3M", "23%"])
    'Self-attention, 2,362,368 × 12 = 28.3M, 23% of the model, 28,348,416 parameters'
    """
    held = f"{exact(part.parameters)} parameters" if part.parameters else none(part)
    words = [line for line in seen if line]
    if part.parameters:
        words[-1] += " of the model"
    return ", ".join(word for word in (*words, "" if held in words else held, where(anatomy, part)) if word)


def box(state: State, part: Part, x: float, y: float, width: float) -> tuple[Safe, Box]:
    """A part drawn at x, y: and the room that it takes."""
    anatomy = state.anatomy
    left, inner = x + PAD, width - 2 * PAD
    label = wrapped(part.label, inner)
    at = y + 19.0
    drawn, seen = [words(left, at, *label, style="name")], [part.label]
    at += 17 * (len(label) - 1)
    for line in particulars(anatomy, part):
        at += 16
        drawn.append(words(left, at, line))
        seen.append(line)
    glyph, high, letters = _glyph(anatomy, part, left, at + 8, inner)
    if glyph:
        drawn.append(glyph)
        seen += letters
        at += high
    for line in _count(part):
        at += 16
        drawn.append(words(left, at, line))
        seen.append(line)
    share = _share(part)
    if share:
        drawn.append(words(x + width - PAD, at, share, style="percent", end=True))
        seen.append(share)
    at += 6
    filled = max(1.0, WHOLE * float(part.share)) if part.parameters else 0
    drawn.append(tag("rect", {"class": "track", "x": px(left), "y": px(at), "width": WHOLE, "height": 4}))
    if filled:
        drawn.append(tag("rect", {"class": "fill", "x": px(left), "y": px(at), "width": px(filled), "height": 4}))
    room = Box(x, y, width, at + 10 - y)
    frame: Attributes = {"x": px(x), "y": px(y), "width": px(width), "height": px(room.height), "rx": 7}
    ring: Attributes = {"x": px(x - 4), "y": px(y - 4), "width": px(width + 8), "height": px(room.height + 8), "rx": 10}
    edges = [tag("rect", {"class": "ring", **ring}), tag("rect", {"class": "box", **frame})]
    return link(state, part, seen, *edges, *drawn, style="tied" if part.weights and not part.parameters else ""), room


def wrapped(label: str, width: float) -> list[str]:
    """A label in as many lines as its width needs, were it set in the widest of usual fonts.

    >>> wrapped("Norm before attention and MLP", 234)
    ['Norm before attention and', 'MLP']
    """
    lines = [""]
    for word in label.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if len(longer) * LETTER > width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def particulars(anatomy: Anatomy, part: Part) -> list[str]:
    """What is particular about this model's part, a short line each.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("llama-3-70b"))
    >>> particulars(shown, shown.find("attention")), particulars(shown, shown.find("mlp"))
    (['64 query heads, 8 KV heads of 128'], ['8,192 → 28,672 → 8,192', 'gated: three matrices'])
    """
    traits = anatomy.model.traits
    if part.id in ("attention", "cross-attention"):
        return _attention(anatomy, part)
    if part.stack is None:
        return ["shared by both stacks"]
    shapes = {weight.symbol: weight.shape for weight in part.weights}
    if part.id in ("mlp", "shared-expert", "experts") and "W_down" in shapes:
        inner, width = shapes["W_down"]
        chain = f"{exact(width)} → {exact(inner)} → {exact(width)}"
        if part.id == "experts":
            return [f"{exact(traits.experts_per_token or 0)} of {exact(traits.experts or 0)} used per token", chain]
        return [chain, *(["gated: three matrices"] if any("W_gate" in one for one in shapes) else [])]
    if part.id == "router" and traits.experts:
        return [f"scores {plural(traits.experts, 'expert')}, takes {exact(traits.experts_per_token or 0)}"]
    return []


def _attention(anatomy: Anatomy, part: Part) -> list[str]:
    record = part.attention
    if record is None:
        return []
    lines = []
    if record.latent is not None:
        lines += [f"{plural(record.query_heads, 'head')} over one latent of {exact(record.latent)}"]
    elif record.kv_heads == record.query_heads:
        lines += [f"{plural(record.query_heads, 'head')} of {exact(record.qk_size)}"]
    else:
        shared = plural(record.kv_heads, "KV head")
        lines += [f"{plural(record.query_heads, 'query head')}, {shared} of {exact(record.qk_size)}"]
    if record.window:
        lines.append(f"sees the {'last' if record.causal else 'nearest'} {plural(record.window, 'token')}")
    elif record.chunk:
        lines.append(f"sees within chunks of {plural(record.chunk, 'token')}")
    elif not record.causal and record.kind == "self":
        lines.append("sees both directions")
    elif any((one.window or one.chunk) and one.stack == record.stack for one in anatomy.model.attention):
        lines.append("sees all earlier tokens")
    return lines


def _glyph(
    anatomy: Anatomy, part: Part, x: float, y: float, width: float
) -> tuple[Safe | None, float, tuple[str, ...]]:
    """A small drawing of the part, how much height it takes, and the letters in it."""
    if part.attention:
        shared = "latent" if part.attention.latent is not None else "K, V"
        return _heads(part.attention, shared, x, y, width), 28, ("Q", shared)
    traits = anatomy.model.traits
    if part.id == "experts" and traits.experts:
        drawn, high = glyphs.experts(traits.experts, traits.experts_per_token or 0, x, y, WHOLE)
        return drawn, high + 6, ()
    down = next((weight.shape for weight in part.weights if weight.symbol == "W_down"), None)
    if down and part.id in ("mlp", "shared-expert"):
        # It stands beside the words, at the right.
        return glyphs.widening(down[1], down[0], x + width - 52, y - 34, 28), 0, ()
    return None, 0, ()


def _heads(record: Attention, shared: str, x: float, y: float, width: float) -> Safe:
    room = 40 if record.latent is not None else 28
    return join(
        glyphs.heads(record, x, y, width - room),
        " ",
        words(x + width, y + 8, "Q", end=True),
        " ",
        words(x + width, y + 21, shared, end=True),
    )


def _count(part: Part) -> list[str]:
    """One thing at a time: a block's count times its blocks, and what that comes to, before the share of the whole."""
    if any(weight.tied_to for weight in part.weights) and not part.parameters:
        return ["reuses the token table: 0 of its own"]
    many = count(part.blocks) if part.blocks else 1
    if many == 1 or not part.parameters_per_block:
        held = f"{exact(part.parameters)} parameters"
        return [held if len(held) + len(_share(part)) <= IN_A_LINE else exact(part.parameters)]
    product, result = f"{exact(part.parameters_per_block)} × {exact(many)}", f"= {short(part.parameters)}"
    if len(product) + len(result) + len(_share(part)) <= IN_A_LINE:
        return [f"{product} {result}"]
    return [product, result]


def _share(part: Part) -> str:
    return percent(part.share) if part.parameters else ""


def shape_of_stream(anatomy: Anatomy, part: Part) -> tuple[str, str]:
    """The stream's shape in numbers and in letters.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> shape_of_stream(shown, shown.find("residual"))
    ('8 × 768', 'T × d')
    """
    rows, width = part.activations[-1].shape
    letter = "T" if stack_of(anatomy, part).positions == "tokens" else "S"
    return f"{exact(rows)} × {exact(width)}", f"{letter} × d"
