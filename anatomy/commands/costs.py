"""What ``anatomy show`` says in words of costs: passes, shortcuts, memory, what others print."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.model.switches import DEFAULT, RELEASED, SMALL, TYPES, Options
from anatomy.model.terms import Number, rounded_up
from anatomy.report.anatomy import Anatomy, Costs
from anatomy.words.formatting import (
    exact,
    operations,
    short,
    significant,
    size_in_bytes,
)
from anatomy.words.naming import named
from anatomy.words.remarks import FIGURES, convention, released

Line = tuple[str, str, str]


def figures(anatomy: Anatomy, options: Options = DEFAULT) -> Iterator[Line]:
    """Lines of figures beside the parameters: what, exactly, worded; memory as the switches say.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> next(figures(describe(anatomy.load("gpt2"), 1024)))
    ('forward FLOPs, T = 1,024, full square', '291,648,307,200', '292 G')
    """
    costs, step = anatomy.under(options), anatomy.decode_step
    yield _flops(f"forward FLOPs, T = {exact(anatomy.seq_len)}, full square", anatomy.full.per_pass)
    yield "per token, full square", "", operations(anatomy.full.per_token)
    windows = anatomy.windows.per_pass != anatomy.full.per_pass
    if windows:
        yield _flops("forward FLOPs by windows", anatomy.windows.per_pass)
    if anatomy.causal.per_pass != anatomy.full.per_pass:
        yield _flops("forward FLOPs, causal", anatomy.causal.per_pass)
    if step:
        yield _flops(f"decode step, cache of {exact(anatomy.seq_len)}", step.per_pass)
        yield _flops("prefill, logits of the last token only", anatomy.sampling.per_pass)
    yield _flops("training step, full square", anatomy.training_step.per_pass)
    if windows:
        yield _flops("training step by windows", anatomy.training_by_windows.per_pass)
    yield _flops("training step, recomputing", anatomy.recomputing_step.per_pass)
    yield _flops("2N shortcut for the pass", costs.shortcut.value)
    overtakes = costs.overtakes
    yield "attention overtakes at T", "never" if overtakes is None else exact(overtakes), ""
    yield from _memory(costs)


def _memory(costs: Costs) -> Iterator[Line]:
    cache, growth, many = costs.kv_cache, costs.kv_per_token, costs.options.batch
    sequences = f", {exact(many)} sequences" if many > 1 else ""
    if cache and growth:
        yield _bytes(f"KV cache bytes ({costs.options.cache}{sequences})", cache.result)
        yield _bytes(f"KV cache bytes per token ({costs.options.cache})", growth.result)
    stored = released(costs.model.storage, costs.released_by_type is not None)
    chosen = costs.options.weights
    yield _bytes(f"weights as released ({stored})", costs.weights(RELEASED).result)
    for dtype in TYPES:
        floor = ", a floor" if dtype in SMALL else ""
        yield _bytes(f"weights in {dtype}{floor}", costs.weights(dtype).result)
    inner = costs.activations_in
    yield _bytes(f"peak activation of a layer ({inner}{sequences})", costs.peak()[1].result)
    yield _bytes("the same with scores written out", costs.peak(fused=False)[1].result)
    words = "as released" if chosen == RELEASED else f"in {chosen}"
    yield _bytes(f"together, about (weights {words})", costs.needed.result)


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
