"""``anatomy check``: a checkpoint's headers against a model's rows, in words and tensor by tensor, or as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from anatomy import checkpoint as checkpoints
from anatomy.catalog import LoadedModel
from anatomy.checkpoint import Report, fitting, verdict
from anatomy.checkpoint.matching import (
    EXTRA,
    MATCHING,
    MISSING,
    PACKED,
    UNEXPECTED,
    UNREAD,
    WRONG_SHAPE,
    Finding,
)
from anatomy.checkpoint.verdict import Kind
from anatomy.commands import ask
from anatomy.commands.output import aligned, model, plain
from anatomy.reading.refusals import AmbiguousError, plain_line
from anatomy.report.checked import checked
from anatomy.report.document import to_json
from anatomy.words.formatting import exact, shape

DIFFERENT = 1
# In words a report lists so many tensors that differ; --json has all of them.
_LISTED = 100


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    parser.description = (
        "Hold the headers of a checkpoint against a model's tensors. Exit status: 0 where they are those of the model, "
        "1 where they differ, 2 for bad input."
    )
    parser.add_argument(
        "model",
        metavar="MODEL",
        nargs="?",
        help=f"{ask.MODEL}; left out: the config.json beside the checkpoint, else the catalogue's best fit",
    )
    parser.add_argument(
        "path", metavar="PATH", help="a .safetensors file, a *.safetensors.index.json, or a folder of them"
    )
    ask.as_json(parser)


def run(options: argparse.Namespace) -> tuple[str, int]:
    """The report on a checkpoint and the exit status: 0 where it is the model, 1 where it is not."""
    chosen, why, left_open = None, "", None
    try:
        chosen = model(options.model) if options.model is not None else None
    except AmbiguousError as error:
        left_open = error
    checkpoint = checkpoints.load(options.path)
    if left_open is not None:
        chosen, words = fitting.settled(left_open, checkpoint)
        why = f"The configuration leaves one thing open: here {words}."
    elif chosen is None:
        chosen, why = fitting.choose(Path(options.path), checkpoint)
    report = checkpoints.check(chosen, checkpoint)
    text = to_json(checked(report, chosen, why)) if options.json else in_words(report, chosen, why)
    return text, 0 if report.fits else DIFFERENT


def in_words(report: Report, chosen: LoadedModel, why: str = "") -> str:
    """The report as text: what is found, the sum, then every kind of tensor, and one by one what differs."""
    paragraphs = [_lines(verdict.headline(report, chosen.name), why)]
    remarks = verdict.remarks(report)
    if remarks:
        paragraphs.append(_lines(*remarks))
    fine = verdict.kinds(report, MATCHING, PACKED, UNREAD, EXTRA)
    if fine:
        paragraphs.append(aligned([("status", "tensors", "shape", "name", ""), *map(_kind, fine)], frozenset({1})))
    different = verdict.differences(report)
    if different:
        paragraphs.append("\n".join(_different(report, different)))
    return "\n\n".join(paragraphs)


def _lines(*sentences: str) -> str:
    return "\n".join(plain_line(sentence) for sentence in sentences if sentence)


def _kind(kind: Kind) -> tuple[str, ...]:
    size = shape(kind.shape) if kind.shape else ("one number" if kind.shape == () else "")
    return kind.status, exact(kind.tensors), size, plain(kind.name), plain(kind.why)


def _different(report: Report, findings: list[Finding]) -> Iterator[str]:
    for finding in findings[:_LISTED]:
        yield f"{finding.status}: {plain(finding.name)}{_said(finding)}"
    total = sum(report.counts[status] for status in (MISSING, WRONG_SHAPE, UNEXPECTED))
    if total > _LISTED:
        yield f"and {exact(total - _LISTED)} more (--json lists them)"


def _said(finding: Finding) -> str:
    words = []
    if finding.stored and finding.stored.shape is not None:
        words.append(f"{shape(finding.stored.shape) or 'one number'} in {plain(finding.stored.file)}")
    if finding.expected is not None:
        words.append(f"expected {shape(finding.expected)}")
    if finding.why:
        words.append(plain(finding.why))
    return "  " + "; ".join(words) if words else ""
