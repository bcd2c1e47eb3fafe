"""Arguments that several commands have."""

from __future__ import annotations

import argparse

from anatomy.model.switches import CHOICES, DEFAULT, Options, chosen
from anatomy.reading.refusals import AnatomyError, shown
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


def costs(parser: argparse.ArgumentParser) -> None:
    """The switches of memory: number types, and sequences at once."""
    parser.add_argument("--batch", default=str(DEFAULT.batch), metavar="N", help="sequences at once (default: 1)")
    for switch, what in (("weights", "weights"), ("cache", "KV cache")):
        default, accepted = getattr(DEFAULT, switch), ", ".join(CHOICES[switch])
        text = f"number type of the {what}: {accepted} (default: {default})"
        parser.add_argument(f"--{switch}", default=default, metavar="TYPE", help=text)


def chosen_costs(options: argparse.Namespace) -> Options:
    """What the switches of memory say; raises ``AnatomyError`` for what none of them takes."""
    found = DEFAULT
    for switch in ("batch", "weights", "cache"):
        try:
            found = chosen(found, switch, getattr(options, switch))
        except AnatomyError as error:
            raise AnatomyError(f"--{switch}: {error}") from None
    return found


def as_json(parser: argparse._ActionsContainer) -> None:
    """Whether the answer is JSON."""
    parser.add_argument("--json", action="store_true", help="as JSON")
