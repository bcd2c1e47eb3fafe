"""The panel of the selected part: what it does, its shapes, its counts, how a checkpoint stores it."""

from __future__ import annotations

from fractions import Fraction

from anatomy.model.blocks import count
from anatomy.model.switches import CAUSAL, FULL, WINDOWS
from anatomy.report.anatomy import Anatomy, Part, Weight
from anatomy.teaching.explanations import explain
from anatomy.views import learned, shapes
from anatomy.views.markup import (
    Child,
    Safe,
    data,
    join,
    symbol,
    tag,
)
from anatomy.views.wording import GROUPS, stack_of, where
from anatomy.views.workings import disclosed, formula
from anatomy.visit.state import SEQ_LEN, State
from anatomy.words.formatting import (
    exact,
    operations,
    percent,
    shape,
)


def view(state: State) -> Safe:
    """The panel of the selected part.

    >>> "<h2>Multi-head self-attention</h2>" in view(State())
    True
    """
    anatomy, part = state.anatomy, state.selected
    return join(
        tag("p", {"class": f"tag g-{part.group}"}, _tag(anatomy, part)),
        tag("h2", None, part.label),
        [tag("p", {"class": "reading"}, symbol(text)) for text in explain(anatomy, part)],
        shapes.table(anatomy, part, changed=state.changed == SEQ_LEN),
        tag("p", {"class": "note"}, shapes.legend(anatomy, part)),
        counts(anatomy, part),
        counted(part),
        tag("p", {"class": "aside"}, shapes.depending(anatomy, part)) if part.activations else None,
        tag("p", {"class": "aside"}, work(anatomy, part, state.options.square)),
        _learned(anatomy, part),
    )


def _learned(anatomy: Anatomy, part: Part) -> Safe:
    table = stored(part)
    summary = "Words, equation, a common mistake" + (", storage" if table else "")
    return disclosed("w-stored", summary, learned.told(anatomy, part), table)


def said(anatomy: Anatomy, part: Part) -> str:
    """The sentence that names a part aloud: label, place, share and count.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> said(shown, shown.find("attention"))
    'Multi-head self-attention, 23% of the model, 28,348,416 parameters'
    """
    place = where(anatomy, part)
    held = f"{percent(part.share)} of the model, {exact(part.parameters)} parameters" if part.parameters else none(part)
    return ", ".join(word for word in (part.label, place, held) if word)


def none(part: Part) -> str:
    """Why a part holds no parameters."""
    return "0 parameters of its own, it reuses the token table" if _tied(part) else "no parameters"


def _tied(part: Part) -> bool:
    return not part.parameters and any(weight.tied_to for weight in part.weights)


def _tag(anatomy: Anatomy, part: Part) -> str:
    share = f"{percent(part.share)} of the model" if part.parameters else "no parameters of its own"
    words = [GROUPS[part.group], where(anatomy, part), share]
    return " · ".join(word for word in words if word)


def counts(anatomy: Anatomy, part: Part) -> Safe:
    """The count sentence: per block, across the blocks that hold it, share of the model."""
    if not part.weights:
        return tag("p", {"class": "count"}, data(0, "0", "total"), " parameters: nothing here is trained.")
    share = [_share(part.share), " of the model."]
    if part.blocks and part.parameters_per_block is not None:
        held, number = part.parameters_per_block, count(part.blocks)
        if number == 1:
            own = " parameters in its one block, "
            return tag("p", {"class": "count"}, data(part.parameters, exact(part.parameters), "total"), own, share)
        return tag(
            "p",
            {"class": "count"},
            [data(held, exact(held), "per-block"), " parameters per block, "],
            [data(part.parameters, exact(part.parameters), "total"), f" across {_all(anatomy, part, number)}, "],
            share,
        )
    words: list[Child] = [data(part.parameters, exact(part.parameters), "total"), " parameters"]
    if _tied(part):
        return tag("p", {"class": "count"}, words, " of its own: it reuses the token table.")
    return tag("p", {"class": "count"}, words, ", ", share)


def counted(part: Part, ident: str = "w-panel") -> Safe | None:
    """The working of the part's count.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> attention = describe(anatomy.load("gpt2")).find("attention")
    >>> "768 × 2,304 × 12 layers = 21,233,664" in counted(attention)
    True
    """
    if not part.terms:
        return None
    working = formula(part.working, "parameters")
    return disclosed(ident, "How this is counted", working)


def _all(anatomy: Anatomy, part: Part, number: int) -> str:
    if number == stack_of(anatomy, part).blocks:
        return f"all {exact(number)}"
    return f"its {exact(number)}"


def _share(share: Fraction) -> Safe:
    return data(share, percent(share), "share")


def work(anatomy: Anatomy, part: Part, square: str = FULL) -> Safe:
    """A sentence on the FLOPs of a part at this T, by the square that the headline figure counts."""
    flops = anatomy.flops_of(part, square)
    if not flops:
        return join("It costs no FLOPs as counted here: only matrix products and convolutions count.")
    per_token, share = Fraction(flops, anatomy.seq_len), Fraction(flops, anatomy.forward(square).per_pass)
    by = {FULL: "", WINDOWS: ", by windows", CAUSAL: ", causal"}[square]
    at = f" FLOPs per token at T = {exact(anatomy.seq_len)}, {percent(share)} of the forward pass{by}"
    blocks = " (all blocks together)." if part.blocks else "."
    return join("It costs ", data(per_token, operations(per_token), "flops"), at, blocks)


def stored(part: Part) -> Safe | None:
    """How the released checkpoint stores the part: names, shapes, and what lies in one tensor."""
    if not part.weights:
        return None
    by_name: dict[str, list[Weight]] = {}
    for weight in part.weights:
        by_name.setdefault(weight.stored_name, []).append(weight)
    rows = [
        tag(
            "tr",
            None,
            tag("th", {"scope": "row"}, tag("code", None, _breakable(name))),
            tag("td", None, shape(held[0].stored_shape)),
            tag("td", {"class": "how"}, symbol(_how(part, held))),
        )
        for name, held in by_name.items()
    ]
    heads = [tag("th", {"scope": "col"}, word) for word in ("Name", "Stored", "How")]
    return tag(
        "table",
        {"class": "stored"},
        tag("caption", None, "In the released checkpoint"),
        tag("thead", {"class": "visually-hidden"}, tag("tr", None, heads)),
        tag("tbody", None, rows),
    )


def _breakable(name: str) -> Child:
    # A line may break after each dot of a long name.
    steps = name.split(".")
    return [[step, ".", tag("wbr")] for step in steps[:-1]] + [steps[-1]]


def _how(part: Part, held: list[Weight]) -> str:
    first = held[0]
    if first.tied_to:
        return f"not stored: it is {first.tied_to}"
    words = []
    if len(held) > 1:
        words.append(", ".join(weight.symbol for weight in held) + " in one")
    if first.layout:
        words.append(first.layout)
    # Tables and biases are looked up and added, not multiplied: they have no in and out.
    table = not first.symbol.startswith("W_") or (part.id == "embedding" and first.shape == first.stored_shape)
    if len(first.shape) == len(first.stored_shape) == 2 and not table:
        rows, columns = first.stored_shape
        if (rows, columns) != (columns, rows):
            words.append("in × out" if rows == first.shape[0] else "out × in")
    return "; ".join(words)
