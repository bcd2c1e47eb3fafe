"""What a pass costs: the FLOPs of it part by part with their workings, the curve, and the shortcuts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from anatomy.model.switches import DECODE
from anatomy.model.terms import (
    Factor,
    Number,
    Term,
    total,
)
from anatomy.report.anatomy import Part
from anatomy.report.costs import Costs, Shortcut
from anatomy.views import curves
from anatomy.views.drawing.plot import drawn
from anatomy.views.markup import (
    Child,
    Safe,
    data,
    join,
    tag,
)
from anatomy.views.wording import where
from anatomy.views.workings import disclosed, formula
from anatomy.visit.state import State
from anatomy.words.formatting import (
    decimal,
    exact,
    operations,
    percent,
)
from anatomy.words.remarks import (
    SQUARE_SHORT,
    STEP_COUNTED,
    STEPS,
    STEPS_OF_PARAMETERS,
)
from anatomy.words.working import Working, divided

# What the parts before and after a block are, in words for a list.
_RUN = {
    "prefill": "a prefill of {tokens}",
    "decode": "the decode step that makes the cache hold {tokens}",
    "train": "a training step over {tokens}",
    "recompute": "a training step over {tokens} that recomputes activations",
}


def view(state: State) -> Safe:
    """The section: total, parts, curve, shortcuts.

    >>> '<data value="1978871808">1.98 G</data>' in view(State())
    True
    """
    costs = state.costs
    plot = curves.flops_plot(costs)
    picture = tag("figure", {"id": "flops-plot"}, drawn(plot)) if plot else None
    return join(
        tag("h3", {"id": "compute-title"}, "FLOPs of a pass"),
        tag("p", {"class": "reading"}, _said(state)),
        tag("dl", {"class": "figures totals"}, _totals(state)),
        disclosed("w-parts", "Part by part", tag("div", {"class": "list costs"}, _parts(state)), style="working fold"),
        tag("p", {"class": "reading"}, curves.flops_said(costs)),
        disclosed(
            "w-curve",
            ["FLOPs per token against ", tag("i", None, "T")],
            picture,
            curves.flops_table(costs),
            style="working fold",
        ),
        disclosed(
            "w-shortcuts",
            "Two shortcuts, and what they leave out",
            tag("div", {"class": "ledger"}, _shortcut(costs), _blocks_shortcut(costs)),
            style="working fold",
        ),
    )


def _said(state: State) -> list[Child]:
    costs = state.costs
    tokens = f"{exact(state.seq_len)} token{'' if state.seq_len == 1 else 's'}"
    run = _RUN[costs.options.run].format(tokens=tokens)
    counted = STEP_COUNTED if costs.options.run == DECODE else SQUARE_SHORT[costs.options.square]
    share = Fraction(costs.run.attention, costs.run.per_pass)
    return [
        f"For {state.loaded.name}, {run} takes ",
        data(costs.run.per_pass, operations(costs.run.per_pass)),
        f" FLOPs ({counted}); {percent(share)} of that is attention’s scores and weighted values, the rest products "
        "with weights. A multiply-add is 2 FLOPs; look-ups, biases, norms, softmax 0. In formulas a layer is a block.",
    ]


def _totals(state: State) -> list[Safe]:
    run = state.costs.run
    parts = [
        Term(_placed(state, part), "", (), (Factor("FLOPs of each part", working.result),))
        for part, working in state.costs.by_part
    ]
    found = [_total("run-pass", "FLOPs of the pass", Working("FLOPs of the pass", tuple(parts), run.per_pass))]
    if run.tokens > 1:
        whole_pass = Term("FLOPs of the pass", "", (), (Factor("FLOPs of the pass", run.per_pass),))
        tokens = Factor("tokens", run.tokens, "tokens")
        working = Working("FLOPs per token", (whole_pass,), run.per_token, tokens)
        found.append(_total("run-token", "FLOPs per token", working))
    return found


def _placed(state: State, part: Part) -> str:
    place = where(state.anatomy, part)
    return f"{part.label}, {place}" if place else part.label


def _total(ident: str, label: str, working: Working) -> Safe:
    result = working.result
    return tag(
        "div",
        {"data-cost": ident},
        tag("dt", None, label),
        tag("dd", None, disclosed(f"w-{ident}", data(result, operations(result)), formula(working, "FLOPs"))),
        tag("dd", {"class": "convention"}, _digits(result)),
    )


def _digits(number: Number) -> str:
    return exact(number) if isinstance(number, int) else f"about {exact(round(number))}"


def _parts(state: State) -> list[Safe]:
    return [_part(state, number, *found) for number, found in enumerate(state.costs.by_part)]


def _part(state: State, number: int, part: Part, working: Working) -> Safe:
    share = Fraction(working.result, state.costs.run.per_pass)
    place = where(state.anatomy, part)
    summary = [
        tag("span", {"class": "key"}),
        tag("span", {"class": "name"}, part.label, tag("span", {"class": "more"}, place) if place else None),
        tag("span", {"class": "exact"}, data(working.result, operations(working.result))),
        tag("svg", {"class": "share", "width": "100%", "height": 6, "aria-hidden": "true"}, _bar(share)),
        tag("span", {"class": "percent"}, percent(share)),
    ]
    return disclosed(f"w-part-{number}", summary, formula(working, "FLOPs"), style=f"working g-{part.group}")


def _bar(share: Fraction) -> Safe:
    return join(
        tag("rect", {"class": "track", "width": "100%", "height": 6, "rx": 3}),
        tag("rect", {"class": "fill", "width": f"{decimal(share * 100, 1)}%", "height": 6, "rx": 1}),
    )


def _shortcut(costs: Costs) -> Safe:
    shortcut, tokens = costs.shortcut, Factor("tokens", costs.run.tokens, "tokens")
    value, exactly = divided(shortcut.value, tokens), costs.run.per_token
    said = (
        f"{shortcut.name}: {_digits(value)} FLOPs a token, where the count is {_digits(exactly)}",
        "Every parameter in use is multiplied and added once for a token"
        + (f", in {costs.passes} passes. " if costs.options.run not in ("prefill", "decode") else ". ")
        + "For the whole pass:",
    )
    return _ledger("shortcut", shortcut, said, "FLOPs", STEPS)


def _blocks_shortcut(costs: Costs) -> Safe:
    shortcut = costs.blocks_shortcut
    said = (
        f"12 L d²: {exact(int(shortcut.value))} parameters, where all but embeddings are {exact(int(shortcut.exact))}",
        "Four square matrices of attention and an MLP four times as wide as the stream in each of L blocks:",
    )
    return _ledger("blocks-shortcut", shortcut, said, "parameters", {**STEPS, **STEPS_OF_PARAMETERS})


def _ledger(ident: str, shortcut: Shortcut, said: tuple[str, str], unit: str, steps: Mapping[str, str]) -> Safe:
    title, text = said
    working = Working(shortcut.name, shortcut.terms, shortcut.value)
    rows = []
    for name, terms in shortcut.steps:
        gone = total(terms)
        row = [_signed(gone), " ", steps[name]]
        rows.append(tag("li", None, disclosed(f"w-{ident}-{name}", row, formula(Working(name, terms, gone), unit))))
    ending = tag("p", None, "and so to the exact ", data(shortcut.exact, exact(int(shortcut.exact))), f" {unit}.")
    body: list[Child] = [
        tag("p", {"class": "reading"}, text),
        disclosed(f"w-{ident}-whole", data(shortcut.value, exact(int(shortcut.value))), formula(working, unit)),
        tag("ul", {"class": "steps"}, rows),
        ending,
    ]
    return disclosed(f"w-{ident}", title, *body)


def _signed(number: Number) -> Safe:
    worded = exact(abs(int(number)))
    return data(number, f"{'−' if number < 0 else '+'} {worded}")
