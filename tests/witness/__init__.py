"""Outside figures that the project's own counts are held against: one JSON file per released model (see README.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

Entry = tuple[str, tuple[int, ...], str | None, int | None]


@dataclass(frozen=True)
class Witness:
    """What one released checkpoint holds, counted without this project's code."""

    slug: str
    model_type: str
    architecture: str
    """The class that was built and counted. Where `config["architectures"]` names a wrapper, this is its text part."""
    config: Mapping[str, Any]
    config_source: str
    total: int
    active: int | None
    """None for a model without routed experts."""
    active_excluding_token_table: int | None
    without_embeddings: int
    groups: Mapping[str, int]
    flops: Mapping[int, int]
    """FLOPs of one whole forward pass over T tokens, by T."""
    tied: tuple[tuple[str, str], ...]
    tensors: tuple[Entry, ...]
    buffers: tuple[Entry, ...]
    extras: tuple[Mapping[str, Any], ...]
    published: Mapping[str, Any]

    def expanded(self) -> list[tuple[str, tuple[int, ...]]]:
        """Every parameter tensor of the released file, by name and shape; the order carries no meaning."""
        return _expand(self.tensors)

    def expanded_buffers(self) -> list[tuple[str, tuple[int, ...]]]:
        """Every tensor that the released file stores and that is not a parameter: masks, frequencies, position ids."""
        return _expand(self.buffers)


def slugs() -> list[str]:
    """The models that have a witness file."""
    return sorted(path.stem for path in HERE.glob("*.json"))


def load(slug: str) -> Witness:
    """The witness of one model."""
    data = json.loads((HERE / f"{slug}.json").read_text(encoding="utf-8"))
    return Witness(
        slug=data["slug"],
        model_type=data["model_type"],
        architecture=data["class"],
        config=data["config"],
        config_source=data["config_source"],
        total=data["total"],
        active=data["active"],
        active_excluding_token_table=data["active_excluding_token_table"],
        without_embeddings=data["without_embeddings"],
        groups=data["groups"],
        flops={int(length): count for length, count in data["flops"].items()},
        tied=tuple((name, source) for name, source in data["tied"]),
        tensors=tuple(_entry(item) for item in data["tensors"]),
        buffers=tuple(_entry(item) for item in data["buffers"]),
        extras=tuple(data["extras"]),
        published=data["published"],
    )


def indices(ranges: str) -> list[int]:
    """The block indices that a list of ranges names.

    >>> indices("0-2,5")
    [0, 1, 2, 5]
    """
    found: list[int] = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def _entry(item: list[Any]) -> Entry:
    name, shape, blocks, experts = [*item, None, None][:4]
    return name, tuple(shape), blocks, experts


def _expand(entries: tuple[Entry, ...]) -> list[tuple[str, tuple[int, ...]]]:
    found: list[tuple[str, tuple[int, ...]]] = []
    for pattern, shape, blocks, experts in entries:
        if blocks is None:
            found.append((pattern, shape))
            continue
        for block in indices(blocks):
            name = pattern.replace("{block}", str(block))
            if experts is None:
                found.append((name, shape))
            else:
                found.extend((name.replace("{expert}", str(expert)), shape) for expert in range(experts))
    return found
