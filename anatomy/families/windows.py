"""Which blocks attend through a sliding window: to all earlier tokens, or only to the nearest ones."""

from __future__ import annotations

from collections.abc import Collection

from anatomy.families.layers import Heads
from anatomy.model.architecture import Attention
from anatomy.model.blocks import (
    Blocks,
    all_but_every,
    count,
    runs,
)
from anatomy.reading.config import Config

FULL, SLIDING = "full_attention", "sliding_attention"
# Of every so many blocks one attends in full: 2 in Gemma 2, 6 in Gemma 3, 4 in Command R7B.
MAX_PERIOD = 64


def records(heads: Heads, *pairs: tuple[Blocks, int | None]) -> tuple[Attention, ...]:
    """An attention record for every pair of blocks and their window (None: none), pairs without blocks left out.

    >>> [record.window for record in records(Heads(8, 4, 256), ((range(0, 26, 2),), 4096), ((), None))]
    [4096]
    """
    return tuple(
        Attention("decoder", blocks, heads.query, heads.kv, heads.size, heads.size, window=window)
        for blocks, window in pairs
        if count(blocks)
    )


def listed(config: Config, blocks: int, kinds: Collection[str] = (FULL, SLIDING)) -> tuple[Blocks, Blocks] | None:
    """The blocks with a window and those without, as ``layer_types`` lists them; None where it is not there."""
    found = config.choices("layer_types", kinds, blocks)
    if found is None:
        return None
    local = runs(block for block, kind in enumerate(found) if kind == SLIDING)
    return local, runs(block for block, kind in enumerate(found) if kind == FULL)


def alternating(config: Config, blocks: int, period: int) -> tuple[Blocks, Blocks]:
    """The blocks with a window and those without: as ``layer_types`` lists them, else all but every ``period``-th.

    >>> alternating(Config({}), 26, 6)[1]
    (range(5, 26, 6),)
    """
    return listed(config, blocks) or all_but_every(period, blocks)


def period(config: Config, default: int) -> int:
    """``sliding_window_pattern``: of every so many blocks one attends in full.

    >>> period(Config({"sliding_window_pattern": 6}), 4)
    6
    """
    return config.integer("sliding_window_pattern", "_sliding_window_pattern", default=default, maximum=MAX_PERIOD)
