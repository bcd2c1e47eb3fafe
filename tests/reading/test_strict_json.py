"""Texts that are looked at before they are parsed: how deep they go is known without a parser."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anatomy.checkpoint import CheckpointError, headers
from anatomy.reading import strict_json
from anatomy.reading.config import ConfigError
from anatomy.visit import brought

VALUES = st.recursive(
    st.none() | st.integers() | st.text(st.sampled_from('[]{}"\\\\aé\n'), max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('[{"\\\\', max_size=3), inner, max_size=3),
)


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value
    return 1 + max(map(depth, inner), default=0) if isinstance(value, dict | list) else 0


@given(VALUES, st.booleans())
def test_the_depth_is_that_of_what_is_parsed(value: Any, plain: bool) -> None:
    assert strict_json.nesting(json.dumps(value, ensure_ascii=plain).encode()) == depth(value)


@pytest.mark.parametrize(
    ("raw", "deep"),
    [
        (b"", 0),
        (b"[" * 8_000, 8_000),
        (b'{"a":' * 20_000, 20_000),
        (b'"[[[', 0),
        (rb'"\"[[[', 0),
        (rb'"\\"[[[', 3),
        (rb'["\\\"[[["]', 1),
        (b'["["]["["]["', 1),
    ],
)
def test_the_depth_of_what_is_no_json(raw: bytes, deep: int) -> None:
    assert strict_json.nesting(raw) == deep


DEEP = ["[" * 8_000, '{"a":' * 20_000, json.dumps(["\\"] * 9)[:-1] + "[" * 32]


@pytest.mark.parametrize("text", DEEP)
def test_what_is_nested_too_deeply_is_never_given_to_the_parser(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # In a browser, its calls of itself end Python before RecursionError comes.
    monkeypatch.setattr(json, "loads", lambda *_, **__: pytest.fail("it was parsed"))
    with pytest.raises(ConfigError, match="nested too deeply; accepted: at most 32 levels"):
        strict_json.parse(text)
    with pytest.raises(CheckpointError, match="the index is nested more than 32 levels deep"):
        headers.index(text.encode(), "model.safetensors.index.json")
    with pytest.raises(CheckpointError, match="the header is nested more than 32 levels deep"):
        headers.header(text.encode(), 10**6, "model.safetensors")
    assert brought.solved(text) == frozenset()


def test_32_levels_are_read() -> None:
    text = '{"a": ' + "[" * 31 + "]" * 31 + "}"
    assert depth(strict_json.parse(text)) == 32
    with pytest.raises(ConfigError, match="nested too deeply"):
        strict_json.parse(text.replace("[]", "[[]]"))
