"""Reading the bytes of a checkpoint: the header of a ``.safetensors`` file and a ``*.safetensors.index.json``.

The format: 8 bytes, little-endian, say how long the header is; the header is JSON, one entry per tensor (``dtype``,
``shape``, ``data_offsets``); the tensors' bytes follow without gap or overlap. Only the header is ever read. Every
claim is checked before it is used, so that a hostile or broken file costs no more than a sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from anatomy.checkpoint import foreign
from anatomy.reading.config import AnatomyError, shown
from anatomy.reading.strict_json import MAX_DEPTH, nesting

# The safetensors library itself refuses longer headers. A header of 100,000 tensors has some 12 MB.
MAX_HEADER = 100_000_000
LENGTH_BYTES = 8
MAX_AXES = 64
_MAX_DIGITS = 20
# Bits per number of every dtype of the format.
BITS: Mapping[str, int] = {
    name: bits
    for bits, names in (
        (4, "F4"),
        (6, "F6_E2M3 F6_E3M2"),
        (8, "BOOL U8 I8 F8_E5M2 F8_E4M3 F8_E8M0 F8_E5M2FNUZ F8_E4M3FNUZ"),
        (16, "I16 U16 F16 BF16"),
        (32, "I32 U32 F32"),
        (64, "I64 U64 F64 C64"),
    )
    for name in names.split()
}


class CheckpointError(AnatomyError):
    """A checkpoint that cannot be read for certain.

    >>> str(CheckpointError("model.safetensors", "the file is empty", "a .safetensors file"))
    'model.safetensors: the file is empty; accepted: a .safetensors file'
    """

    def __init__(self, source: str, found: str, accepted: str) -> None:
        self.source, self.found, self.accepted = source, found, accepted
        super().__init__(f"{source}: {found}; accepted: {accepted}")


@dataclass(frozen=True, slots=True)
class Stored:
    """A tensor as a file describes it; ``shape`` and ``dtype`` are None where only an index names it."""

    name: str
    shape: tuple[int, ...] | None
    dtype: str | None
    file: str

    @property
    def elements(self) -> int:
        """Numbers stored: 0 where the shape is unknown."""
        return 0 if self.shape is None else math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Shard:
    """The header of one ``.safetensors`` file."""

    file: str
    tensors: tuple[Stored, ...]
    metadata: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Index:
    """A ``*.safetensors.index.json``: which file holds which tensor."""

    file: str
    weight_map: Mapping[str, str]


def header_length(start: bytes, size: int, source: str, limit: int = MAX_HEADER) -> int:
    """How long the header of a file of ``size`` bytes is, from its first 8 bytes.

    >>> header_length((16).to_bytes(8, "little"), 1000, "model.safetensors")
    16

    Raises ``CheckpointError``.
    """
    accepted = "a .safetensors file"
    if size == 0:
        raise CheckpointError(source, "the file is empty", accepted)
    length = int.from_bytes(start[:LENGTH_BYTES], "little")
    # The first bytes of other files read as an enormous length; a possible length is one.
    other = foreign.kind(start) if size < LENGTH_BYTES or length > MAX_HEADER else None
    if other:
        raise CheckpointError(source, f"the file is {other}", accepted)
    if size < LENGTH_BYTES or len(start) < LENGTH_BYTES:
        raise CheckpointError(source, f"the file holds {size} bytes, too few for a header's length", accepted)
    if length > size - LENGTH_BYTES:
        found = f"the header claims {length:,} bytes, and the file holds {size - LENGTH_BYTES:,} after its length"
        raise CheckpointError(source, found, f"a whole {accepted[2:]}")
    if length > limit:
        raise CheckpointError(source, f"the header claims {length:,} bytes", f"at most {limit:,}")
    if length < 2:
        raise CheckpointError(source, f"the header claims {length} bytes", "a JSON object, of 2 bytes at least")
    return length


def header(raw: bytes, size: int, source: str) -> Shard:
    """The tensors that a header describes: ``raw`` is the header's JSON, ``size`` the whole file's bytes.

    >>> text = b'{"wte.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}}'
    >>> header(text, 8 + len(text) + 24, "model.safetensors").tensors[0].shape
    (2, 3)

    Raises ``CheckpointError``.
    """
    entries = _json_object(raw, source, "header")
    room = size - LENGTH_BYTES - len(raw)
    metadata = _metadata(entries.pop("__metadata__", {}), source)
    tensors, spans = [], []
    for name, entry in entries.items():
        stored, begin, end = _entry(name, entry, source)
        tensors.append(stored)
        spans.append((begin, end, name))
    reached = 0
    for begin, end, name in sorted(spans):
        if begin != reached:
            found = f"{shown(name)} starts at byte {begin:,}, and the tensor before it ends at {reached:,}"
            raise CheckpointError(source, found, "tensors that follow one another without gap or overlap")
        reached = end
    if reached > room:
        found = f"the tensors take {reached:,} bytes, and the file holds {room:,} of them"
        raise CheckpointError(source, found, "a whole file (this one is cut short, as a broken download is)")
    if reached < room:
        found = f"{room - reached:,} bytes follow the last tensor"
        raise CheckpointError(source, found, "a file that ends with its last tensor")
    return Shard(source, tuple(tensors), metadata)


def read(file: BinaryIO, source: str, limit: int = MAX_HEADER) -> Shard:
    """The header of a seekable binary file; nothing after the header is read.

    Raises ``CheckpointError``.
    """
    size = file.seek(0, 2)
    file.seek(0)
    length = header_length(file.read(LENGTH_BYTES), size, source, limit)
    return header(file.read(length), size, source)


def named(shard: Shard, file: str) -> Shard:
    """The same header under the file's own name: errors say the whole path, reports need not."""
    tensors = tuple(Stored(one.name, one.shape, one.dtype, file) for one in shard.tensors)
    return Shard(file, tensors, shard.metadata)


def index(raw: bytes, source: str) -> Index:
    """The index of a checkpoint in several files.

    >>> text = b'{"metadata": {"total_size": 24}, "weight_map": {"wte.weight": "model-00001-of-00002.safetensors"}}'
    >>> index(text, "model.safetensors.index.json").weight_map["wte.weight"]
    'model-00001-of-00002.safetensors'

    Raises ``CheckpointError``.
    """
    if len(raw) > MAX_HEADER:
        raise CheckpointError(source, f"the index holds {len(raw):,} bytes", f"at most {MAX_HEADER:,}")
    weight_map = _json_object(raw, source, "index").get("weight_map")
    if not isinstance(weight_map, dict):
        found = "weight_map is missing" if weight_map is None else f"weight_map is {shown(weight_map)}"
        raise CheckpointError(source, found, "a *.safetensors.index.json, whose weight_map names a file per tensor")
    if not weight_map:
        raise CheckpointError(source, "weight_map names no tensor", "at least one")
    for name, file in weight_map.items():
        # An index must not lead out of its folder.
        if not isinstance(file, str) or not file or file in (".", "..") or any(one in file for one in "/\\\0"):
            raise CheckpointError(source, f"the file of {shown(name)} is {shown(file)}", "a file name without a folder")
    return Index(source, weight_map)


def _json_object(raw: bytes, source: str, what: str) -> dict[str, Any]:
    accepted = f"the {what} of a .safetensors checkpoint, a JSON object"

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise CheckpointError(source, f"{shown(twice)} is there twice in the {what}", "each name once")
        return found

    def integer(word: str) -> int:
        if len(word) > _MAX_DIGITS:
            raise CheckpointError(source, f"the {what} holds an integer of {len(word)} digits", "at most 20 digits")
        return int(word)

    if nesting(raw) > MAX_DEPTH:
        raise CheckpointError(source, f"the {what} is nested more than {MAX_DEPTH} levels deep", accepted)
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=unique, parse_int=integer)
    except UnicodeDecodeError:
        raise CheckpointError(source, f"the {what} holds bytes that are no UTF-8", accepted) from None
    except json.JSONDecodeError as error:
        raise CheckpointError(source, f"the {what} is no JSON ({error.msg.lower()})", accepted) from None
    if not isinstance(value, dict):
        raise CheckpointError(source, f"the {what} is {shown(value)}", accepted)
    return value


def _metadata(value: object, source: str) -> Mapping[str, str]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise CheckpointError(source, "__metadata__ holds something else than texts", "an object of texts")
    return value


def _entry(name: str, entry: object, source: str) -> tuple[Stored, int, int]:
    accepted = "dtype, shape and data_offsets"
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        said = f"{shown(name)} is {shown(entry)}"
        if isinstance(entry, dict):
            said = f"{shown(name)} has the keys {', '.join(map(shown, list(entry)[:5])) or 'none'}"
        raise CheckpointError(source, said, accepted)
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in BITS:
        raise CheckpointError(source, f"the dtype of {shown(name)} is {shown(dtype)}", ", ".join(BITS))
    if not _whole_numbers(shape) or len(shape) > MAX_AXES:
        raise CheckpointError(source, f"the shape of {shown(name)} is {_listed(shape)}", "a list of whole numbers")
    if not _whole_numbers(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        found = f"the data_offsets of {shown(name)} are {_listed(offsets)}"
        raise CheckpointError(source, found, "[begin, end], begin not after end")
    bits = math.prod(shape) * BITS[dtype]
    if bits % 8 or bits // 8 != offsets[1] - offsets[0]:
        held = f"{offsets[1] - offsets[0]:,} bytes"
        found = f"{shown(name)} has shape {_listed(shape)} of {dtype}, and its data_offsets hold {held}"
        raise CheckpointError(source, found, f"data_offsets that hold {-(-bits // 8):,} bytes")
    return Stored(name, tuple(shape), dtype, source), offsets[0], offsets[1]


def _whole_numbers(value: object) -> bool:
    return isinstance(value, list) and all(type(one) is int and one >= 0 for one in value)


def _listed(value: object) -> str:
    if not isinstance(value, list) or len(value) > 8:
        return shown(value)
    return "[" + ", ".join(map(shown, value)) + "]"
