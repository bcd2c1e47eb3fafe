"""Refusals: bad input said in one line, and how a value is repeated in it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

_SHOWN = 60


class AnatomyError(ValueError):
    """Bad input, said in one line; its subclasses say which kind."""


class ConfigError(AnatomyError):
    """A configuration that cannot be read for certain.

    >>> str(ConfigError("config.json", "n_layer", "-1", "an integer from 1 to 1,000,000,000,000"))
    'config.json: n_layer is -1; accepted: an integer from 1 to 1,000,000,000,000'
    """

    def __init__(self, source: str, key: str | None, found: str, accepted: str) -> None:
        self.source, self.key, self.found, self.accepted = source, key, found, accepted
        said = f"{key} is {found}" if key else found
        super().__init__(f"{source}: {said}; accepted: {accepted}")


class AmbiguousError(ConfigError):
    """A configuration that fits several models, which only the checkpoint can tell apart.

    ``readings`` holds the configuration of each, and in words what it takes for certain.
    """

    def __init__(
        self, source: str, key: str, found: str, accepted: str, readings: Mapping[str, Mapping[str, object]]
    ) -> None:
        super().__init__(source, key, found, accepted)
        self.readings = readings


class SequenceLengthError(AnatomyError):
    """A sequence length that the model cannot run at."""


def plain_line(text: str) -> str:
    r"""A text with nothing in it that a terminal would obey: names come from files of others' making.

    >>> plain_line("h.0.\x1b[31mattn")
    'h.0.\\x1b[31mattn'
    """
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)


def shown(value: object) -> str:
    """A value as an error repeats it: JSON's spelling, cut short.

    >>> shown(None), shown("x" * 99)[-2:]
    ('null', '…"')
    """
    if isinstance(value, str):
        kept = value if len(value) <= _SHOWN else value[:_SHOWN] + "…"
        return json.dumps(kept, ensure_ascii=False)
    if isinstance(value, Mapping):
        return f"an object of {len(value)} keys"
    if isinstance(value, Sequence):
        return f"a list of {len(value)} items"
    if isinstance(value, int) and not isinstance(value, bool):
        # Python refuses to print integers beyond its own digit limit.
        text = str(value) if value.bit_length() < 256 else f"an integer of {value.bit_length()} bits"
        return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
    text = json.dumps(value) if value is None or isinstance(value, bool | float) else repr(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
