"""A checkpoint held against a model's rows, tensor by tensor: what matches, what is missing, what else is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, islice

from anatomy.checkpoint import extras, packing
from anatomy.checkpoint.files import Checkpoint
from anatomy.checkpoint.headers import Stored
from anatomy.checkpoint.names import (
    Place,
    filled,
    place,
    split,
)
from anatomy.model.rows import Model, Row

# What can be said of a tensor; the order is that of reports. EXTRA is there beside the parameters and explained.
MATCHING, PACKED, EXTRA, UNREAD = "matching", "packed", "extra", "unread"
MISSING, WRONG_SHAPE, UNEXPECTED = "missing", "wrong shape", "unexpected"
STATUSES = (MATCHING, PACKED, EXTRA, UNREAD, MISSING, WRONG_SHAPE, UNEXPECTED)
DIFFERENCES = (MISSING, WRONG_SHAPE, UNEXPECTED)
# Of a model of 10^9 blocks not every missing name is written down.
LISTED = 2_000


@dataclass(frozen=True, slots=True)
class Finding:
    """One tensor: its name in the file (or the row's, where missing), and what is to be said of it."""

    name: str
    status: str
    stored: Stored | None = None
    row: Row | None = None
    why: str = ""
    packing: packing.Packing | None = None

    @property
    def expected(self) -> tuple[int, ...] | None:
        """The shape that the row has; None for a tensor of no row."""
        return self.row.shape if self.row else None


@dataclass(frozen=True, eq=False)
class Report:
    """A checkpoint held against a model. ``missing`` counts the missing tensors of each row that lacks some."""

    model: Model
    checkpoint: Checkpoint
    findings: tuple[Finding, ...]
    missing: Mapping[Row, int] = field(default_factory=dict)
    # Prefix in the file -> prefix of the rows, where they differ.
    prefixes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How many tensors there are of each status."""
        counted = Counter(finding.status for finding in self.findings)
        counted[MISSING] = sum(self.missing.values())
        return {status: counted[status] for status in STATUSES}

    def of(self, *statuses: str) -> Iterator[Finding]:
        """The findings of some statuses, in order."""
        return (finding for finding in self.findings if finding.status in statuses)

    @property
    def incomplete(self) -> bool:
        """Whether some files of the checkpoint were read and others are not there."""
        return bool(self.checkpoint.files and self.checkpoint.absent)

    @property
    def fits(self) -> bool:
        """Whether the checkpoint is the model: nothing missing, of another shape or unexplained."""
        differs = any(self.counts[status] for status in DIFFERENCES)
        return not (differs or self.incomplete or self.checkpoint.faults)


@lru_cache(maxsize=8)
def check(model: Model, checkpoint: Checkpoint) -> Report:
    """Hold a checkpoint against a model's rows.

    >>> import anatomy
    >>> from anatomy.checkpoint.files import assemble
    >>> from anatomy.checkpoint.headers import Shard, Stored
    >>> table = Stored("transformer.wte.weight", (50257, 768), "F32", "model.safetensors")
    >>> report = check(anatomy.load("gpt2"), assemble([Shard("model.safetensors", (table,), {})]))
    >>> report.counts["matching"], report.counts["missing"]
    (1, 147)
    """
    return _Matcher(model, checkpoint).report()


class _Matcher:
    """The work of one check; it ends in a :class:`Report`."""

    def __init__(self, model: Model, checkpoint: Checkpoint) -> None:
        self.model, self.checkpoint = model, checkpoint
        self.places = self._placed()
        self.taken = {spot.name: name for name, spot in self.places.items()}
        self.beside = self._beside()
        # Name as the rows spell it -> its row, for every tensor that the file holds in some form.
        self.held: dict[str, Row] = {}
        self.prediction = extras.prediction_blocks(model, checkpoint.tensors)
        self.aliases: dict[str, str] = {}

    def report(self) -> Report:
        """Judge every tensor of the file, then count what the rows have beyond it."""
        findings = [self._judge(stored) for stored in self.checkpoint.tensors.values()]
        missing, absent = self._missing()
        prefixes = {
            split(name)[0]: split(spot.name)[0]
            for name, spot in self.places.items()
            if split(name)[0] != split(spot.name)[0]
        }
        return Report(self.model, self.checkpoint, tuple(findings) + tuple(absent), missing, prefixes)

    def _placed(self) -> dict[str, Place]:
        found: dict[str, Place] = {}
        holder: dict[str, str] = {}
        for name in self.checkpoint.tensors:
            spot = place(self.model, name)
            if spot is None:
                continue
            before = holder.get(spot.name)
            # Two names may mean one tensor, with and without a prefix: the exact one is it.
            if before is not None and name != spot.name:
                continue
            if before is not None:
                del found[before]
            found[name], holder[spot.name] = spot, name
        return found

    def _beside(self) -> dict[str, frozenset[str]]:
        beside: dict[str, set[str]] = {}
        for name in self.checkpoint.tensors:
            helped = packing.helps(name)
            if helped:
                beside.setdefault(helped[0], set()).add(helped[1])
        return {name: frozenset(found) for name, found in beside.items()}

    def _judge(self, stored: Stored) -> Finding:
        spot = self.places.get(stored.name)
        if spot:
            self.held[spot.name] = spot.row
            return self._against(stored, spot.row)
        weight = packing.weight_of(stored.name)
        spot = place(self.model, weight) if weight else None
        if spot and weight and spot.name not in self.taken:
            self.held[spot.name] = spot.row
            if stored.shape is None:
                return Finding(stored.name, UNREAD, stored, spot.row, why="packed")
            how = packing.packing(stored, spot.row.shape, self.beside.get(weight, frozenset()))
            if how:
                return Finding(stored.name, PACKED, stored, spot.row, packing=how)
            return Finding(stored.name, WRONG_SHAPE, stored, spot.row, why="packed, of another number of elements")
        why = self._why(stored)
        return Finding(stored.name, EXTRA if why else UNEXPECTED, stored, why=why or self._again(stored.name))

    def _against(self, stored: Stored, row: Row) -> Finding:
        if row.tied_to and self._stands_in(stored, row):
            status = UNREAD if stored.shape is None else MATCHING
            return Finding(stored.name, status, stored, row, why=f"stored in place of {row.tied_to}")
        if stored.shape is None:
            return Finding(stored.name, UNREAD, stored, row)
        beside = self.beside.get(stored.name, frozenset())
        if stored.shape == row.shape:
            if row.tied_to:
                return Finding(stored.name, EXTRA, stored, row, why=f"{_part(row)} tied to {row.tied_to}, stored again")
            if row.buffer:
                return Finding(stored.name, EXTRA, stored, row, why=extras.known(self.model, stored.name) or _last(row))
            return Finding(stored.name, MATCHING, stored, row, packing=packing.quantised(stored, beside))
        how = packing.packing(stored, row.shape, beside) if beside else None
        if how:
            return Finding(stored.name, PACKED, stored, row, packing=how)
        return Finding(stored.name, WRONG_SHAPE, stored, row)

    def _stands_in(self, stored: Stored, row: Row) -> bool:
        """Whether a tied tensor is the one that is stored: files keep either name."""
        spot = place(self.model, str(row.tied_to))
        if spot is None or spot.name in self.taken or stored.shape not in (None, spot.row.shape):
            return False
        # Of several tied names one stands for the tensor, the others are stored again.
        return self.aliases.setdefault(spot.name, stored.name) == stored.name

    def _why(self, stored: Stored) -> str | None:
        rest = split(stored.name)[1]
        if any(rest.startswith(prefix) for prefix in self.prediction):
            return extras.MTP
        why = extras.known(self.model, stored.name)
        if why:
            return why
        helped = packing.helps(stored.name)
        if helped and place(self.model, helped[0]):
            return helped[1]
        stem = stored.name.removesuffix(".bias")
        if stem != stored.name and f"{stem}.qweight" in self.checkpoint.tensors and place(self.model, f"{stem}.weight"):
            return packing.ZERO_BIAS
        return None

    def _again(self, name: str) -> str:
        spot = place(self.model, name)
        return f"the same tensor is there as {self.taken[spot.name]}" if spot and spot.name in self.taken else ""

    def _missing(self) -> tuple[dict[Row, int], list[Finding]]:
        # Rows are counted by identity: a model has few, and a row's hash reads all of it.
        found = Counter(id(row) for row in self.held.values())
        stood_for = {id(spot.row) for alias in self.aliases if (spot := place(self.model, alias))}
        missing: dict[Row, int] = {}
        listed: list[Finding] = []
        for row in self.model.rows:
            lacking = row.tensors - found[id(row)]
            # A buffer may be left out: loaders compute it, or count from zero.
            if row.tied_to or row.buffer or lacking <= 0 or id(row) in stood_for:
                continue
            missing[row] = lacking
            absent = (name for name in _names(row) if name not in self.held)
            room = min(lacking, LISTED - len(listed))
            listed += [Finding(name, MISSING, None, row) for name in islice(absent, room)]
        return missing, listed


def _names(row: Row) -> Iterator[str]:
    blocks: Iterable[int | None] = chain.from_iterable(row.blocks) if row.blocks else (None,)
    return (filled(row, block, expert) for block in blocks for expert in range(row.copies))


def _part(row: Row) -> str:
    return row.part_id if row.part_id == "unembedding" else "tensor"


def _last(row: Row) -> str:
    return f"buffer {row.name.rsplit('.', 1)[-1]}"
