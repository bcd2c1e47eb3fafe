"""What a model takes in memory: weights by number type, KV cache, the peak activation of one layer; GB and GiB both."""

from __future__ import annotations

from anatomy.model.blocks import count
from anatomy.model.switches import (
    DECODE,
    PREFILL,
    RECOMPUTE,
    RELEASED,
    SMALL,
    TRAIN,
    TYPES,
)
from anatomy.model.terms import Number, rounded_up
from anatomy.report.costs import Costs, Step
from anatomy.views import curves
from anatomy.views.drawing.plot import drawn
from anatomy.views.markup import (
    Child,
    Safe,
    data,
    join,
    symbol,
    tag,
)
from anatomy.views.wording import inside
from anatomy.views.workings import disclosed, formula
from anatomy.visit.state import State
from anatomy.words import labels
from anatomy.words.formatting import exact, size_in_bytes
from anatomy.words.remarks import DTYPES, LEFT_OUT, released

KEPT = (
    "The matrices of attention, MLP and experts are stored in this type; embeddings, unembedding, router, norms and "
    "biases stay in 16 bits, as formats of 8 and 4 bits keep them. Scales and zero points come on top: this is a floor."
)
# What a run does, before the word "takes".
_DOING = {
    PREFILL: "To run {name} on {sequences} of {length}",
    DECODE: "To write token {length} of {sequences} with {name}",
    TRAIN: "A training step of {name} on {sequences} of {length}",
    RECOMPUTE: "A recomputing training step of {name} on {sequences} of {length}",
}
# What a step of a block holds, in words.
HELD = {
    "stream": "the residual stream",
    "input": "its normalised input",
}


def view(state: State) -> Safe:
    """The section: the sum, what makes it up, the curve of the cache.

    >>> '<data value="248879616">249 MB</data>' in view(State())
    True
    """
    costs = state.costs
    plot = curves.cache_plot(costs)
    cached = [
        tag("p", {"class": "reading"}, curves.cache_said(costs)),
        disclosed(
            "w-cache-curve",
            ["KV cache against ", tag("i", None, "T")],
            tag("figure", {"id": "cache-plot"}, drawn(plot)) if plot else None,
            curves.cache_table(costs),
            style="working fold",
        ),
    ]
    return join(
        tag("h3", {"id": "memory-title"}, "Memory"),
        tag("p", {"class": "reading"}, _said(state)),
        tag("div", {"class": "ledger"}, _needed(costs), _cache(costs), _peak(costs)),
        disclosed(
            "w-types",
            "Weights by number type",
            tag("div", {"class": "ledger"}, [_weights(costs, dtype) for dtype in (RELEASED, *TYPES)]),
            style="working fold",
        ),
        cached if plot and costs.serves else None,
    )


def _said(state: State) -> list[Child]:
    costs = state.costs
    options, needed = costs.options, costs.needed.result
    sequences = f"{exact(options.batch)} sequence{'' if options.batch == 1 else 's'}"
    cache = ", KV cache" if costs.kv_cache and costs.serves else ""
    stored = released(costs.model.storage, costs.released_by_type is not None)
    floor = ", a floor" if options.weights in SMALL else ""
    weights = stored if options.weights == RELEASED else options.weights + floor
    training = (
        "" if costs.serves else ", and what training keeps besides: gradients, optimizer, other layers’ activations"
    )
    return [
        f"{_DOING[options.run].format(name=state.loaded.name, sequences=sequences, length=exact(state.seq_len))} ",
        "takes about ",
        data(needed, size_in_bytes(rounded_up(needed))),
        f" ({size_in_bytes(rounded_up(needed), binary=True)}): weights ({weights}){cache}, the peak activation "
        f"of one layer, attention fused. Left out: {LEFT_OUT}{training}.",
    ]


def _entry(ident: str, name: Child, bytes_: Number, *body: Child, current: bool = False) -> Safe:
    size = rounded_up(bytes_)
    summary = [
        tag("span", {"class": "name"}, name),
        tag("span", {"class": "exact"}, exact(size)),
        tag("span", {"class": "size"}, data(size, size_in_bytes(size)), f" · {size_in_bytes(size, binary=True)}"),
    ]
    up = tag("p", None, "Half a byte takes a whole one.") if size != bytes_ else None
    return disclosed(f"w-{ident}", summary, *body, up, current=current)


def _needed(costs: Costs) -> Safe:
    working = costs.needed
    return _entry("needed", "All together", working.result, formula(working, "bytes"))


def _cache(costs: Costs) -> list[Safe]:
    per_token, cache = costs.kv_per_token, costs.kv_cache
    if cache is None:
        return [
            tag("p", None, "It keeps no KV cache: every position is seen at once, and nothing is written after it.")
        ]
    length = exact(costs.seq_len)
    if not costs.serves:
        return [tag("p", None, "A training step keeps no KV cache: all positions go through at once.")]
    found = []
    if per_token is not None:
        name = "KV cache, growth per token of one sequence"
        found.append(_entry("kv-token", name, per_token.result, formula(per_token, "bytes")))
    name = f"KV cache at T = {length}"
    found.append(_entry("kv", name, cache.result, formula(cache, "bytes")))
    kinds = costs.kv_kinds
    for number, (record, working) in enumerate(kinds if len(kinds) > 1 else ()):
        name = f"of which {curves.layer_kind(record)}"
        found.append(_entry(f"kv-{number}", name, working.result, formula(working, "bytes")))
    return found


def _peak(costs: Costs) -> list[Safe]:
    (step, fused), (eager_step, eager) = costs.peak(), costs.peak(fused=False)
    found = [_entry("peak", "Peak activation of one layer", fused.result, _holds(costs, step), formula(fused, "bytes"))]
    if eager.result != fused.result:
        why = "Eager code writes the scores of all heads out; a fused kernel (FlashAttention) never does. "
        body = (_holds(costs, eager_step, why), formula(eager, "bytes"))
        found.append(_entry("peak-eager", "with the scores written out", eager.result, *body))
    return found


def _holds(costs: Costs, step: Step, why: str = "") -> Safe:
    """Of which layers the peak is, and what they hold then."""
    many = sum(stack.blocks for stack in costs.model.stacks)
    blocks = count(step.blocks)
    which = "every block" if blocks == many else f"{exact(blocks)} of {exact(many)} blocks"
    held = ", ".join(HELD.get(term.label) or term.label.replace("hidden, ", "the outputs of ") for term in step.terms)
    passing = "for the one token of a decode step" if costs.options.run == DECODE else "for all tokens"
    said = f"It is reached in the {inside(labels.usual(step.part))} of {which}, which holds there {passing}: "
    return tag("p", {"class": "reading"}, why, said, symbol(held), f". Numbers in {costs.activations_in}.")


def _weights(costs: Costs, dtype: str) -> Safe:
    working, chosen = costs.weights(dtype), dtype == costs.options.weights
    name: list[Child] = [DTYPES[dtype], tag("span", {"class": "more"}, "chosen") if chosen else None]
    body: list[Child] = [formula(working, "bytes")]
    if dtype == RELEASED:
        stored = released(costs.model.storage, costs.released_by_type is not None)
        body = [tag("p", {"class": "reading"}, f"As the published configuration says: {stored}."), *body]
    if dtype in SMALL:
        plain = costs.weights(dtype, mixed=False)
        body = [
            tag("p", {"class": "reading"}, KEPT),
            *body,
            tag("p", {"class": "reading"}, f"Every parameter in {dtype}, as some estimates have it:"),
            formula(plain, "bytes"),
        ]
    return _entry(f"weights-{dtype}", name, working.result, *body, current=chosen)
