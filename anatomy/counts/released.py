"""Bytes of the weights as released: each kind of tensor in its number type, with the scales of what is quantised.

Two methods are counted, as the files that brought them hold them. *fp8* (DeepSeek V3): the matrices of attention, MLP
and experts in 1 byte a number, and for each block of 128 × 128 of a matrix, a last one cut short, a scale of 4 bytes.
*mxfp4* (gpt-oss): the experts' matrices in 4 bits, and for every 32 numbers a scale of 1 byte. All else is in the
number type that the configuration names, or in 16 bits where it names none. Buffers are no weights.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from anatomy.model.rows import Model, Row
from anatomy.model.storage import FP8, MXFP4
from anatomy.model.switches import DTYPES
from anatomy.model.terms import Factor, Term, whole

QUANTISED_GROUPS = ("attention", "mlp", "experts")
# Numbers that share a scale, and what a scale is called: 8 bits of exponent.
MXFP4_BLOCK, MXFP4_SCALE = 32, "e8m0"


class Kept(NamedTuple):
    """What is stored in one number type: its name and the bytes."""

    dtype: str
    term: Term


@lru_cache(maxsize=64)
def released(model: Model) -> tuple[Kept, ...] | None:
    """What the published file holds of the parameters, type by type; None where its packing is not counted here.

    >>> import anatomy
    >>> [(kept.dtype, kept.term.value) for kept in released(anatomy.load("gpt-oss-20b"))]
    [('mxfp4', 9555148800), ('e8m0', 597196800), ('bf16', 3608919168)]
    """
    storage = model.storage
    if storage.method is None:
        return (_plain("every parameter", model.parameters, storage.plain),)
    packed = _packed(model)
    if not packed or any(_left_apart(row, storage.apart) for row in packed):
        return None
    small = sum(row.parameters for row in packed)
    scales = sum(map(_mxfp4_scales if storage.method == MXFP4 else _fp8_scales(storage.block or (128, 128)), packed))
    rest = _plain("all else", model.parameters - small, storage.plain)
    if storage.method == MXFP4:
        values, marks = (
            _stored("experts’ matrices", small, Fraction(1, 2)),
            _stored("a scale for every 32", scales, 1, "scales"),
        )
        return Kept(MXFP4, values), Kept(MXFP4_SCALE, marks), rest
    high, wide = storage.block or (128, 128)
    values = _stored("matrices of attention, MLP and experts", small, 1)
    marks = _stored(f"a scale for each {high} × {wide}", scales, 4, "scales")
    return Kept(FP8, values), Kept("fp32", marks), rest


def _packed(model: Model) -> tuple[Row, ...]:
    """The rows that are quantised; none where the method is not one of those counted, or does not fit the model."""
    storage = model.storage
    held = [row for row in model.rows if row.matrices and row.parameters]
    if storage.method == MXFP4 and model.model_type == "gpt_oss":
        found = [row for row in held if row.group == "experts"]
        fits = all(matrix.inputs % MXFP4_BLOCK == 0 for row in found for matrix in row.matrices)
    elif storage.method == FP8 and storage.block:
        found = [row for row in held if row.group in QUANTISED_GROUPS and row.multiplies]
        fits = all(len(row.shape) == 2 for row in found)
    else:
        return ()
    return tuple(found) if fits else ()


def _left_apart(row: Row, apart: tuple[str, ...]) -> bool:
    return any(re.search(one, row.name) for one in _patterns(apart))


@lru_cache(maxsize=64)
def _patterns(apart: tuple[str, ...]) -> tuple[str, ...]:
    # A block's number and a star stand for any one name between two dots.
    steps = (
        ["[^.]+" if step.isdigit() or step == "*" else re.escape(step) for step in one.split(".")] for one in apart
    )
    return tuple(dict.fromkeys("(?:^|[.])" + "[.]".join(one) + "(?:[.]|$)" for one in steps))


def _fp8_scales(block: tuple[int, int]) -> Callable[[Row], int]:
    high, wide = block

    def scales(row: Row) -> int:
        rows, columns = row.shape
        return -(-rows // high) * -(-columns // wide) * row.tensors

    return scales


def _mxfp4_scales(row: Row) -> int:
    return row.parameters // MXFP4_BLOCK


def _plain(label: str, parameters: int, dtype: str) -> Kept:
    return Kept(dtype, _stored(label, parameters, DTYPES[dtype]))


def _stored(label: str, many: int, size: Fraction | int, unit: str = "parameters") -> Term:
    return Term(label, "", (), (Factor(unit, many, unit), Factor("bytes per number", whole(Fraction(size)), "bytes")))


def by_type(model: Model) -> Iterator[tuple[str, int]]:
    """The bytes of each number type that the published file holds; nothing where its packing is not counted.

    >>> import anatomy
    >>> dict(by_type(anatomy.load("llama-3-8b")))
    {'bf16': 16060522496}
    """
    for kept in released(model) or ():
        yield kept.dtype, int(kept.term.value)
