"""``anatomy tensors``: every tensor of a model, a line each, as JSON or as CSV."""

from __future__ import annotations

import argparse
import sys

from anatomy.commands import ask, output
from anatomy.report.document import stored, to_json
from anatomy.words.formatting import exact, shape

HEADS = ("name", "shape", "parameters", "part", "block")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    ask.model(parser)
    form = parser.add_mutually_exclusive_group()
    ask.as_json(form)
    form.add_argument("--csv", action="store_true", help="as CSV")


def run(options: argparse.Namespace) -> None:
    """Lines, JSON and CSV are all printed as they come, since they may be many."""
    model = output.model(options.model)
    if options.json:
        between = "["
        for t in model.tensors():
            sys.stdout.write(between + to_json(stored(t)))
            between = ", "
        print("]")
        return
    if options.csv:
        import csv

        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(HEADS)
        for t in model.tensors():
            writer.writerow((t.name, "x".join(map(str, t.shape)), t.parameters, t.part, t.block))
        return
    for t in model.tensors():
        print(f"{t.name}  {shape(t.shape)}  {exact(t.parameters)}  {t.part}")
