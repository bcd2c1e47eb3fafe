"""``anatomy compare``: two models side by side at one T, as a table and sentences, or as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from anatomy.commands import ask
from anatomy.commands.output import aligned, model, plain
from anatomy.model.terms import Number
from anatomy.reading.config import SequenceLengthError
from anatomy.reading.refusals import plain_line
from anatomy.report.anatomy import DEFAULT_SEQ_LEN
from anatomy.report.comparison import (
    Comparison,
    Line,
    common_seq_len,
    compare,
)
from anatomy.report.document import compared, to_json
from anatomy.words.formatting import decimal, exact, ratio


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    ask.model(parser, "first", "A")
    ask.model(parser, "second", "B", "the same")
    ask.seq_len(parser, other=", or the nearest")
    ask.as_json(parser)


def run(options: argparse.Namespace) -> str:
    """Both models at one sequence length (where left out: the one nearest to the default that suits both).

    Raises ``SequenceLengthError`` where the two run at no common length.
    """
    one, other = model(options.first), model(options.second)
    seq_len = options.seq_len
    if seq_len is None:
        seq_len = common_seq_len(one, other, DEFAULT_SEQ_LEN)
        if seq_len is None:
            raise SequenceLengthError(f"{one.name} and {other.name} run at no common sequence length")
    side = compare(one, other, seq_len)
    return to_json(compared(side)) if options.json else in_words(side)


def in_words(side: Comparison) -> str:
    """The comparison as text: figures, parts, and what differs in kind."""
    names = side.first.model.name, side.second.model.name
    head = (f"T = {exact(side.seq_len)}", *map(plain, names), "ratio")
    figures = aligned([head, *_rows(side.figures)], frozenset({1, 2, 3}))
    parts = aligned([("parameters by part", *map(plain, names), "ratio"), *_rows(side.parts)], frozenset({1, 2, 3}))
    sentences = "\n".join(plain(one.sentence) for one in side.contrasts) or "Nothing differs in kind."
    return "\n\n".join([figures, parts, plain_line(side.direction), sentences])


def _rows(lines: Iterable[Line]) -> list[tuple[str, ...]]:
    return [
        (line.label, _number(line.first), _number(line.second), ratio(line.ratio) if line.ratio else "–")
        for line in lines
    ]


def _number(number: Number | None) -> str:
    if number is None:
        return "–"
    return exact(number) if isinstance(number, int) else decimal(number, 2)
