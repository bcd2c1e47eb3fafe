"""A drawing in layers: sheets at the back, lines over them, parts in front; lines turn in rounded corners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from anatomy.views.markup import (
    Attributes,
    Safe,
    join,
    px,
    tag,
)

Point = tuple[float, float]
RADIUS = 7.0


@dataclass
class Drawing:
    """What was drawn so far, by layer, and how far down it reaches."""

    sheets: list[Safe] = field(default_factory=list)
    lines: list[Safe] = field(default_factory=list)
    parts: list[Safe] = field(default_factory=list)
    y: float = 0
    # How far down the encoder's output leaves its stack, for the decoder's cross-attention to read.
    memory: float = 0

    def line(self, points: Sequence[Point], style: str = "branch", *, tip: bool = True) -> None:
        """A line through right angles, with an arrowhead at its end."""
        self.lines.append(tag("path", {"class": style, "d": route(points)}))
        if tip:
            self.lines.append(tag("path", {"class": f"tip {style}-tip", "d": arrowhead(*points[-2:])}))

    def plus(self, x: float, y: float) -> None:
        """The sign where a branch is added to the stream."""
        self.parts.append(
            tag(
                "g",
                {"class": "plus"},
                tag("circle", {"cx": px(x), "cy": px(y), "r": 10}),
                tag("path", {"d": f"M{px(x - 5)} {px(y)}h10M{px(x)} {px(y - 5)}v10"}),
            )
        )

    def label(self, x: float, y: float, *texts: str, style: str = "sub", end: bool = False) -> None:
        """Words beside what is drawn, a line of text for each."""
        self.parts.append(words(x, y, *texts, style=style, end=end))

    def frame(self, left: float, right: float, top: float, bottom: float, sheets: int) -> None:
        """A block: a sheet of paper, with more of them behind it where more blocks are like it."""
        size: Attributes = {"width": px(right - left), "height": px(bottom - top), "rx": 10}
        for behind in range(sheets, -1, -1):
            place = {"x": px(left + 4 * behind), "y": px(top + 4 * behind)}
            self.sheets.append(tag("rect", {"class": "sheet" if behind else "sheet front", **place, **size}))

    def markup(self) -> Safe:
        """All layers, the back one first."""
        return join(self.sheets, self.lines, self.parts)


def words(x: float, y: float, *texts: str, style: str = "sub", end: bool = False) -> Safe:
    """Text of one or more lines that reads as one sentence."""
    anchor = "end" if end else None
    place = {"class": style, "x": px(x), "y": px(y), "text-anchor": anchor}
    if len(texts) == 1:
        return tag("text", place, texts[0])
    lead, last = 17 if style == "name" else 15, len(texts) - 1
    spans = [
        [tag("tspan", {"x": px(x), "dy": lead if at else None}, text), " " if at < last else None]
        for at, text in enumerate(texts)
    ]
    return tag("text", place, spans)


def route(points: Sequence[Point]) -> str:
    """A path through the points whose corners are rounded.

    >>> route([(0, 0), (20, 0), (20, 30)])
    'M0 0L13 0Q20 0 20 7L20 30'
    """
    path = [f"M{px(points[0][0])} {px(points[0][1])}"]
    for before, (corner, after) in zip(points, pairwise(points[1:]), strict=False):
        entry, leave = _towards(corner, before), _towards(corner, after)
        path.append(f"L{px(entry[0])} {px(entry[1])}Q{px(corner[0])} {px(corner[1])} {px(leave[0])} {px(leave[1])}")
    path.append(f"L{px(points[-1][0])} {px(points[-1][1])}")
    return "".join(path)


def _towards(start: Point, end: Point) -> Point:
    across, down = end[0] - start[0], end[1] - start[1]
    reach = min(RADIUS, (abs(across) + abs(down)) / 2)
    return start[0] + reach * _sign(across), start[1] + reach * _sign(down)


def _sign(value: float) -> int:
    return (value > 0) - (value < 0)


def arrowhead(before: Point, end: Point) -> str:
    """A small triangle whose point is the end of a line.

    >>> arrowhead((0, 0), (0, 30))
    'M0 30L-3.5 24L3.5 24Z'
    """
    across, down = _sign(end[0] - before[0]), _sign(end[1] - before[1])
    x, y = end
    base = x - 6 * across, y - 6 * down
    first = base[0] - 3.5 * abs(down), base[1] - 3.5 * abs(across)
    second = base[0] + 3.5 * abs(down), base[1] + 3.5 * abs(across)
    return f"M{px(x)} {px(y)}L{px(first[0])} {px(first[1])}L{px(second[0])} {px(second[1])}Z"
