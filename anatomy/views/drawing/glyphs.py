"""Small drawings inside a part: its heads, its experts, how an MLP widens and narrows."""

from __future__ import annotations

from anatomy.model.architecture import Attention
from anatomy.views.markup import (
    Safe,
    join,
    px,
    tag,
)

# Beyond so many, cells would be thinner than a line: a bar stands for all of them.
MOST_HEADS, MOST_EXPERTS = 160, 512
CELL = 9


def heads(record: Attention, x: float, y: float, width: float) -> Safe:
    """Query heads over the key and value heads that they share; over one latent where there is one.

    >>> from anatomy.model.architecture import Attention
    >>> heads(Attention("decoder", (), 4, 2, 64, 64), 0, 0, 80).count("M")
    6
    """
    groups = 1 if record.latent is not None else record.kv_heads
    if record.query_heads > MOST_HEADS:
        return join(_bar("query", x, y, width), _bar("kv", x, y + 12, width))
    each = record.query_heads // groups
    pitch = width / groups
    gap = 0.0 if groups == 1 else min(4.0, pitch * 0.22)
    inner = (pitch - gap) / each
    space = min(1.5, inner * 0.3) if each > 1 else 0.0
    wide = min(inner - space, 18.0 if each > 1 else inner)
    query = "".join(_cell(x + group * pitch + at * inner, y, wide) for group in range(groups) for at in range(each))
    shared = "".join(_cell(x + group * pitch, y + 12, (each - 1) * inner + wide) for group in range(groups))
    return join(tag("path", {"class": "query", "d": query}), tag("path", {"class": "kv", "d": shared}))


def _cell(x: float, y: float, width: float) -> str:
    right = f"{x + width:.2f}".rstrip("0").rstrip(".")
    left = f"{x:.2f}".rstrip("0").rstrip(".")
    return f"M{left} {px(y)}H{right}V{px(y + CELL)}H{left}Z"


def _bar(style: str, x: float, y: float, width: float) -> Safe:
    return tag("path", {"class": style, "d": _cell(x, y, width)})


def experts(number: int, used: int, x: float, y: float, width: float) -> tuple[Safe, float]:
    """A cell for each expert, as many filled as a token uses; and the height that they take.

    >>> drawn, height = experts(8, 2, 0, 0, 240)
    >>> drawn.count("M"), height
    (8, 12)
    """
    if number > MOST_EXPERTS:
        part = max(1.5, width * used / number)
        return join(_bar("expert", x, y, width), _bar("expert used", x, y, part)), 12
    columns = number if number <= 16 else 16 if number <= 64 else 32 if number <= 128 else 64
    pitch = width / columns
    side = min(pitch * 0.78, 14.0)
    step = 12 if columns <= 16 else round(side) + 2
    # Those used stand apart: which ones they are differs from token to token.
    chosen = {(2 * at + 1) * number // (2 * used) for at in range(used)}
    filled: list[str] = []
    hollow: list[str] = []
    for at in range(number):
        left, top = x + (at % columns) * pitch, y + (at // columns) * step
        box = f"M{left:.1f} {px(top)}h{side:.1f}v{min(side, 10):.1f}h-{side:.1f}z"
        (filled if at in chosen else hollow).append(box)
    rows = -(-number // columns)
    drawn = join(
        tag("path", {"class": "expert", "d": "".join(hollow)}) if hollow else None,
        tag("path", {"class": "expert used", "d": "".join(filled)}) if filled else None,
    )
    return drawn, rows * step


def widening(width: int, inner: int, x: float, y: float, height: float) -> Safe:
    """An MLP from the side: the width of the stream, the inner width, the width again, to scale."""
    most = max(width, inner)
    outer, middle = max(2.0, height * width / most), max(2.0, height * inner / most)
    centre = y + height / 2
    # W_up and W_down are a wedge each, with the inner numbers standing between them.
    wedges = []
    for edge, inward in ((x, x + 24), (x + 52, x + 28)):
        corners = [
            (edge, centre - outer / 2),
            (inward, centre - middle / 2),
            (inward, centre + middle / 2),
            (edge, centre + outer / 2),
        ]
        wedges.append("M" + "L".join(f"{px(a)} {px(b)}" for a, b in corners) + "Z")
    return tag("path", {"class": "widening", "d": "".join(wedges)})
