"""What ``anatomy show`` says in words of costs: passes, shortcuts, memory, what others print."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.model.switches import FULL, TYPES
from anatomy.model.terms import Number, rounded_up
from anatomy.report.anatomy import Anatomy
from anatomy.words.formatting import (
    exact,
    operations,
    short,
    significant,
    size_in_bytes,
)
from anatomy.words.naming import named
from anatomy.words.remarks import FIGURES, convention

Line = tuple[str, str, str]


def figures(anatomy: Anatomy) -> Iterator[Line]:
    """Lines of figures beside the headline ones: what, exactly, worded.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> next(figures(describe(anatomy.load("gpt2"), 1024)))
    ('decode step, cache of 1,024', '284,812,800', '0.28 G')
    """
    costs, steps = anatomy.costs, anatomy.decode_steps
    if steps:
        yield _flops(f"decode step, cache of {exact(anatomy.seq_len)}", steps[FULL].per_pass)
        yield _flops("prefill, logits of the last token only", anatomy.sampling.per_pass)
    yield _flops("training step", anatomy.training_step.per_pass)
    yield _flops("training step, recomputing", anatomy.recomputing_step.per_pass)
    yield _flops("2N shortcut for the pass", costs.shortcut.value)
    overtakes = costs.overtakes
    yield "attention overtakes at T", "never" if overtakes is None else exact(overtakes), ""
    for dtype in TYPES:
        yield _bytes(f"weights in {dtype}", costs.weights(dtype).result)
    yield _bytes("peak activation of a layer (bf16)", costs.peak()[1].result)


def _flops(label: str, value: Number) -> Line:
    return label, exact(int(value)), operations(value)


def _bytes(label: str, value: Number) -> Line:
    size = rounded_up(value)
    return label, exact(size), f"{size_in_bytes(size)} = {size_in_bytes(size, binary=True)}"


def others(anatomy: Anatomy) -> Iterator[Line]:
    """What other conventions print, then the sizes in the model's name beside the true ones."""
    for one in anatomy.others:
        title, _ = convention(one.id, one.binary)
        value = significant(one.value) if one.binary else exact(round(one.value))
        yield FIGURES[one.figure], title, value
    for found in named(anatomy.model.name, anatomy.model):
        yield "in its name", found.claim.written, f"truly {short(found.true)}"
