"""Text for a terminal: aligned columns, and names of others' making that cannot steer it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from anatomy import catalog
from anatomy.catalog import LoadedModel
from anatomy.reading.config import MAX_BYTES, ConfigError
from anatomy.reading.refusals import plain_line

_LONGEST = 200


def model(name: str) -> LoadedModel:
    """The model that a MODEL argument names: a slug, a path, or ``-`` for standard input.

    Raises ``ConfigError`` where standard input is no configuration.
    """
    if name != "-":
        return catalog.load(name)
    source, accepted = "standard input", "a config.json in UTF-8"
    if sys.stdin is None:  # so it is where the shell has closed it
        raise ConfigError(source, None, "it is closed", accepted)
    try:
        return catalog.parse(sys.stdin.buffer.read(MAX_BYTES + 1).decode("utf-8"), source)
    except UnicodeDecodeError:
        raise ConfigError(source, None, "bytes that are no UTF-8", accepted) from None
    except OSError as error:
        raise ConfigError(source, None, f"it cannot be read: {error.strerror}", accepted) from None


def aligned(rows: Iterable[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """Rows of cells as columns, those in ``right`` flush right.

    >>> print(aligned([("part", "parameters"), ("mlp", "7")], frozenset({1})))
    part  parameters
    mlp            7
    """
    listed = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)] if listed else []
    lines = []
    for row in listed:
        cells = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def plain(name: str) -> str:
    """A name for a column: as :func:`plain_line` has it, cut where it is very long."""
    return plain_line(name if len(name) <= _LONGEST else name[:_LONGEST] + "…")
