"""Why two tools disagree: what the usual other conventions would print for the same model, each with its working.

Each is what some calculator in use does; the sentence that belongs to its id says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from anatomy import flops, memory, parameters
from anatomy.decoding import decodes
from anatomy.flops import MIXING, SCORES, Flops
from anatomy.shortcuts import twelve_l_d_squared, two_n
from anatomy.tensors import Attention, Model
from anatomy.terms import Factor, Number, Term, total, whole
from anatomy.working import Working, divided

PARAMETERS, FLOPS, KV_CACHE, WEIGHTS = "parameters", "flops", "kv-cache", "weights"
GIBI = Factor("bytes in a GiB", 2**30)
HALF = Factor("half", Fraction(1, 2))


@dataclass(frozen=True, slots=True)
class Convention:
    """Another convention for a figure: its id, ours, its number with the working; ``gigabytes`` that are really GiB."""

    figure: str
    id: str
    ours: Number
    working: Working
    gigabytes: bool = False

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
    return tuple(one for one in found if one.gigabytes or one.value != one.ours)


def _parameters(model: Model) -> Iterator[Convention]:
    def other(convention: str, terms: Iterable[Term]) -> Convention:
        listed = tuple(terms)
        return Convention(PARAMETERS, convention, model.parameters, Working(convention, listed, total(listed)))

    held = [row for row in model.rows if row.parameters]
    every = parameters.of_model(model)
    yield other("no-embeddings", parameters.of_blocks(model))
    yield other("no-unembedding", (parameters.term(row) for row in held if row.group != "unembedding"))
    yield other("tied-twice", (*every, *(parameters.term(row) for row in model.rows if row.tied_to)))
    yield other("buffers", (*every, *(parameters.term(row) for row in model.rows if row.buffer)))
    yield other("active", parameters.active(model))
    tables = [row for row in held if row.part.endswith("embedding/token")]
    if model.traits.experts_per_token:
        yield other("active-no-table", (parameters.active_term(row) for row in held if row not in tables))
    yield other("twelve", twelve_l_d_squared(model).terms)


def _flops(model: Model, seq_len: int) -> Iterator[Convention]:
    ours = flops.forward(model, seq_len)
    tokens = Factor("tokens", seq_len, "tokens")

    def other(convention: str, terms: Iterable[Term], over: Factor | None = tokens) -> Convention:
        listed = tuple(terms)
        result = divided(total(listed), over)
        return Convention(FLOPS, convention, ours.per_token, Working(convention, listed, result, over))

    yield other("macs", (replace(term, factors=term.factors[1:]) for term in ours.terms))
    looking_back = {flops.part_path(model, record) for record in model.attention if record.causal}
    yield other(
        "causal-half",
        (term.times(HALF) if _square(term) and term.part in looking_back else term for term in ours.terms),
    )
    yield other("causal", flops.forward(model, seq_len, flops.CAUSAL).terms)
    yield other("no-square", (term for term in ours.terms if not _square(term)))
    yield other("flops-no-unembedding", (term for term in ours.terms if term.part.rsplit("/", 1)[-1] != "unembedding"))
    if decodes(model):
        yield other("last-only", flops.forward(model, seq_len, unembedding=flops.LAST).terms)
    yield other("two-n", two_n(model, ours).terms)
    yield other("all-experts", _all_experts(model, ours))
    looked_up = [row for row in model.rows if row.part.endswith("embedding/token") and not row.matrices]
    if looked_up:
        charged = (parameters.term(row).times(flops.MULTIPLY_ADD, tokens) for row in looked_up)
        yield other("look-up", (*ours.terms, *charged))
    yield other("whole-pass", ours.terms, None)


def _square(term: Term) -> bool:
    return term.label in (SCORES, MIXING)


def _all_experts(model: Model, run: Flops) -> Iterator[Term]:
    shares = {(row.part, row.blocks): row.share for row in model.rows if row.share != 1}
    for term in run.terms:
        share = shares.get((term.part, term.blocks))
        yield term if share is None else replace(term, factors=tuple(_of_all(one, share) for one in term.factors))


def _of_all(factor: Factor, share: Fraction) -> Factor:
    if factor.label != "experts used":
        return factor
    return Factor("experts", whole(factor.value * Fraction(share.denominator, share.numerator)), "experts")


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
    yield _in_gibi(KV_CACHE, ours)


def _every_head(record: Attention) -> Attention:
    return record if record.latent is not None else replace(record, kv_heads=record.query_heads)


def _without_two(factors: tuple[Factor, ...]) -> tuple[Factor, ...]:
    return tuple(factor for factor in factors if factor.label != "keys and values")


def _weights(model: Model) -> Iterator[Convention]:
    ours = memory.weights(model, "bf16")
    full = memory.weights(model, "fp32")
    yield Convention(WEIGHTS, "fp32", total(ours), Working("fp32", full, total(full)))
    yield _in_gibi(WEIGHTS, ours)


def _in_gibi(figure: str, terms: tuple[Term, ...]) -> Convention:
    result = divided(total(terms), GIBI)
    return Convention(figure, "gib", total(terms), Working("gib", terms, result, GIBI), gigabytes=True)
