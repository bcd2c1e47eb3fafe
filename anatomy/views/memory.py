"""What a model takes in memory: weights by number type, KV cache, the peak activation of one layer; GB and GiB both."""

from __future__ import annotations

from anatomy.model.switches import SMALL, TYPES
from anatomy.model.terms import Number, rounded_up
from anatomy.report.costs import Costs
from anatomy.views import curves
from anatomy.views.drawing.plot import drawn
from anatomy.views.markup import (
    Child,
    Safe,
    data,
    join,
    tag,
)
from anatomy.views.wording import inside
from anatomy.views.workings import disclosed, formula
from anatomy.visit.state import State
from anatomy.words import labels
from anatomy.words.formatting import exact, size_in_bytes
from anatomy.words.remarks import DTYPES

KEPT = (
    "The matrices of attention, MLP and experts are stored in this type; embeddings, unembedding, router, norms and "
    "biases stay in 16 bits, as formats of 8 and 4 bits keep them. Scales and zero points come on top."
)


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
            tag("div", {"class": "ledger"}, [_weights(costs, dtype) for dtype in TYPES]),
            style="working fold",
        ),
        cached if plot else None,
    )


def _said(state: State) -> list[Child]:
    costs = state.costs
    needed = costs.needed.result
    sequences = f"{exact(costs.options.batch)} sequence{'' if costs.options.batch == 1 else 's'}"
    return [
        f"To run {state.loaded.name} on {sequences} of {exact(state.seq_len)} takes at least ",
        data(needed, size_in_bytes(rounded_up(needed))),
        f" ({size_in_bytes(rounded_up(needed), binary=True)}): weights"
        + (", KV cache" if costs.kv_cache else "")
        + " and the peak activation of one layer. MB and GB are powers of 1,000, MiB and GiB powers of 1,024.",
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
    (step, eager), (fused_step, fused) = costs.peak(), costs.peak(fused=True)
    numbers = f" Numbers in {costs.activations_in}."
    said = (
        "In prefill a block holds the residual stream, what the step at hand reads and what it writes; the largest "
        "step is in "
    )
    found = [
        _entry(
            "peak",
            "Peak activation of one layer, scores written out",
            eager.result,
            tag(
                "p",
                {"class": "reading"},
                said,
                f"{inside(labels.usual(step.part))}.",
                numbers,
            ),
            formula(eager, "bytes"),
        )
    ]
    if fused.result != eager.result:
        why = "A fused kernel (FlashAttention) never writes the scores out. " + said
        found.append(
            _entry(
                "peak-fused",
                "with a fused attention kernel",
                fused.result,
                tag("p", {"class": "reading"}, why, f"{inside(labels.usual(fused_step.part))}."),
                formula(fused, "bytes"),
            )
        )
    return found


def _weights(costs: Costs, dtype: str) -> Safe:
    working, chosen = costs.weights(dtype), dtype == costs.options.weights
    name: list[Child] = [DTYPES[dtype], tag("span", {"class": "more"}, "chosen") if chosen else None]
    body: list[Child] = [formula(working, "bytes")]
    if dtype in SMALL:
        plain = costs.weights(dtype, mixed=False)
        body = [
            tag("p", {"class": "reading"}, KEPT),
            *body,
            tag("p", {"class": "reading"}, f"Every parameter in {dtype}, as some estimates have it:"),
            formula(plain, "bytes"),
        ]
    return _entry(f"weights-{dtype}", name, working.result, *body, current=chosen)
