"""The command line: ``list``, ``show``, ``tensors``, ``compare``, ``check``, ``plot``.

Bad input is one line on standard error and exit status 2. A command's module is imported when it is asked for, so that
the others, help and the version cost nothing but this.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from anatomy import __version__

TYPE_CHECKING = False  # typing's own, without the time to import it
if TYPE_CHECKING:
    from typing import Any, NoReturn

BAD_INPUT = 2
# Each command's module in anatomy.commands, and what the list of commands says of it.
COMMANDS = {
    "list": ("listing", "the catalogue of released models"),
    "show": ("show", "the whole anatomy of a model"),
    "tensors": ("tensors", "every tensor: name, shape, parameters, part, block"),
    "compare": ("comparison", "two models side by side"),
    "check": ("check", "a checkpoint on disk against a model; headers only"),
    "plot": ("plot", "FLOPs per token or KV cache against T, as an SVG file"),
}


class _Formatter(argparse.HelpFormatter):
    """Help of one width everywhere: to ask the terminal for its own, at every start, takes an import of archivers."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=80)


class _Parser(argparse.ArgumentParser):
    """argparse, but a wrong call is one line, and a command's arguments come with its module."""

    def __init__(self, module: str = "", **settings: Any) -> None:
        super().__init__(formatter_class=_Formatter, **settings)
        self.module = module

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Parse with the command's own arguments."""
        if self.module:
            command = import_module(f"anatomy.commands.{self.module}")
            self.module = ""
            command.arguments(self)
            self.set_defaults(run=command.run)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to see what would be accepted."""
        self.exit(BAD_INPUT, f"anatomy: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="anatomy", description="Exact parameter counts, tensor shapes, FLOPs and KV cache of transformer models."
    )
    parser.add_argument("--version", action="version", version=f"anatomy {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, said) in COMMANDS.items():
        commands.add_parser(name, module=module, help=said)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, 1 where a check found differences, or 2 for bad input."""
    options = _parser().parse_args(arguments)
    from anatomy.commands.output import plain_line
    from anatomy.refusals import AnatomyError

    status = 0
    try:
        result = options.run(options)
        text, status = result if isinstance(result, tuple) else (result, 0)
        if text is not None:
            print(text)
        sys.stdout.flush()
    except AnatomyError as error:
        print(f"anatomy: {plain_line(str(error))}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader (head, less) has what it wanted; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
