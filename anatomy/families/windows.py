"""Which blocks attend through a sliding window: to all earlier tokens, or only to the nearest ones."""

from __future__ import annotations

from collections.abc import Callable, Collection

from anatomy.model.blocks import Blocks, all_but_every, excluding, runs
from anatomy.reading.config import Config

FULL, SLIDING = "full_attention", "sliding_attention"
# Of every so many blocks one attends in full: 2 in Gemma 2, 6 in Gemma 3, 4 in Command R7B.
MAX_PERIOD = 64
# Sets of blocks, each with its window (None: every earlier token), read from a configuration of so many blocks.
Pairs = tuple[tuple[Blocks, int | None], ...]
Windows = Callable[[Config, int], Pairs]


def none(_: Config, blocks: int) -> Pairs:
    """No window in any block."""
    return (((range(blocks),), None),)


def everywhere(default: int | None) -> Windows:
    """One window in every block, ``default`` where ``sliding_window`` is left out.

    >>> everywhere(4096)(Config({}), 32)
    (((range(0, 32),), 4096),)
    """
    return lambda config, blocks: (((range(blocks),), config.integer_or_none("sliding_window", default)),)


def but_every(nth: int, default: int = 4096, keyed: bool = True) -> Windows:
    """A window in all but every ``nth`` block, or as ``layer_types`` lists them.

    ``keyed`` families read another period from ``sliding_window_pattern``.

    >>> but_every(6)(Config({}), 26)[1]
    ((range(5, 26, 6),), None)
    """

    def read(config: Config, blocks: int) -> Pairs:
        local, full = alternating(config, blocks, period(config, nth) if keyed else nth)
        return (local, config.integer_or_none("sliding_window", default)), (full, None)

    return read


def from_a_block_on(config: Config, blocks: int) -> Pairs:
    """Only with ``use_sliding_window``: as ``layer_types`` lists, else from block ``max_window_layers`` on.

    Defaults: Qwen2Config, Qwen3Config.
    """
    if not config.boolean("use_sliding_window", default=False):
        return none(config, blocks)
    window = config.integer_or_none("sliding_window", 4096)
    pair = listed(config, blocks)
    if pair is None:
        first = min(config.integer("max_window_layers", default=28, minimum=0), blocks)
        pair = (range(first, blocks),), (range(first),)
    return (pair[1], None), (pair[0], window)


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


def from_the_first(nth: int, default: int = 8192) -> Windows:
    """A window in all but every ``nth`` block from the first on, or as ``layer_types`` lists them.

    >>> from_the_first(4)(Config({}), 6)[1]
    ((range(0, 6, 4),), None)
    """

    def read(config: Config, blocks: int) -> Pairs:
        full: Blocks = (range(0, blocks, nth),)
        local, full = listed(config, blocks) or (excluding(blocks, (range(blocks),), full), full)
        return (local, config.integer_or_none("sliding_window", default)), (full, None)

    return read


def everywhere_or_listed(default: int | None) -> Windows:
    """One window in every block, or in those that ``layer_types`` lists.

    >>> everywhere_or_listed(4096)(Config({"sliding_window": None}), 32)
    (((range(0, 32),), None),)
    """

    def read(config: Config, blocks: int) -> Pairs:
        window = config.integer_or_none("sliding_window", default)
        pair = listed(config, blocks)
        return ((pair[0], window), (pair[1], None)) if pair else (((range(blocks),), window),)

    return read


def as_listed(default: int | None) -> Windows:
    """No window but in the blocks that ``layer_types`` lists."""

    def read(config: Config, blocks: int) -> Pairs:
        window = config.integer_or_none("sliding_window", default)
        pair = listed(config, blocks)
        return ((pair[0], window), (pair[1], None)) if pair else none(config, blocks)

    return read


def from_max_window_layers(config: Config, blocks: int) -> Pairs:
    """As ``layer_types`` lists them, else from block ``max_window_layers`` on (Dots1Config)."""
    window = config.integer_or_none("sliding_window", 4096)
    pair = listed(config, blocks)
    if pair is None:
        first = min(config.integer("max_window_layers", default=62, minimum=0), blocks) if window else blocks
        pair = (range(first, blocks),), (range(first),)
    return (pair[1], None), (pair[0], window)
