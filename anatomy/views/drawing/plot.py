"""A plot on two log axes: places are percentages, so that text keeps its size on any screen; all arithmetic is exact.

A place on a log axis is a count of 64ths of an octave, floor(64 log2 v), read off the length of v^64 in bits: whole
numbers throughout, so that CPython and Pyodide draw the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from anatomy.views.markup import (
    Attributes,
    Safe,
    join,
    tag,
)
from anatomy.words.formatting import exact

FINE = 64
HIGH, ROW, FOOT = 230, 19, 46
# Units of the drawing's own box, stretched to whatever room there is.
ACROSS, DOWN = 10_000, 10 * HIGH
TOKENS = ("", "K", "M", "B", "T")
# The value's marks stand left of the drawing, in so much room.
LEFT = 66

Points = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Series:
    """A curve: its id (a class of the style sheet), what it is, and its points (T, value), values at least 1."""

    id: str
    label: str
    points: Points


@dataclass(frozen=True, slots=True)
class Mark:
    """A T that is pointed out: its id, its words, and the value where a ring is drawn (None for a line alone)."""

    id: str
    seq_len: int
    words: str
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Plot:
    """All that is drawn: ``said`` is the picture in a sentence, ``worded`` says how the page words such values.

    ``limit`` is the longest T of the model: beyond it the curves are pale.
    """

    said: str
    unit: str
    worded: Callable[[int], str]
    series: tuple[Series, ...]
    marks: tuple[Mark, ...]
    limit: int

    @property
    def last(self) -> int:
        """The longest T drawn."""
        return max(point[0] for series in self.series for point in series.points)

    @property
    def decades(self) -> tuple[int, int]:
        """The powers of ten between which all values lie."""
        values = [point[1] for series in self.series for point in series.points]
        low, high = _tens(min(values)), _tens(max(values))
        return low, max(low + 1, high + (max(values) > 10**high))

    @property
    def top(self) -> int:
        """Where the drawing begins, under the legend and the marks."""
        return ROW * (len(self.series) + len(self.marks)) + 28

    @property
    def high(self) -> int:
        """The height of the whole picture."""
        return self.top + HIGH + FOOT


def _tens(value: int) -> int:
    return len(str(value)) - 1


def octaves(value: int) -> int:
    """floor(64 log2 value).

    >>> octaves(1), octaves(2), octaves(10)
    (0, 64, 212)
    """
    power: int = value**FINE
    return power.bit_length() - 1


def across(seq_len: int, last: int) -> int:
    """The place of a T from left to right, in units of the drawing's box.

    >>> across(1, 1024), across(32, 1024), across(1024, 1024)
    (0, 5000, 10000)
    """
    return ACROSS * octaves(seq_len) // max(1, octaves(last))


def down(value: int, decades: tuple[int, int]) -> int:
    """The place of a value from top to bottom, in units of the drawing's box.

    >>> down(100, (0, 2)), down(1, (0, 2))
    (0, 2300)
    """
    low, high = (octaves(10**power) for power in decades)
    return DOWN - DOWN * (octaves(max(value, 1)) - low) // (high - low)


def percentage(units: int) -> str:
    """Units of the box as a percentage of its width.

    >>> percentage(3333), percentage(10000)
    ('33.33%', '100%')
    """
    text = f"{units // 100}.{units % 100:02d}".rstrip("0").rstrip(".")
    return f"{text}%"


def drawn(plot: Plot, *, wide: str = "100%") -> Safe:
    """The picture as SVG; ``wide`` is its width, by default all the room there is."""
    return tag(
        "svg",
        {
            "class": "plot",
            "width": wide,
            "height": plot.high,
            "role": "img",
            "aria-label": plot.said,
        },
        _legend(plot),
        _values(plot, _grid),
        _lengths(plot),
        _curves(plot),
        _values(plot, _tick),
        [_mark(plot, row, mark) for row, mark in enumerate(plot.marks, len(plot.series))],
    )


def _legend(plot: Plot) -> list[Safe]:
    found = []
    for row, series in enumerate(plot.series):
        y = ROW * row + 14
        key = tag("line", {"class": f"curve s-{series.id}", "x1": 0, "x2": 26, "y1": y - 4, "y2": y - 4})
        found += [key, tag("text", {"x": 34, "y": y}, series.label)]
    return found


def _values(plot: Plot, draw: Callable[[Plot, int, int], Safe]) -> list[Safe]:
    low, high = plot.decades
    every = 1 if high - low <= 8 else 2
    places = {power: plot.top + down(10**power, plot.decades) // 10 for power in range(low, high + 1, every)}
    return [draw(plot, power, y) for power, y in places.items()]


def _grid(_plot: Plot, _power: int, y: int) -> Safe:
    return tag("line", {"class": "grid", "x1": 0, "x2": "100%", "y1": y, "y2": y})


def _tick(plot: Plot, power: int, y: int) -> Safe:
    return tag(
        "text", {"class": "tick", "x": -8, "y": y + 4, "text-anchor": "end"}, round_words(10**power, plot.worded)
    )


def _lengths(plot: Plot) -> list[Safe]:
    found, base, before = [], plot.top + HIGH, -1
    powers = range(_tens(plot.last) + 1)
    every = 1 if len(powers) <= 6 else 2
    for power in powers[::every]:
        at = across(10**power, plot.last)
        if before >= 0 and at - before < 1000:
            continue
        before = at
        anchor = "start" if at < 300 else "end" if at > 9700 else "middle"
        found.append(
            tag("line", {"class": "grid", "x1": percentage(at), "x2": percentage(at), "y1": base, "y2": base + 5})
        )
        found.append(
            tag(
                "text",
                {"class": "tick", "x": percentage(at), "y": base + 19, "text-anchor": anchor},
                _power_of_ten(10**power, TOKENS),
            )
        )
    title = f"{plot.unit} by T in tokens, log scales"
    return [*found, tag("text", {"class": "tick", "x": -LEFT, "y": base + 39}, title)]


def round_words(value: int, worded: Callable[[int], str]) -> str:
    """A round number as the page words it, without zeros behind the point of a whole one.

    >>> from anatomy.words.formatting import operations, size_in_bytes
    >>> round_words(10**7, operations), round_words(10**8, operations), round_words(10**9, size_in_bytes)
    ('10 M', '0.10 G', '1 GB')
    """
    number, space, unit = worded(value).partition(" ")
    whole, _, behind = number.partition(".")
    return (number if behind.strip("0") else whole) + space + unit


def _power_of_ten(value: int, units: Sequence[str]) -> str:
    thousands = min(_tens(value) // 3, len(units) - 1)
    return exact(value // 1000**thousands) + units[thousands]


def _curves(plot: Plot) -> Safe:
    pale = across(min(plot.limit, plot.last), plot.last)
    paths = [
        tag("path", {"class": f"curve s-{one.id}", "d": _path(one.points, plot.last, plot.decades)})
        for one in plot.series
    ]
    box: Attributes = {"x": 0, "y": plot.top, "width": "100%", "height": HIGH, "viewBox": f"0 0 {ACROSS} {DOWN}"}
    beyond = tag("rect", {"class": "beyond", "x": pale, "y": 0, "width": ACROSS - pale, "height": DOWN})
    return tag("svg", {**box, "preserveAspectRatio": "none"}, paths, beyond if pale < ACROSS else None)


@lru_cache(maxsize=64)
def _path(points: Points, last: int, decades: tuple[int, int]) -> str:
    return "M" + "L".join(f"{across(seq_len, last)} {down(value, decades)}" for seq_len, value in points)


def _mark(plot: Plot, row: int, mark: Mark) -> Safe:
    at = across(min(mark.seq_len, plot.last), plot.last)
    x, y = percentage(at), ROW * row + 20
    left = at < ACROSS // 2
    words: Attributes = {"x": x, "y": y, "dx": 6 if left else -6, "text-anchor": "start" if left else "end"}
    ring = None
    if mark.value is not None:
        ring = tag("circle", {"cx": x, "cy": plot.top + down(mark.value, plot.decades) // 10, "r": 5})
    return tag(
        "g",
        {"class": f"mark m-{mark.id}", "data-t": mark.seq_len},
        # A rule beside the words, and one below all words, so that it crosses none of another mark.
        tag("line", {"x1": x, "x2": x, "y1": y - 10, "y2": y + 4}),
        tag("line", {"x1": x, "x2": x, "y1": plot.top - 18, "y2": plot.top + HIGH}),
        ring,
        tag("text", words, mark.words),
    )


def standalone(plot: Plot, heading: str, style: str, wide: int = 720) -> Safe:
    """The picture as a file of its own, with a heading over it and its style inside."""
    inner = drawn(plot, wide=str(wide - 40 - LEFT))
    size: Attributes = {"width": wide, "height": plot.high + 64, "viewBox": f"0 0 {wide} {plot.high + 64}"}
    placed = Safe(inner.replace("<svg ", f'<svg overflow="visible" x="{20 + LEFT}" y="48" ', 1))
    return join(
        tag(
            "svg",
            {"xmlns": "http://www.w3.org/2000/svg", **size},
            tag("title", None, f"{heading}. {plot.said}"),
            tag("style", None, Safe(style)),
            tag("rect", {"class": "paper", "width": wide, "height": plot.high + 64}),
            tag("text", {"class": "heading", "x": 20, "y": 30}, heading),
            placed,
        )
    )
