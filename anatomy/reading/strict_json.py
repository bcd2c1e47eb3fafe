"""Strict JSON: one object, each key once, finite numbers only, no hostile size or nesting."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import accumulate
from math import isinf
from typing import Any

from anatomy.reading.refusals import ConfigError, shown

MAX_BYTES = 2_000_000
MAX_DEPTH = 32
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_OTHERS = bytes(set(range(256)) - {*_STEPS, ord('"')})


def parse(text: str, source: str = "config.json") -> dict[str, Any]:
    """Parse strict JSON holding one object: no duplicate keys, finite numbers only, no hostile size or nesting.

    >>> parse('{"model_type": "gpt2"}')
    {'model_type': 'gpt2'}

    Raises ``ConfigError``.
    """
    raw = text[: MAX_BYTES + 1].encode(errors="replace")
    if len(raw) > MAX_BYTES:
        raise ConfigError(source, None, f"the text holds over {MAX_BYTES:,} bytes", f"at most {MAX_BYTES:,} bytes")
    if nesting(raw) > MAX_DEPTH:
        raise ConfigError(source, None, "nested too deeply", f"at most {MAX_DEPTH} levels")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise ConfigError(source, shown(key), "there twice", "each key once")
            found[key] = value
        return found

    def constant(word: str) -> Any:
        raise ConfigError(source, None, f"{word} stands where a value belongs", "JSON, which has no such number")

    def integer(word: str) -> int:
        if len(word) > 40:
            raise ConfigError(source, None, f"an integer of {len(word)} digits", "integers of at most 40 digits")
        return int(word)

    def finite(word: str) -> float:
        # Python reads 1e400 as the Infinity that JSON has no word for.
        number = float(word)
        if isinf(number):
            found = f"{word if len(word) <= 60 else word[:60] + '…'} stands where a value belongs"
            raise ConfigError(source, None, found, "numbers that a float holds (up to 1.8e308)")
        return number

    try:
        value = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=unique,
            parse_constant=constant,
            parse_float=finite,
            parse_int=integer,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        found = "nothing in it" if not text.strip() else f"no JSON ({error.msg.lower()} at {where})"
        raise ConfigError(source, None, found, "a JSON object such as a model's config.json") from None
    if not isinstance(value, dict):
        raise ConfigError(source, None, f"{shown(value)} at the top", "a JSON object such as a model's config.json")
    return value


def nesting(raw: bytes) -> int:
    r"""How deep objects and lists stand in one another in the bytes of a JSON text, valid or not.

    Whoever parses looks first: a parser calls itself for each level, and in a browser that ends Python itself before
    Python's own limit is reached.

    >>> nesting(b'{"a": [{}], "[[[[\\"[[": 1}')
    3
    """
    # Without escaped characters, each quotation mark begins or ends a string; two together change nothing.
    marks = raw.replace(rb"\\", b"").replace(rb"\"", b"").translate(None, _OTHERS).replace(b'""', b"")
    return max(accumulate(map(_STEPS.__getitem__, b"".join(marks.split(b'"')[::2]))), default=0)


def deeper_than(value: object, limit: int) -> bool:
    """Whether objects and lists stand in one another more than ``limit`` deep; a limit also for a cyclic value.

    >>> deeper_than({"a": [{}]}, 3), deeper_than({"a": [{}]}, 2)
    (False, True)
    """
    level: list[object] = [value]
    for _ in range(limit):
        level = [
            child
            for item in level
            for child in (item.values() if isinstance(item, Mapping) else item if isinstance(item, list) else ())
        ]
        if not level:
            return False
    return True
