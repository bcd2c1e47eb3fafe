"""The sum that leads from a model's parameters to the number of elements in its files, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anatomy.checkpoint.matching import (
    EXTRA,
    MISSING,
    PACKED,
    UNEXPECTED,
    UNREAD,
    WRONG_SHAPE,
    Finding,
    Report,
)
from anatomy.words.formatting import exact

# What is counted by the piece; everything else is said in brackets after its size.
_PIECES = {
    "causal mask": "causal masks",
    "fill value of the causal mask": "fill values of causal masks",
}


@dataclass(frozen=True, slots=True)
class Step:
    """Some tensors of the sum: how many, how many elements in all (negative where taken away), and what they are."""

    elements: int
    tensors: int
    what: str
    # The size of each, where they are alike.
    each: int | None = None

    @property
    def words(self) -> str:
        """The step without its sign.

        >>> Step(12582912, 12, "causal mask", 1048576).words
        '12 causal masks of 1,048,576'
        >>> Step(2048, 32, "rotary inverse frequencies", 64).words
        '32 × 64 (rotary inverse frequencies)'
        """
        size = exact(abs(self.elements))
        if self.what in _PIECES and self.each is not None:
            piece = self.what if self.tensors == 1 else _PIECES[self.what]
            return f"{exact(self.tensors)} {piece} of {exact(self.each)}"
        if self.what == "parameters":
            return f"{size} parameters"
        if self.tensors == 1:
            return f"{size} ({self.what})"
        if self.each is not None:
            return f"{exact(self.tensors)} × {exact(self.each)} ({self.what})"
        return f"{size} in {exact(self.tensors)} tensors ({self.what})"


def steps(report: Report) -> tuple[Step, ...]:
    """The steps from the model's parameters to the elements in the files; their sum is the files' element count."""
    return (
        Step(report.model.parameters, 0, "parameters"),
        *_missing(report),
        *_taken(report, UNREAD, "in files that are not here"),
        *_taken(report, PACKED, "stored packed"),
        *_added(report, PACKED),
        *_taken(report, WRONG_SHAPE, "as the configuration has it"),
        *_added(report, WRONG_SHAPE),
        *_added(report, EXTRA),
        *_added(report, UNEXPECTED),
    )


def sentence(report: Report) -> str:
    """The sum in one line.

    >>> import anatomy
    >>> from anatomy.checkpoint.files import assemble
    >>> from anatomy.checkpoint.headers import Shard, Stored
    >>> from anatomy.checkpoint.matching import check
    >>> gpt2 = anatomy.load("gpt2")
    >>> tensors = [Stored(tensor.name, tensor.shape, "F32", "model.safetensors") for tensor in gpt2.tensors()]
    >>> masks = [Stored(f"h.{n}.attn.bias", (1, 1, 1024, 1024), "F32", "model.safetensors") for n in range(12)]
    >>> sentence(check(gpt2, assemble([Shard("model.safetensors", (*tensors, *masks), {})])))
    '137,022,720 in the file = 124,439,808 parameters + 12 causal masks of 1,048,576'
    """
    first, *others = steps(report)
    where = "file" if len(report.checkpoint.files) == 1 else "files"
    text = f"{exact(report.checkpoint.elements)} in the {where} = {first.words}"
    return text + "".join(f" {'−' if step.elements < 0 else '+'} {step.words}" for step in others)


def _missing(report: Report) -> Iterator[Step]:
    lacking = report.counts[MISSING]
    if lacking:
        yield Step(-sum(row.elements * many for row, many in report.missing.items()), lacking, "missing")


def _taken(report: Report, status: str, what: str) -> Iterator[Step]:
    """What the model's parameters include and the files do not hold as it is."""
    rows = [finding.row for finding in report.of(status) if finding.row and _counts(finding)]
    if rows:
        yield Step(-sum(row.elements for row in rows), len(rows), what)


def _counts(finding: Finding) -> bool:
    """Whether the model's total includes the tensor: a buffer never, a tied one where it stands in for the other."""
    row = finding.row
    return bool(row and not row.buffer and (not row.tied_to or (finding.status == UNREAD and finding.why)))


def _added(report: Report, status: str) -> Iterator[Step]:
    """What the files hold that is no parameter as it stands, by what it is."""
    groups: dict[str, list[int]] = {}
    for finding in report.of(status):
        if finding.stored and finding.stored.shape is not None:
            groups.setdefault(_what(finding), []).append(finding.stored.elements)
    for what, sizes in groups.items():
        yield Step(sum(sizes), len(sizes), what, sizes[0] if len(set(sizes)) == 1 else None)


def _what(finding: Finding) -> str:
    if finding.packing:
        return f"{finding.packing.format} words of {finding.packing.bits}-bit numbers"
    if finding.status == WRONG_SHAPE:
        return "as the file has it"
    return finding.why if finding.status == EXTRA else UNEXPECTED
