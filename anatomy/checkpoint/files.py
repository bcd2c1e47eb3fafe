"""A checkpoint as one list of stored tensors: from one file, an index with or without its shards, or a folder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from anatomy.checkpoint import headers
from anatomy.checkpoint.headers import (
    CheckpointError,
    Index,
    Shard,
    Stored,
)
from anatomy.reading.config import shown

SUFFIX, INDEX_SUFFIX = ".safetensors", ".safetensors.index.json"
# How released shards are numbered.
_NUMBERED = re.compile(r"(.+-)([0-9]{5})-of-([0-9]{5})(\.safetensors)")
# A numbering that claims more shards than anyone has released is not believed.
_MOST_SHARDS = 10_000


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """What the files of a checkpoint say that they hold.

    ``absent`` are files that the index or the numbering names and that were not given; ``faults`` are sentences on
    what index and files disagree on.
    """

    name: str
    tensors: Mapping[str, Stored]
    files: tuple[str, ...]
    absent: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()

    @property
    def names_only(self) -> bool:
        """Whether there is an index and none of its files: names without shapes."""
        return not self.files

    @cached_property
    def elements(self) -> int:
        """Numbers stored in the files that were read."""
        return sum(stored.elements for stored in self.tensors.values())


def assemble(shards: Sequence[Shard], index: Index | None = None, name: str | None = None) -> Checkpoint:
    """One checkpoint from the headers of its files and, where there is one, its index.

    >>> shard = Shard("model.safetensors", (Stored("wte.weight", (2, 3), "F32", "model.safetensors"),), {})
    >>> assemble([shard]).elements
    6

    Raises ``CheckpointError`` where two files hold a tensor of the same name.
    """
    tensors: dict[str, Stored] = {}
    faults: list[str] = []
    for shard in shards:
        for stored in shard.tensors:
            if stored.name in tensors:
                found = f"{shown(stored.name)} is in {tensors[stored.name].file} and in {stored.file}"
                raise CheckpointError(name or shard.file, found, "each tensor once (the files of one checkpoint)")
            tensors[stored.name] = stored
    files = tuple(shard.file for shard in shards)
    absent = _unnumbered(files)
    if index:
        absent = tuple(dict.fromkeys(file for file in index.weight_map.values() if file not in files))
        unlisted = [one for one in tensors if one not in index.weight_map]
        if unlisted:
            faults.append(f"{index.file} does not list {_some(unlisted)}")
        lost = []
        for tensor, file in index.weight_map.items():
            if file not in files:
                tensors.setdefault(tensor, Stored(tensor, None, None, file))
            elif tensor not in tensors or tensors[tensor].file != file:
                lost.append(tensor)
        if lost:
            faults.append(f"{index.file} names a file that does not hold it for {_some(lost)}")
    called = name or (index.file if index else files[0])
    return Checkpoint(called, tensors, files, absent, tuple(faults))


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 1:,} more" if len(names) > 1 else ""
    return shown(names[0]) + more


def _unnumbered(files: Sequence[str]) -> tuple[str, ...]:
    """The files of a numbered series (``-00001-of-00003``) that are not among ``files``."""
    absent: dict[str, None] = {}
    for file in files:
        match = _NUMBERED.fullmatch(file)
        if match and int(match[3]) <= _MOST_SHARDS:
            series = (f"{match[1]}{number:05d}-of-{match[3]}{match[4]}" for number in range(1, int(match[3]) + 1))
            absent.update((one, None) for one in series if one not in files)
    return tuple(absent)


def load(path: str | Path) -> Checkpoint:
    """The checkpoint at ``path``: a ``.safetensors`` file, an index (its files beside it or not), or a folder.

    Raises ``CheckpointError``.
    """
    path = Path(path)
    try:
        if path.is_dir():
            return _folder(path)
        if not path.exists():
            raise CheckpointError(str(path), "there is no such file", "a .safetensors file, its index, or a folder")
        if not path.is_file():
            raise CheckpointError(str(path), "it is neither a file nor a folder", "a .safetensors file")
        if path.suffix == ".json":
            return _indexed(path)
        return assemble([_shard(path)], name=str(path))
    except OSError as error:
        raise CheckpointError(str(path), error.strerror or str(error), "a file that can be read") from None
    except ValueError as error:
        if isinstance(error, CheckpointError):
            raise
        # A path with a zero byte in it.
        raise CheckpointError(shown(str(path)), str(error), "a path") from None


def _shard(path: Path) -> Shard:
    with path.open("rb") as file:
        return headers.named(headers.read(file, str(path)), path.name)


def _indexed(path: Path) -> Checkpoint:
    if path.stat().st_size > headers.MAX_HEADER:
        raise CheckpointError(str(path), "the index is too long", f"at most {headers.MAX_HEADER:,} bytes")
    index = headers.index(path.read_bytes(), str(path))
    beside = [path.parent / file for file in dict.fromkeys(index.weight_map.values())]
    index = Index(path.name, index.weight_map)
    return assemble([_shard(one) for one in beside if one.is_file()], index, str(path))


def _folder(path: Path) -> Checkpoint:
    found = sorted(one for one in path.iterdir() if one.is_file())
    indexes = [one for one in found if one.name.endswith(INDEX_SUFFIX)]
    files = [one for one in found if one.suffix == SUFFIX]
    # As loaders do: the one file of the usual name first, then the index, then whatever is there.
    usual = path / f"model{SUFFIX}"
    if usual in files:
        return assemble([_shard(usual)], name=str(path))
    chosen = path / f"model{INDEX_SUFFIX}"
    if chosen in indexes or len(indexes) == 1:
        checkpoint = _indexed(chosen if chosen in indexes else indexes[0])
        return Checkpoint(str(path), checkpoint.tensors, checkpoint.files, checkpoint.absent, checkpoint.faults)
    if indexes:
        names = ", ".join(one.name for one in indexes[:5])
        raise CheckpointError(str(path), f"the folder holds several indexes ({names})", "one of them as the path")
    if not files:
        others = ", ".join(one.name for one in found[:5]) or "nothing"
        raise CheckpointError(str(path), f"the folder holds no .safetensors file (but {others})", "a folder with one")
    return assemble([_shard(one) for one in files], name=str(path))
