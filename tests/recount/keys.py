"""A configuration that remembers which of its keys were asked for, and the sums that many formulas share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

MOST = 10**12
REQUIRED = object()


class RefusedError(Exception):
    """What is there cannot be read for certain."""


class Keys:
    """A configuration that remembers which of its keys were asked for."""

    def __init__(self, values: Mapping[str, Any], architecture: str) -> None:
        self.values, self.architecture = values, architecture
        self.read: set[str] = set()

    def size(
        self,
        *names: str,
        unread: str = "",
        default: Any = REQUIRED,
        null: Any = REQUIRED,
        least: int = 1,
        most: int = MOST,
    ) -> int:
        """A whole number under one of its names; ``null`` where null has a meaning of its own.

        An ``unread`` spelling may say it again, never alone.
        """
        self.read |= {*names, unread}
        if unread and self.values.get(unread) is not None:
            again, said = self.values[unread], self.values.get(names[0])
            if again != said or type(again) is not type(said):
                raise RefusedError(unread)
        found = [self.values[name] for name in names if self.values.get(name) is not None]
        if not found:
            value = null if any(name in self.values for name in names) else default
            if value is REQUIRED:
                raise RefusedError(names[0])
            return int(value)
        if any(type(one) is not int or one != found[0] for one in found) or not least <= found[0] <= most:
            raise RefusedError(names[0])
        return int(found[0])

    def flag(self, name: str, default: bool, null: bool | None = None) -> bool:
        """True or false; null is never a default of true."""
        self.read.add(name)
        value = self.values.get(name)
        if value is None:
            if name in self.values and default and null is None:
                raise RefusedError(name)
            return default if name not in self.values or null is None else null
        if type(value) is not bool:
            raise RefusedError(name)
        return value

    def inner(self, name: str) -> Keys:
        """The keys of an object inside."""
        self.read.add(name)
        if not isinstance(self.values.get(name), Mapping):
            raise RefusedError(name)
        inside = Keys(self.values[name], self.architecture)
        inside.read = self.read
        return inside

    def listed(self, name: str, blocks: int) -> list[int] | None:
        """A list of different block indices."""
        self.read.add(name)
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or any(type(one) is not int or not 0 <= one < blocks for one in value):
            raise RefusedError(name)
        if len(set(value)) != len(value):
            raise RefusedError(name)
        return value

    @property
    def kind(self) -> str:
        """The ``model_type``."""
        return str(self.values["model_type"])

    @property
    def bare(self) -> bool:
        """Whether the class has no head."""
        return self.architecture.endswith("Model") and "LMHead" not in self.architecture


def over(value: int, by: int) -> int:
    """``value / by``, which has to be whole."""
    if value % by:
        raise RefusedError(f"{value} / {by}")
    return value // by


def tables(keys: Keys, width: int, tied: bool, vocabulary: Any = REQUIRED) -> int:
    """The token table, and the unembedding where it is another one."""
    rows = keys.size("vocab_size", default=vocabulary)
    return rows * width * (1 if keys.flag("tie_word_embeddings", tied) or keys.bare else 2)


def grouped(
    keys: Keys, d: int, kv: int | None = None, head: int | None = None, query: Any = REQUIRED
) -> tuple[int, int, int]:
    """Query heads, KV heads, head size."""
    h = keys.size("num_attention_heads", default=query)
    few = keys.size("num_key_value_heads", default=kv or h, null=h)
    over(h, few)
    size = keys.size("head_dim", default=head or 0, null=0) or over(d, h)
    return h, few, size


def projections(d: int, h: int, kv: int, size: int, inward: bool = False, outward: bool = False) -> int:
    """Q, K, V and O with their biases."""
    return 2 * d * size * (h + kv) + inward * size * (h + 2 * kv) + outward * d


def routed(
    keys: Keys,
    of: tuple[str, ...],
    used: tuple[str, ...],
    default: Any = REQUIRED,
    chosen: Any = REQUIRED,
    unread: str = "",
) -> int:
    """How many experts there are, of which a token cannot use more than all."""
    experts = keys.size(*of, default=default, unread=unread)
    if keys.size(*used, default=chosen) > experts:
        raise RefusedError(used[0])
    return experts
