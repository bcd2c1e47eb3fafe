"""Arguments that several commands have."""

from __future__ import annotations

import argparse

from anatomy.reading.refusals import shown
from anatomy.report.anatomy import DEFAULT_SEQ_LEN

MODEL = "a slug of the catalogue, a path to a config.json, or - for standard input"


def whole_number(text: str) -> int:
    """A whole number as anyone would write it; Python's own reading takes underscores, blanks and other digits too.

    >>> whole_number("8192")
    8192

    Raises ``argparse.ArgumentTypeError``.
    """
    if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) <= 15):
        raise argparse.ArgumentTypeError(f"{shown(text)} is no whole number; accepted: digits, such as 8192")
    return int(text)


def model(parser: argparse.ArgumentParser, name: str = "model", metavar: str = "MODEL", text: str = MODEL) -> None:
    """A model by what :func:`anatomy.commands.output.model` reads."""
    parser.add_argument(name, metavar=metavar, help=text)


def seq_len(parser: argparse.ArgumentParser, what: str = "sequence length", other: str = "") -> None:
    """The sequence length, None where it is left out."""
    text = f"{what} (default: {DEFAULT_SEQ_LEN}{other})"
    parser.add_argument("--seq-len", type=whole_number, metavar="T", help=text)


def as_json(parser: argparse._ActionsContainer) -> None:
    """Whether the answer is JSON."""
    parser.add_argument("--json", action="store_true", help="as JSON")
