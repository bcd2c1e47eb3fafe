"""What ``anatomy show`` says in words of costs: passes, shortcuts, memory, what others print."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.counts import (
    decoding,
    flops,
    memory,
    training,
)
from anatomy.counts.costs import costs
from anatomy.model.switches import DEFAULT, LAST, TYPES
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
    model, seq_len = anatomy.model, anatomy.seq_len
    found = costs(model, seq_len, DEFAULT)
    if model.decodes:
        yield _flops(f"decode step, cache of {exact(seq_len)}", decoding.step(model, seq_len).per_pass)
        sampling = flops.forward(model, seq_len, unembedding=LAST)
        yield _flops("prefill, logits of the last token only", sampling.per_pass)
    yield _flops("training step", training.step(model, seq_len).per_pass)
    yield _flops("training step, recomputing", training.step(model, seq_len, recomputing=True).per_pass)
    yield _flops("2N shortcut for the pass", found.shortcut.value)
    overtakes = found.overtakes
    yield "attention overtakes at T", "never" if overtakes is None else exact(overtakes), ""
    for dtype in TYPES:
        yield _bytes(f"weights in {dtype}", memory.weights_bytes(model, dtype, mixed=True))
    yield _bytes("peak activation of a layer (bf16)", found.peak()[1].result)


def _flops(label: str, value: Number) -> Line:
    return label, exact(int(value)), operations(value)


def _bytes(label: str, value: Number) -> Line:
    size = rounded_up(value)
    return label, exact(size), f"{size_in_bytes(size)} = {size_in_bytes(size, binary=True)}"


def others(anatomy: Anatomy) -> Iterator[Line]:
    """What other conventions print, then the sizes in the model's name beside the true ones."""
    for one in costs(anatomy.model, anatomy.seq_len, DEFAULT).others:
        title, _ = convention(one.id, one.binary)
        value = significant(one.value) if one.binary else exact(round(one.value))
        yield FIGURES[one.figure], title, value
    for found in named(anatomy.model.name, anatomy.model):
        yield "in its name", found.claim.written, f"truly {short(found.true)}"
