"""``anatomy list``: the catalogue, as a table or as JSON."""

from __future__ import annotations

import argparse

from anatomy import catalog
from anatomy.commands import ask
from anatomy.commands.output import aligned
from anatomy.report.document import listed, to_json
from anatomy.words.formatting import exact
from anatomy.words.labels import without


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    ask.as_json(parser)


def run(options: argparse.Namespace) -> str:
    """Every entry with its total."""
    found = [(entry, catalog.load(entry.slug)) for entry in catalog.entries().values()]
    if options.json:
        return to_json([listed(entry, model) for entry, model in found])
    head = ("slug", "name", "maker", "released", "parameters", "")
    rows = [(e.slug, e.name, e.maker, e.released, exact(m.parameters), without(m).strip()) for e, m in found]
    return aligned([head, *rows], frozenset({4}))
