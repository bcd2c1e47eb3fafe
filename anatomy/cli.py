"""The command line: ``list``, ``show``, ``tensors``, ``compare``, ``check``, ``plot``.

Bad input is one line on standard error and exit status 2. A command's module is imported when it is asked for, so that
the others, help and the version cost nothing but this.
"""

from __future__ import annotations

import argparse
import codecs
import io
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from anatomy import __version__

TYPE_CHECKING = False  # typing's own, without the time to import it
if TYPE_CHECKING:
    from typing import Any, NoReturn

BAD_INPUT = 2
INTERRUPTED = 130  # 128 and the number of the signal, as shells have it
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
        from anatomy.reading.refusals import plain_line

        self.exit(BAD_INPUT, f"anatomy: {plain_line(message)}; see {self.prog} --help\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write help or the version as any answer: argparse would keep it to itself that a disk is full."""
        if file is not sys.stdout:
            super()._print_message(message, file)
        else:
            file.write(message)
            file.flush()


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="anatomy", description="Exact parameter counts, tensor shapes, FLOPs and KV cache of transformer models."
    )
    parser.add_argument("--version", action="version", version=f"anatomy {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (module, said) in COMMANDS.items():
        commands.add_parser(name, module=module, help=said)
    return parser


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """What stands for characters that an encoding lacks: JSON's escapes, so that ``--json`` stays JSON everywhere."""
    import json

    if not isinstance(error, UnicodeEncodeError):
        raise error
    return json.dumps(error.object[error.start : error.end])[1:-1], error.end


def _ready_streams() -> None:
    """Streams that take every character, and that are there even where the shell has closed them."""
    # Else an error would go to standard output, which is what print makes of None.
    sys.stdout, sys.stderr = (
        stream or io.TextIOWrapper(io.FileIO(os.devnull, "w")) for stream in (sys.stdout, sys.stderr)
    )
    codecs.register_error("anatomy", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="anatomy")


def _give_up_output() -> None:
    """Let go of what is not written yet: Python would try it, and complain, once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, 1 where a check found differences, 2 for bad input or 130."""
    _ready_streams()
    status = 0
    try:
        options = _parser().parse_args(arguments)
        result = options.run(options)
        text, status = result if isinstance(result, tuple) else (result, 0)
        if text is not None:
            print(text)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _give_up_output()  # The reader (head, less) has what it wanted.
    except OSError as error:
        if error.filename is not None:
            raise  # Not of a stream, which has no name to tell.
        _give_up_output()
        print(f"anatomy: the answer cannot be written: {error.strerror}", file=sys.stderr)
        return BAD_INPUT
    except ValueError as error:
        from anatomy.reading.refusals import AnatomyError, plain_line

        if not isinstance(error, AnatomyError):
            raise
        print(f"anatomy: {plain_line(str(error))}", file=sys.stderr)
        return BAD_INPUT
    return status
