"""Tensor names of files against the names of rows: prefixes that files add or leave out, and the numbers inside."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from anatomy.model.blocks import contains
from anatomy.model.rows import Model, Row

# What classes wrap a model in; files are saved from inside or outside of the wrapper.
_PREFIX = re.compile(
    r"(?:(?:_orig_mod|module|base_model|transformer|model|language_model|text_model|bert|roberta|gpt_neox|vit|electra"
    r"|distilbert|mpnet|ernie|ibert|layoutlm|data2vec_text|roberta_prelayernorm)\.)+"
)
# A number as names write it: leading zeros would make another name.
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_SLOT = "{}"
_STARTS = frozenset("0123456789{")
_BLOCK = "{block}"
# A norm's scale and shift as TensorFlow names them and as PyTorch does: files of one model keep either.
_OTHER_ERA = {"gamma": "weight", "beta": "bias", "weight": "gamma", "bias": "beta"}
# Any other slot of a row's name counts its copies: {expert}, {head}.
_COPY = re.compile(r"\{[a-z]+\}")


class Place(NamedTuple):
    """Where a name belongs: a row, and the name of the tensor as the row spells it."""

    row: Row
    name: str


def filled(row: Row, block: int | None, copy: int | None) -> str:
    """A row's name with its slots filled in.

    >>> filled(Row("h.{block}.ln_1.weight", (768,), "block/norm-attention", (range(12),)), 3, None)
    'h.3.ln_1.weight'
    """
    name = row.name if block is None else row.name.replace(_BLOCK, str(block))
    return _COPY.sub(str(copy), name) if row.copies > 1 else name


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


def template(rest: str, *, of_row: bool = False) -> tuple[str, tuple[str, ...]]:
    """A name with a slot for each number, and the numbers; of a row's name also its own slots.

    >>> template("layers.3.mlp.experts.17.up_proj.weight")
    ('layers.{}.mlp.experts.{}.up_proj.weight', ('3', '17'))
    """
    steps = rest.split(".")
    found = []
    for at, step in enumerate(steps):
        # Most steps are words: one look at the first character tells.
        if step[:1] in _STARTS and (_NUMBER.fullmatch(step) or (of_row and _COPY.fullmatch(step))):
            found.append(step)
            steps[at] = _SLOT
    return ".".join(steps), tuple(found)


@lru_cache(maxsize=64)
def table(model: Model) -> Mapping[str, list[tuple[Row, tuple[str, ...]]]]:
    """The rows of a model by the template of their names, prefixes taken away."""
    rows: dict[str, list[tuple[Row, tuple[str, ...]]]] = {}
    for row in model.rows:
        key, slots = template(split(row.name)[1], of_row=True)
        rows.setdefault(key, []).append((row, slots))
    return rows


def place(model: Model, name: str) -> Place | None:
    """The row of a model, and which of its tensors, that a file's name means; None where no row has it.

    >>> import anatomy
    >>> place(anatomy.load("gpt2"), "transformer.h.11.ln_1.weight").name
    'h.11.ln_1.weight'
    >>> place(anatomy.load("bert-base-uncased"), "bert.embeddings.LayerNorm.weight").name
    'bert.embeddings.LayerNorm.gamma'
    """
    found = _place(model, name)
    if found is None:
        stem, _, last = name.rpartition(".")
        found = _place(model, f"{stem}.{_OTHER_ERA[last]}") if stem and last in _OTHER_ERA else None
    return found


def _place(model: Model, name: str) -> Place | None:
    prefix, rest = split(name)
    key, numbers = template(rest)
    for row, slots in table(model).get(key, ()):
        block = copy = None
        for slot, number in zip(slots, numbers, strict=True):
            if slot == number:
                continue
            if slot == _BLOCK:
                block = int(number)
            elif slot[0] == "{":
                copy = int(number)
            else:
                break
        else:
            inside = block is None or contains(row.blocks, block)
            if inside and (copy is None or copy < row.copies):
                own = split(row.name)[0]
                return Place(row, name if own == prefix else own + rest)
    return None
