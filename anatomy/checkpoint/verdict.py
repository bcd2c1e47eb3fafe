"""What a check says in words, and its tensors by kind: the same sentences for the command line and the page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from anatomy.checkpoint import account, extras
from anatomy.checkpoint.headers import Stored
from anatomy.checkpoint.matching import (
    DIFFERENCES,
    MATCHING,
    MISSING,
    PACKED,
    UNEXPECTED,
    UNREAD,
    WRONG_SHAPE,
    Finding,
    Report,
)
from anatomy.checkpoint.names import template
from anatomy.words.formatting import exact

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """Tensors of one kind that are said the same of: one line of the report."""

    status: str
    name: str
    tensors: int
    shape: tuple[int, ...] | None
    expected: tuple[int, ...] | None
    why: str


def plural(number: int, one: str) -> str:
    """A number and what it counts.

    >>> plural(1, "tensor"), plural(1200, "tensor")
    ('1 tensor', '1,200 tensors')
    """
    return f"{exact(number)} {one}{'' if number == 1 else 's'}"


def headline(report: Report, name: str) -> str:
    """Whether the checkpoint is the model called ``name``, in one sentence.

    Names and shapes are all that a header tells: two models may have the same ones.
    """
    counts = report.counts
    if report.checkpoint.names_only and report.fits:
        named = counts[UNREAD]
        return f"The index names all {plural(named, 'tensor')} of {name}. Without its files no shape can be checked."
    if report.fits:
        held = counts[MATCHING] + counts[PACKED]
        return f"The tensors are those of {name}: all {exact(held)} match."
    if not counts[MATCHING] + counts[PACKED] + counts[UNREAD]:
        return f"The tensors are not those of {name}: none of its {exact(_all(report))} is there."
    if report.incomplete and not counts[WRONG_SHAPE] + counts[UNEXPECTED]:
        absent = len(report.checkpoint.absent)
        return f"What is here fits {name}, but {plural(absent, 'file')} of the checkpoint {_is(absent)} not here."
    said = [
        f"{plural(counts[status], 'tensor')} {words[counts[status] != 1]}"
        for status, words in (
            (MISSING, ("is missing", "are missing")),
            (WRONG_SHAPE, ("has another shape", "have another shape")),
            (UNEXPECTED, ("is unexpected", "are unexpected")),
        )
        if counts[status]
    ]
    listed = ", ".join(said[:-1]) + (" and " if len(said) > 1 else "") + said[-1] if said else "index and files differ"
    return f"The tensors are not quite those of {name}: {listed}."


def _all(report: Report) -> int:
    return sum(row.tensors for row in report.model.rows if not (row.tied_to or row.buffer))


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def remarks(report: Report) -> list[str]:
    """The sentences after the headline: the sum, quantisation, prefixes, absent files, and what may be the reason."""
    return [*_sum(report), *_packing(report), *_prefixes(report), *_absent(report), *_reasons(report)]


def _sum(report: Report) -> Iterator[str]:
    if not report.checkpoint.names_only:
        yield account.sentence(report) + "."


def _packing(report: Report) -> Iterator[str]:
    packed = Counter(finding.packing for finding in report.of(MATCHING, PACKED) if finding.packing)
    for how, number in packed.items():
        if how is None:
            continue
        in_words = sum(finding.packing == how for finding in report.of(PACKED))
        stored = f"{plural(number, 'weight')} {_is(number)} stored quantised ({how.format}, {how.bits} bits a number)"
        if in_words:
            yield f"{stored}, several numbers to a word: the file's element count is not the parameter count."
        else:
            yield f"{stored}, with scales beside them that are no parameters."


def _prefixes(report: Report) -> Iterator[str]:
    for there, here in report.prefixes.items():
        if there and here:
            yield f"Names start with {there} here and with {here} in the released file; both are read as the same."
        elif there:
            yield f"Names start with {there} here and without it in the released file; both are read as the same."
        else:
            yield f"Names start with {here} in the released file and without it here; both are read as the same."


def _absent(report: Report) -> Iterator[str]:
    absent = report.checkpoint.absent
    if report.checkpoint.files and absent:
        named = ", ".join(absent[:_NAMED]) + (f" and {exact(len(absent) - _NAMED)} more" if absent[_NAMED:] else "")
        read = len(report.checkpoint.files)
        yield f"{plural(read, 'file')} read; not here: {named}."
    yield from (f"{fault}." for fault in report.checkpoint.faults)


def _reasons(report: Report) -> Iterator[str]:
    if any(finding.why == extras.ADAPTER for finding in report.findings):
        yield "The file holds a LoRA adapter: matrices that are added to a model's own, which are stored elsewhere."
    head = [row for row in report.missing if row.part_id == "unembedding"]
    if head and report.counts[MISSING] == sum(report.missing[row] for row in head):
        yield (
            "Only the unembedding is missing: either the files leave out a head that is tied (tie_word_embeddings), "
            "or they were saved from the model without its head."
        )


def kinds(report: Report, *statuses: str) -> list[Kind]:
    """The findings by kind, status by status: tensors of one row in the model's order, others by name pattern."""
    order = {id(row): at for at, row in enumerate(report.model.rows)}
    found: Counter[tuple[str, int, str, tuple[int, ...] | None, tuple[int, ...] | None, str]] = Counter()
    for finding in report.of(*statuses):
        # A stable sort leaves tensors of no row in the file's order.
        at = order[id(finding.row)] if finding.row else len(order)
        found[finding.status, at, _pattern(finding), _shape(finding.stored), finding.expected, _why(finding)] += 1
    lines = sorted(found.items(), key=lambda item: (statuses.index(item[0][0]), item[0][1]))
    return [
        Kind(status, name, number, shape, expected, why) for (status, _, name, shape, expected, why), number in lines
    ]


def differences(report: Report) -> list[Finding]:
    """Every tensor that makes the checkpoint another one than the model (missing ones up to a limit)."""
    return list(report.of(*DIFFERENCES))


def _shape(stored: Stored | None) -> tuple[int, ...] | None:
    return stored.shape if stored else None


def _why(finding: Finding) -> str:
    how = finding.packing
    return f"{how.format}, {how.bits} bits" if how else finding.why


def _pattern(finding: Finding) -> str:
    if finding.row and finding.status in (MATCHING, MISSING, UNREAD, WRONG_SHAPE):
        return finding.row.name
    return template(finding.name)[0].replace("{}", "*")
