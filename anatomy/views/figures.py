"""The headline figures, each with the convention that it follows."""

from __future__ import annotations

from typing import NamedTuple

from anatomy.model.switches import CAUSAL, FULL, WINDOWS
from anatomy.model.terms import Number
from anatomy.report.anatomy import CACHE_DTYPE
from anatomy.views.markup import (
    Child,
    Safe,
    data,
    join,
    tag,
)
from anatomy.views.workings import disclosed, formula
from anatomy.visit.state import State
from anatomy.words.formatting import (
    exact,
    operations,
    short,
    size_in_bytes,
)
from anatomy.words.labels import without
from anatomy.words.remarks import SQUARE_COUNTED
from anatomy.words.working import Working


class Figure(NamedTuple):
    """A headline figure: its hook, what it is, its value in words, the convention it follows, and its working."""

    id: str
    label: Child
    value: Number
    text: str
    convention: str
    working: Working
    unit: str


def view(state: State) -> Safe:
    """Parameters, without embeddings, active, FLOPs and KV cache: those that the model has.

    >>> '<data value="247358976">0.25 G</data>' in view(State())
    True
    """
    return join(
        tag("h2", {"id": "figures-title"}, f"{state.loaded.name} in figures"),
        tag("dl", {"class": "figures"}, [_figure(one) for one in headline(state)]),
    )


def headline(state: State) -> list[Figure]:
    """The headline figures that the model has."""
    anatomy, model, length = state.anatomy, state.loaded, exact(state.seq_len)
    at = tag("span", {"class": "at"}, "at ", tag("i", None, "T"), f" = {length}")
    square = state.options.square
    per_token = anatomy.forward(square).per_token
    tied = "; the unembedding is stored as the token table" if model.tied_unembedding else ""
    found = [
        Figure(
            "parameters",
            "Parameters",
            model.parameters,
            short(model.parameters),
            f"{exact(model.parameters)}{without(model)}, each tied tensor once{tied}",
            anatomy.parameters,
            "parameters",
        ),
        Figure(
            "without-embeddings",
            "Without embeddings",
            model.parameters_without_embeddings,
            short(model.parameters_without_embeddings),
            f"{exact(model.parameters_without_embeddings)}: all but the groups embeddings and unembedding",
            anatomy.without_embeddings,
            "parameters",
        ),
    ]
    if model.traits.experts_per_token:
        routed = f"{exact(model.traits.experts_per_token)} of {exact(model.traits.experts or 0)} routed experts"
        found.append(
            Figure(
                "active",
                "Active per token",
                model.active_parameters,
                short(model.active_parameters),
                f"{exact(model.active_parameters)}: {routed}, and all else, the token table included",
                anatomy.active,
                "parameters",
            )
        )
    found.append(
        Figure(
            "flops",
            ("Forward FLOPs per token ", at),
            per_token,
            operations(per_token),
            f"{_digits(per_token)}, a multiply-add being 2; {_square(state)}",
            anatomy.per_token(square),
            "FLOPs",
        )
    )
    cache = anatomy.costs.kv_cache
    if cache and anatomy.kv_bytes is not None and anatomy.kv_bytes_per_token is not None:
        found.append(
            Figure(
                "kv-cache",
                ("KV cache ", at),
                anatomy.kv_bytes,
                size_in_bytes(anatomy.kv_bytes),
                f"{exact(anatomy.kv_bytes)} bytes for one sequence in {CACHE_DTYPE}, "
                f"{_digits(anatomy.kv_bytes_per_token)} a token; MB and GB are powers of 1,000",
                cache,
                "bytes",
            )
        )
    return found


def _figure(one: Figure) -> Safe:
    return tag(
        "div",
        {"data-figure": one.id},
        tag("dt", None, one.label),
        tag("dd", None, disclosed(f"w-{one.id}", data(one.value, one.text), formula(one.working, one.unit))),
        tag("dd", {"class": "convention"}, one.convention),
    )


def _square(state: State) -> str:
    """How much of the attention square is counted, and what the others come to."""
    anatomy, square = state.anatomy, state.options.square
    others = {one: operations(anatomy.forward(one).per_token) for one in (WINDOWS, CAUSAL)}
    if square == FULL:
        windows = f"{others[WINDOWS]} by windows, " if anatomy.windows.per_pass != anatomy.full.per_pass else ""
        return f"{SQUARE_COUNTED[square]}; {windows}{others[CAUSAL]} if masked pairs were skipped"
    return SQUARE_COUNTED[square]


def _digits(number: Number) -> str:
    # What is not whole (a pass divided by T) is shown to the nearest whole number.
    return exact(number) if isinstance(number, int) else f"about {exact(round(number))}"
