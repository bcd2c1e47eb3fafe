"""``anatomy show``: the whole anatomy of a model, as text or as JSON."""

from __future__ import annotations

import argparse

from anatomy.commands import ask, costs, output
from anatomy.commands.output import aligned
from anatomy.model.switches import DEFAULT, Options
from anatomy.reading.refusals import plain_line
from anatomy.report.anatomy import Anatomy, default_seq_len, describe
from anatomy.words.formatting import (
    exact,
    percent,
    rounded,
    shape,
    short,
)
from anatomy.words.labels import without


def arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes."""
    ask.model(parser)
    ask.seq_len(parser)
    ask.costs(parser)
    ask.as_json(parser)


def run(options: argparse.Namespace) -> str:
    """The anatomy at the sequence length that is asked for, else at the legal one nearest to the default.

    Raises ``AnatomyError`` for a length, a batch or a number type that is none.
    """
    chosen = ask.chosen_costs(options)
    model = output.model(options.model)
    anatomy = describe(model, default_seq_len(model) if options.seq_len is None else options.seq_len)
    if options.json:
        from anatomy.report.document import as_dict, to_json  # here, since text is what is mostly asked for

        return to_json(as_dict(anatomy, chosen))
    return in_words(anatomy, chosen)


def in_words(anatomy: Anatomy, options: Options = DEFAULT) -> str:
    """The anatomy as text: figures, groups, parts, and what others print."""
    model = anatomy.model
    stacks = ", ".join(f"{exact(stack.blocks)} {stack.id} blocks" for stack in model.stacks)
    context = f"context {exact(model.context)}" if model.context else "no context limit of its own"
    figures = [
        ("parameters", exact(model.parameters), short(model.parameters)),
        ("without embeddings", exact(model.parameters_without_embeddings), short(model.parameters_without_embeddings)),
    ]
    if model.active_parameters != model.parameters:
        figures.append(("active", exact(model.active_parameters), short(model.active_parameters)))
    figures += costs.figures(anatomy, options)
    groups = [(group.label, exact(group.parameters), percent(group.share)) for group in anatomy.groups]
    inexact = rounded(group.share for group in anatomy.groups)
    groups.append(("total", exact(model.parameters), "100%, rounded" if inexact else "100%"))
    parts = [("part", "blocks", "what it is", "parameters", "weights")]
    for part in anatomy.parts:
        weights = ", ".join(
            f"{weight.symbol} {shape(weight.shape)}" + (f" (x {exact(weight.count)})" if weight.count > 1 else "")
            for weight in part.weights
        )
        where = part.blocks_label or ""
        name = f"{part.stack} {part.id}" if model.named_stack(part.stack) else part.id
        parts.append((name, where, part.label, exact(part.parameters), weights))
    name = plain_line(model.name)
    named = f"{name} ({model.model_type}, {model.architecture}){without(model)}"
    lines = [f"{named}: {stacks}, width {exact(model.width)}, {context}"]
    if model.defaults:
        lines.append("defaults used: " + ", ".join(f"{key} = {value}" for key, value in model.defaults.items()))
    others = [("figure", "by another convention", "prints"), *costs.others(anatomy)]
    lines += ["", aligned(figures, frozenset({1, 2})), "", aligned(groups, frozenset({1, 2})), ""]
    return "\n".join([*lines, aligned(parts, frozenset({3})), "", aligned(others, frozenset({2}))])
