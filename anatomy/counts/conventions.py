"""Why two tools disagree: what the usual other conventions would print for the same model, each with its working.

Each is what some calculator in use does; the sentence that belongs to its id says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from anatomy.counts import flops, memory, parameters
from anatomy.counts.flops import MIXING, SCORES, Flops
from anatomy.counts.shortcuts import less, twelve_l_d_squared
from anatomy.model.architecture import Attention
from anatomy.model.parts import stack_of
from anatomy.model.rows import Model, Row
from anatomy.model.switches import CAUSAL, LAST, WINDOWS
from anatomy.model.terms import (
    ByPart,
    Factor,
    Number,
    Term,
    total,
    whole,
)
from anatomy.words.remarks import FLOPS, KV_CACHE, PARAMETERS, WEIGHTS
from anatomy.words.working import Working, divided

BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
HALF = Factor("half", Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class Convention:
    """Another convention for a figure: its number with the working; ``binary`` is a unit that it calls decimal."""

    figure: str
    id: str
    ours: Number
    working: Working
    binary: str = ""

    @property
    def value(self) -> Number:
        """What that convention prints."""
        return self.working.result


def others(model: Model, seq_len: int) -> tuple[Convention, ...]:
    """The conventions that give another number than ours for this model at this T.

    >>> import anatomy
    >>> found = others(anatomy.load("gpt2"), 8)
    >>> [(one.id, one.value) for one in found if one.figure == "parameters"]
    [('no-embeddings', 85056000), ('tied-twice', 163037184), ('twelve', 84934656)]
    """
    found = (*_parameters(model), *_flops(model, seq_len), *_kv_cache(model, seq_len), *_weights(model))
    return tuple(one for one in found if one.binary or one.value != one.ours)


def _parameters(model: Model) -> Iterator[Convention]:
    ours = _figure("all parameters", model.parameters)

    def other(convention: str, *terms: Term) -> Convention:
        return Convention(PARAMETERS, convention, model.parameters, Working(convention, terms, total(terms)))

    held = [row for row in model.rows if row.parameters]
    outside = [parameters.term(row) for row in held if row.group in ("embeddings", "unembedding")]
    unembedding = [parameters.term(row) for row in held if row.group == "unembedding"]
    unused = [_unused(row) for row in held if row.share != 1]
    tables = [parameters.term(row) for row in held if row.part.endswith("embedding/token")]
    yield other("no-embeddings", ours, *map(less, outside))
    yield other("no-unembedding", ours, *map(less, unembedding))
    yield other("tied-twice", ours, *(parameters.term(row) for row in model.rows if row.tied_to))
    yield other("buffers", ours, *(parameters.term(row) for row in model.rows if row.buffer))
    yield other("active", ours, *map(less, unused))
    if unused:
        yield other("active-no-table", ours, *map(less, [*unused, *tables]))
    yield other("twelve", *twelve_l_d_squared(model).terms)


def _figure(label: str, value: int) -> Term:
    """One of our own figures, from which another convention starts; it has a working of its own elsewhere."""
    return Term(label, "", (), (Factor(label, value),))


def _unused(row: Row) -> Term:
    return parameters.term(row).times(Factor("share of the experts not used", 1 - row.share, "of the experts"))


def _flops(model: Model, seq_len: int) -> Iterator[Convention]:
    run = flops.forward(model, seq_len)
    ours = _figure("FLOPs of the pass", run.per_pass)
    tokens = Factor("tokens", seq_len, "tokens")

    def other(convention: str, *terms: Term, over: Factor | None = tokens) -> Convention:
        working = Working(convention, terms, divided(total(terms), over), over)
        return Convention(FLOPS, convention, run.per_token, working)

    square = [term for term in run.terms if term.label in (SCORES, MIXING)]
    looking_back = {flops.part_path(model, record) for record in model.attention if record.causal}
    masked = [term for term in square if term.part in looking_back]
    triangle = [term for term in flops.forward(model, seq_len, CAUSAL).terms if term.label in (SCORES, MIXING)]
    bands = [term for term in flops.forward(model, seq_len, WINDOWS).terms if term.label in (SCORES, MIXING)]
    yield other("macs", ours.times(HALF))
    yield other("windows", ours, *map(less, square), *bands)
    yield other("causal-half", ours, *(less(term.times(HALF)) for term in masked))
    yield other("causal", ours, *map(less, masked), *(term for term in triangle if term.part in looking_back))
    yield other("no-square", ours, *map(less, square))
    last = [term for term in run.terms if term.part.rsplit("/", 1)[-1] == "unembedding"]
    yield other("flops-no-unembedding", ours, *map(less, last))
    if model.decodes:
        at_last = ByPart(flops.forward(model, seq_len, unembedding=LAST).terms)
        at_one = at_last.of("unembedding", stack_of(last[0].part) if last else None, None)
        yield other("last-only", ours, *map(less, last), *at_one)
    in_use = Factor("parameters in use", model.active_parameters, "parameters")
    yield other("two-n", Term("2N", "", (), (Factor("2 per parameter", 2), in_use, tokens)))
    yield other("all-experts", ours, *_all_experts(model, run))
    tables = [row for row in model.rows if row.part.endswith("embedding/token") and not row.matrices]
    # A table that both stacks share is looked up in each of them, and not once more where it is stored.
    looked_up = [row for row in tables if row.stack or len(model.stacks) == 1]
    yield other("look-up", ours, *(parameters.term(row).times(flops.MULTIPLY_ADD, tokens) for row in looked_up))
    yield other("whole-pass", ours, over=None)


def _all_experts(model: Model, run: Flops) -> Iterator[Term]:
    shares = {(row.part, row.blocks): row.share for row in model.rows if row.share != 1}
    for term in run.terms:
        share = shares.get((term.part, term.blocks))
        if share is not None:
            # What the others would cost, from what the experts used cost.
            yield replace(term, factors=tuple(_of_others(factor, share) for factor in term.factors))


def _of_others(factor: Factor, share: Fraction) -> Factor:
    if factor.label != "experts used":
        return factor
    every = whole(factor.value * Fraction(share.denominator, share.numerator))
    return Factor("experts not used", every - factor.value, "experts")


def _kv_cache(model: Model, seq_len: int) -> Iterator[Convention]:
    ours = memory.kv_cache(model, seq_len)
    if not ours:
        return
    size = memory.size_of("bf16")

    def other(convention: str, change: Callable[[Attention], Attention]) -> Convention:
        terms = tuple(
            term for record in memory.cached(model) for term in memory.kept(model, change(record), seq_len, (size,))
        )
        return Convention(KV_CACHE, convention, total(ours), Working(convention, terms, total(terms)))

    yield other("query-heads", _every_head)
    yield other("no-window", lambda record: replace(record, window=None, chunk=None))
    yield other("expanded", lambda record: replace(record, latent=None, rotary=None))
    halves = tuple(replace(term, factors=_without_two(term.factors)) for term in ours)
    yield Convention(KV_CACHE, "one-of-two", total(ours), Working("one-of-two", halves, total(halves)))
    yield from _in_binary(KV_CACHE, ours)


def _every_head(record: Attention) -> Attention:
    return record if record.latent is not None else replace(record, kv_heads=record.query_heads)


def _without_two(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
    return tuple(factor for factor in factors if factor.label != "keys and values")


def _weights(model: Model) -> Iterator[Convention]:
    ours = memory.weights(model, "bf16")
    full = memory.weights(model, "fp32")
    yield Convention(WEIGHTS, "fp32", total(ours), Working("fp32", full, total(full)))
    yield from _in_binary(WEIGHTS, ours)


def _in_binary(figure: str, terms: tuple[Term, ...]) -> Iterator[Convention]:
    ours = total(terms)
    for size, unit in BINARY:
        if ours >= size:
            over = Factor(f"bytes in a {unit}", size)
            yield Convention(figure, "binary", ours, Working(unit, terms, divided(ours, over), over), binary=unit)
            return
