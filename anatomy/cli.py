"""The command line: ``list``, ``show``, ``tensors``, ``compare``, ``check``, ``plot``.

Bad input is one line on standard error and exit status 2.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from anatomy import __version__, catalog
from anatomy.commands import output, plot
from anatomy.commands.output import aligned
from anatomy.config import AnatomyError
from anatomy.document import as_dict, to_json
from anatomy.formatting import exact, giga, percent, shape, short, size_in_bytes
from anatomy.report import DEFAULT_SEQ_LEN, Anatomy, default_seq_len, describe

BAD_INPUT = 2


def _list(options: argparse.Namespace) -> str:
    found = [(entry, catalog.load(entry.slug)) for entry in catalog.entries().values()]
    if options.json:
        return to_json(
            [
                {
                    "slug": entry.slug,
                    "name": entry.name,
                    "maker": entry.maker,
                    "released": entry.released,
                    "model_type": model.model_type,
                    "parameters": model.parameters,
                    "active": model.active_parameters,
                }
                for entry, model in found
            ]
        )
    head = ("slug", "name", "maker", "released", "parameters")
    rows = [(e.slug, e.name, e.maker, e.released, exact(m.parameters)) for e, m in found]
    return aligned([head, *rows], frozenset({4}))


def _show(options: argparse.Namespace) -> str:
    model = output.model(options.model)
    seq_len = default_seq_len(model) if options.seq_len is None else options.seq_len
    anatomy = describe(model, seq_len)
    return to_json(as_dict(anatomy)) if options.json else _described(anatomy)


def _described(anatomy: Anatomy) -> str:
    from anatomy.commands import costs  # here, so that JSON and the other commands start without it

    model = anatomy.model
    stacks = ", ".join(f"{exact(stack.blocks)} {stack.id} blocks" for stack in model.stacks)
    context = f"context {exact(model.context)}" if model.context else "no context limit of its own"
    figures = [
        ("parameters", exact(model.parameters), short(model.parameters)),
        ("without embeddings", exact(model.parameters_without_embeddings), short(model.parameters_without_embeddings)),
    ]
    if model.active_parameters != model.parameters:
        figures.append(("active", exact(model.active_parameters), short(model.active_parameters)))
    per_pass = anatomy.full.per_pass
    figures.append((f"forward FLOPs, T = {exact(anatomy.seq_len)}", exact(per_pass), giga(per_pass)))
    figures.append(("per token", "", giga(anatomy.full.per_token)))
    if anatomy.kv_bytes is not None:
        figures.append(("KV cache bytes (bf16)", exact(anatomy.kv_bytes), size_in_bytes(anatomy.kv_bytes)))
    figures += costs.figures(anatomy)
    groups = [(group.label, exact(group.parameters), percent(group.share)) for group in anatomy.groups]
    parts = [("part", "blocks", "what it is", "parameters", "weights")]
    for part in anatomy.parts:
        weights = ", ".join(
            f"{weight.symbol} {shape(weight.shape)}" + (f" (x {exact(weight.count)})" if weight.count > 1 else "")
            for weight in part.weights
        )
        where = part.blocks_label or ""
        name = f"{part.stack} {part.id}" if len(model.stacks) > 1 and part.stack else part.id
        parts.append((name, where, part.label, exact(part.parameters), weights))
    lines = [
        f"{model.name} ({model.model_type}, {model.architecture}): {stacks}, width {exact(model.width)}, {context}"
    ]
    if model.defaults:
        lines.append("defaults used: " + ", ".join(f"{key} = {value}" for key, value in model.defaults.items()))
    others = [("figure", "by another convention", "prints"), *costs.others(anatomy)]
    lines += ["", aligned(figures, frozenset({1, 2})), "", aligned(groups, frozenset({1, 2})), ""]
    return "\n".join([*lines, aligned(parts, frozenset({3})), "", aligned(others, frozenset({2}))])


def _tensors(options: argparse.Namespace) -> str | None:
    model = output.model(options.model)
    keys = ("name", "shape", "parameters", "part", "block")
    if options.json:
        return to_json(
            [
                dict(zip(keys, (t.name, list(t.shape), t.parameters, t.part, t.block), strict=True))
                for t in model.tensors()
            ]
        )
    if options.csv:
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(keys)
        for t in model.tensors():
            writer.writerow(
                (t.name, "x".join(map(str, t.shape)), t.parameters, t.part, "" if t.block is None else t.block)
            )
        return None
    for t in model.tensors():
        print(f"{t.name}  {shape(t.shape)}  {exact(t.parameters)}  {t.part}")
    return None


def _compare(options: argparse.Namespace) -> str:
    from anatomy.commands import comparison  # here, so that the other commands start without it

    return comparison.run(options.first, options.second, options.seq_len, options.json)


def _check(options: argparse.Namespace) -> tuple[str, int]:
    from anatomy.commands import check  # here, so that the other commands start without it

    return check.run(options.model, options.path, options.json)


class _Formatter(argparse.HelpFormatter):
    """Help of one width everywhere: to ask the terminal for its own, at every start, takes an import of archivers."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=80)


class _Parser(argparse.ArgumentParser):
    """argparse, but a wrong call is one line."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(formatter_class=_Formatter, **settings)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and how to see what would be accepted."""
        self.exit(BAD_INPUT, f"anatomy: {message}; see {self.prog} --help\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="anatomy", description="Exact parameter counts, tensor shapes, FLOPs and KV cache of transformer models."
    )
    parser.add_argument("--version", action="version", version=f"anatomy {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="the catalogue of released models")
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.set_defaults(run=_list)
    model_help = "a slug of the catalogue, a path to a config.json, or - for standard input"
    show = commands.add_parser("show", help="the whole anatomy of a model")
    show.add_argument("model", metavar="MODEL", help=model_help)
    show.add_argument("--seq-len", type=int, metavar="T", help=f"sequence length (default: {DEFAULT_SEQ_LEN})")
    show.add_argument("--json", action="store_true", help="as JSON")
    show.set_defaults(run=_show)
    tensors = commands.add_parser("tensors", help="every tensor: name, shape, parameters, part, block")
    tensors.add_argument("model", metavar="MODEL", help=model_help)
    form = tensors.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON")
    form.add_argument("--csv", action="store_true", help="as CSV")
    tensors.set_defaults(run=_tensors)
    compare = commands.add_parser("compare", help="two models side by side")
    compare.add_argument("first", metavar="A", help=model_help)
    compare.add_argument("second", metavar="B", help="the same")
    compare.add_argument(
        "--seq-len", type=int, metavar="T", help=f"sequence length (default: {DEFAULT_SEQ_LEN}, or the nearest)"
    )
    compare.add_argument("--json", action="store_true", help="as JSON")
    compare.set_defaults(run=_compare)
    checking = commands.add_parser(
        "check",
        help="a checkpoint on disk against a model; headers only",
        description="Hold the headers of a checkpoint against a model's tensors. Exit status: 0 where they are those "
        "of the model, 1 where they differ, 2 for bad input.",
    )
    checking.add_argument(
        "model",
        metavar="MODEL",
        nargs="?",
        help=model_help + "; left out: the config.json beside the checkpoint, else the catalogue's best fit",
    )
    checking.add_argument(
        "path", metavar="PATH", help="a .safetensors file, a *.safetensors.index.json, or a folder of them"
    )
    checking.add_argument("--json", action="store_true", help="as JSON")
    checking.set_defaults(run=_check)
    plot.add(commands, model_help)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, 1 where a check found differences, or 2 for bad input."""
    options = _parser().parse_args(arguments)
    status = 0
    try:
        result = options.run(options)
        text, status = result if isinstance(result, tuple) else (result, 0)
        if text is not None:
            print(text)
        sys.stdout.flush()
    except AnatomyError as error:
        print(f"anatomy: {output.plain_line(str(error))}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader (head, less) has what it wanted; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
