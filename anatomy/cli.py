"""The command line: ``list``, ``show``, ``tensors``, ``plot``; bad input is one line on standard error and status 2."""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

from anatomy import __version__, catalog, cli_costs, cli_plot
from anatomy.catalog import LoadedModel
from anatomy.config import MAX_BYTES, AnatomyError, ConfigError
from anatomy.formatting import exact, giga, percent, shape, short, size_in_bytes
from anatomy.report import Anatomy, as_dict, default_seq_len, describe, to_json

BAD_INPUT = 2


def _model(name: str) -> LoadedModel:
    if name != "-":
        return catalog.load(name)
    raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        return catalog.parse(raw.decode("utf-8"), "standard input")
    except UnicodeDecodeError:
        accepted = "a config.json in UTF-8"
        raise ConfigError("standard input", None, "bytes that are no UTF-8", accepted) from None


def _aligned(rows: Iterable[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    listed = [tuple(row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)] if listed else []
    lines = []
    for row in listed:
        cells = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


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
    return _aligned([head, *rows], frozenset({4}))


def _show(options: argparse.Namespace) -> str:
    model = _model(options.model)
    seq_len = default_seq_len(model) if options.seq_len is None else options.seq_len
    anatomy = describe(model, seq_len)
    return to_json(as_dict(anatomy)) if options.json else _described(anatomy)


def _described(anatomy: Anatomy) -> str:
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
    figures += cli_costs.figures(anatomy)
    groups = [(group.label, exact(group.parameters), percent(group.share)) for group in anatomy.groups]
    parts = [("part", "blocks", "parameters", "weights")]
    for part in anatomy.parts:
        weights = ", ".join(
            f"{weight.symbol} {shape(weight.shape)}" + (f" (x {exact(weight.count)})" if weight.count > 1 else "")
            for weight in part.weights
        )
        where = part.blocks_label or ""
        name = f"{part.stack} {part.id}" if len(model.stacks) > 1 and part.stack else part.id
        parts.append((name, where, exact(part.parameters), weights))
    lines = [
        f"{model.name} ({model.model_type}, {model.architecture}): {stacks}, width {exact(model.width)}, {context}"
    ]
    if model.defaults:
        lines.append("defaults used: " + ", ".join(f"{key} = {value}" for key, value in model.defaults.items()))
    lines += ["", _aligned(figures, frozenset({1, 2})), "", _aligned(groups, frozenset({1, 2})), ""]
    others = _aligned([("figure", "by another convention", "prints"), *cli_costs.others(anatomy)], frozenset({2}))
    return "\n".join([*lines, _aligned(parts, frozenset({2})), "", others])


def _tensors(options: argparse.Namespace) -> str | None:
    model = _model(options.model)
    keys = ("name", "shape", "parameters", "part", "block")
    if options.json:
        return to_json(
            [
                dict(zip(keys, (t.name, list(t.shape), t.parameters, t.part, t.block), strict=True))
                for t in model.tensors()
            ]
        )
    if options.csv:
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


class _Parser(argparse.ArgumentParser):
    """argparse, but a wrong call is one line."""

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
    show.add_argument("--seq-len", type=int, metavar="T", help="sequence length (default: 8)")
    show.add_argument("--json", action="store_true", help="as JSON")
    show.set_defaults(run=_show)
    tensors = commands.add_parser("tensors", help="every tensor: name, shape, parameters, part, block")
    tensors.add_argument("model", metavar="MODEL", help=model_help)
    form = tensors.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON")
    form.add_argument("--csv", action="store_true", help="as CSV")
    tensors.set_defaults(run=_tensors)
    cli_plot.add(commands, _model, model_help)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status is 0, or 2 for bad input."""
    options = _parser().parse_args(arguments)
    try:
        text = options.run(options)
        if text is not None:
            print(text)
        sys.stdout.flush()
    except AnatomyError as error:
        print(f"anatomy: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        # The reader (head, less) has what it wanted; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
