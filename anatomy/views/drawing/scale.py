"""Tensors as rectangles to one scale per model, whatever T is: what is too long breaks, what is too thin is said."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod

from anatomy.report.anatomy import Anatomy
from anatomy.views.markup import (
    Attributes,
    Safe,
    px,
    tag,
)
from anatomy.words.formatting import significant

# The longest side of a block's matrices is so many pixels; nothing is drawn longer, and nothing thinner than a line.
SIDE, LEAST = 84, 3
# A stack of tiles is so deep at most; tiles that would show less than LINE each are drawn as one slab.
DEPTH, STEP, LINE = 40, 6, 2


@dataclass(frozen=True, slots=True)
class Size:
    """An axis as it is drawn: how long, how many times longer it is (1 where it is whole), whether it is thinner."""

    long: float
    factor: Fraction
    thin: bool


def longest(anatomy: Anatomy) -> int:
    """The longest side of the matrices of any block: what the scale is set by.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> longest(describe(anatomy.load("gpt2"), 8)), longest(describe(anatomy.load("gpt2"), 1024))
    (3072, 3072)
    """
    inside = [one.shape for kind in anatomy.block_kinds for part in kind.parts for one in part.weights]
    everywhere = [one.shape for part in anatomy.parts for one in part.weights]
    matrices = [shape for shape in inside if len(shape) > 1] or everywhere
    return max((max(sides(shape)) for shape in matrices), default=anatomy.model.width)


def sides(shape: tuple[int, ...]) -> tuple[int, int]:
    """Rows and columns: every axis but the last stands on end."""
    return (prod(shape[:-1]), shape[-1]) if shape else (1, 1)


def size(numbers: int, most: int) -> Size:
    """An axis of so many numbers, where ``most`` numbers fill a side.

    >>> size(768, 3072), size(50257, 3072).long, size(8, 3072)
    (Size(long=21.0, factor=Fraction(1, 1), thin=False), 84.0, Size(long=3.0, factor=Fraction(1, 1), thin=True))
    """
    exact = Fraction(SIDE * numbers, most)
    drawn = min(max(exact, Fraction(LEAST)), Fraction(SIDE))
    return Size(float(drawn), max(Fraction(1), exact / SIDE), exact < LEAST)


def thin(shape: tuple[int, ...], most: int) -> bool:
    """Whether a side of the tensor is drawn thicker than it is."""
    return any(size(numbers, most).thin for numbers in sides(shape))


def factor(shape: tuple[int, ...], most: int) -> str:
    """How much larger than its drawing a tensor is; nothing where it is drawn whole.

    >>> factor((50257, 768), 3072), factor((1024, 50257), 3072), factor((8, 768), 3072), factor((6144, 6144), 3072)
    ('16 times taller than shown', '16 times wider than shown', '', '2 times wider and taller than shown')
    """
    found: dict[str, list[str]] = {}
    tall, wide = (size(numbers, most).factor for numbers in sides(shape))
    for word, times in (("wider", wide), ("taller", tall)):
        if times > 1:
            found.setdefault(_times(times), []).append(word)
    said = ", ".join(f"{times} {' and '.join(words)}" for times, words in found.items())
    return f"{said} than shown" if said else ""


def _times(value: Fraction) -> str:
    words = significant(value, 2).removesuffix(".0")
    return "a little" if words == "1" else f"{words} times"


def drawn(shape: tuple[int, ...], most: int, *, tiles: int = 1, lit: int = 0) -> Safe:
    """The rectangle; where it stands for many ``tiles``, a stack of them of which the first ``lit`` are filled."""
    tall, wide = (size(numbers, most) for numbers in sides(shape))
    right, down = wide.long, tall.long
    shapes = [_tile(0, 0, wide.long, tall.long, "thin" if tall.thin or wide.thin else None)]
    if tiles > 1:
        shapes, right, down = _stack(wide.long, tall.long, tiles, lit)
    if wide.factor > 1:
        shapes.append(tag("path", {"class": "gap", "d": f"M{px(wide.long * 0.72)} -1l-5 {px(tall.long + 4)}"}))
    if tall.factor > 1:
        shapes.append(tag("path", {"class": "gap", "d": f"M-1 {px(tall.long * 0.72)}l{px(wide.long + 4)} -5"}))
    room = max(SIDE + 2.0, right + 2)
    box: Attributes = {
        "viewBox": f"0 0 {px(room)} {px(down + 2)}",
        "width": px(room),
        "height": px(down + 2),
        "aria-hidden": "true",
    }
    return tag("svg", box, shapes)


def _tile(x: float, y: float, wide: float, high: float, style: str | None) -> Safe:
    place: Attributes = {"x": px(x + 1), "y": px(y + 1), "width": px(wide), "height": px(high)}
    return tag("rect", {"class": style, **place})


def _stack(wide: float, high: float, tiles: int, lit: int) -> tuple[list[Safe], float, float]:
    """Tiles one behind the other, the back one first, and how far they reach to the right and down."""
    beside = high > wide and wide <= SIDE - 20
    deep = min(DEPTH, STEP * (tiles - 1), SIDE - wide if beside else DEPTH)

    def tile(back: float, style: str, depth: float = 0) -> Safe:
        x, y = (back, 0) if beside else (0, back)
        return _tile(x, y, wide + (depth if beside else 0), high + (0 if beside else depth), style)

    if deep >= LINE * (tiles - 1):
        drawn = [tile(deep * one / (tiles - 1), "lit" if one < lit else "unlit") for one in reversed(range(tiles))]
    else:
        # Too many to tell apart: as much of the stack's depth is filled as are used, and no less than a line.
        edges = range(LINE, int(deep), LINE)
        lines = "".join(
            f"M{px(wide + 1 + at)} 1v{px(high)}" if beside else f"M1 {px(high + 1 + at)}h{px(wide)}" for at in edges
        )
        drawn = [tile(0, "unlit", deep), tag("path", {"class": "edges", "d": lines})]
        drawn.append(tile(0, "lit", max(float(LINE), deep * lit / tiles)))
    return drawn, wide + (deep if beside else 0), high + (0 if beside else deep)
