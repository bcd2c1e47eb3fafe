"""Tensor names of files against the names of rows: prefixes that files add or leave out, and the numbers inside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from anatomy.blocks import contains
from anatomy.tensors import Model, Row

# What classes wrap a model in; files are saved from inside or outside of the wrapper.
_PREFIX = re.compile(
    r"(?:(?:_orig_mod|module|base_model|transformer|model|language_model|text_model|bert|roberta|gpt_neox|vit)\.)+"
)
# A number as names write it: leading zeros would make another name.
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_SLOT = "{}"
_BLOCK, _EXPERT = "{block}", "{expert}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a name belongs: a row, and which of its tensors."""

    row: Row
    block: int | None
    expert: int | None

    @property
    def name(self) -> str:
        """The name as the row spells it."""
        return filled(self.row, self.block, self.expert)


def filled(row: Row, block: int | None, expert: int | None) -> str:
    """A row's name with its slots filled in."""
    return row.name.replace(_BLOCK, str(block)).replace(_EXPERT, str(expert))


def split(name: str) -> tuple[str, str]:
    """The prefix that wrappers put before a name, and the rest.

    >>> split("language_model.model.layers.0.mlp.up_proj.weight")
    ('language_model.model.', 'layers.0.mlp.up_proj.weight')
    >>> split("wte.weight")
    ('', 'wte.weight')
    """
    match = _PREFIX.match(name)
    end = match.end() if match else 0
    return name[:end], name[end:]


def template(rest: str) -> tuple[str, tuple[str, ...]]:
    """A name with a slot for each number, and the numbers (or a row's own slots).

    >>> template("layers.3.mlp.experts.17.up_proj.weight")
    ('layers.{}.mlp.experts.{}.up_proj.weight', ('3', '17'))
    """
    steps = rest.split(".")
    found = []
    for at, step in enumerate(steps):
        if step in (_BLOCK, _EXPERT) or (step.isdigit() and step.isascii() and _NUMBER.fullmatch(step)):
            found.append(step)
            steps[at] = _SLOT
    return ".".join(steps), tuple(found)


@lru_cache(maxsize=64)
def table(model: Model) -> Mapping[str, list[tuple[Row, tuple[str, ...]]]]:
    """The rows of a model by the template of their names, prefixes taken away."""
    rows: dict[str, list[tuple[Row, tuple[str, ...]]]] = {}
    for row in model.rows:
        key, slots = template(split(row.name)[1])
        rows.setdefault(key, []).append((row, slots))
    return rows


def place(model: Model, name: str) -> Place | None:
    """The row of a model, and which of its tensors, that a file's name means; None where no row has it.

    >>> import anatomy
    >>> place(anatomy.load("gpt2"), "transformer.h.11.ln_1.weight").name
    'h.11.ln_1.weight'
    """
    key, numbers = template(split(name)[1])
    for row, slots in table(model).get(key, ()):
        block = expert = None
        for slot, number in zip(slots, numbers, strict=True):
            if slot == _BLOCK:
                block = int(number)
            elif slot == _EXPERT:
                expert = int(number)
            elif slot != number:
                break
        else:
            inside = contains(row.blocks, block) if block is not None else True
            if inside and (expert is None or expert < row.copies):
                return Place(row, block, expert)
    return None
