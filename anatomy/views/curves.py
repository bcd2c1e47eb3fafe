"""The two curves: FLOPs per token and KV cache against T, each as a plot with the table behind it."""

from __future__ import annotations

from fractions import Fraction

from anatomy.model.architecture import Attention
from anatomy.model.blocks import count
from anatomy.model.switches import DECODE, FULL
from anatomy.model.terms import rounded_up
from anatomy.report.costs import HORIZON, Costs
from anatomy.views.drawing.plot import (
    Mark,
    Plot,
    Series,
)
from anatomy.views.markup import (
    Child,
    Safe,
    data,
    tag,
)
from anatomy.views.wording import plural
from anatomy.views.workings import disclosed
from anatomy.words.formatting import exact, operations, size_in_bytes

# Lengths of the tables behind the curves; the T of the page and the model's own limits come among them.
ROUND = (1, 8, 128, 1024, 8192, 65_536, 524_288)


def flops_plot(costs: Costs) -> Plot | None:
    """FLOPs per token against T; None where the model runs at one length only.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> [mark.words for mark in flops_plot(describe(anatomy.load("gpt2"), 8).costs).marks]
    ['T = 8: 0.25 G', 'longest T: 1,024', 'attention overtakes at T = 6,703']
    """
    found, top, crossing = costs.split_curve, costs.longest, costs.overtakes
    if not found:
        return None
    now = costs.split_at(costs.seq_len)
    marks = [Mark("now", costs.seq_len, f"T = {exact(costs.seq_len)}: {operations(now.both)}", _floor(now.both))]
    if found[-1].seq_len > top:
        marks.append(Mark("limit", top, f"longest T: {exact(top)}"))
    if crossing:
        at = costs.split_at(crossing)
        marks.append(Mark("crossing", crossing, f"attention overtakes at T = {exact(crossing)}", _floor(at.attention)))
    return Plot(
        said=flops_said(costs),
        unit="FLOPs per token",
        worded=operations,
        series=(
            Series("both", "together", tuple((at.seq_len, _floor(at.both)) for at in found)),
            Series("weights", "products with weights", tuple((at.seq_len, _floor(at.weights)) for at in found)),
            Series("square", "attention: scores and values", tuple((at.seq_len, _floor(at.attention)) for at in found)),
        ),
        marks=tuple(marks),
        limit=top,
    )


def _floor(value: int | Fraction) -> int:
    return max(1, int(value))


def flops_said(costs: Costs) -> str:
    """The curve of FLOPs in a sentence or two.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> flops_said(describe(anatomy.load("gpt2"), 8).costs)[-98:]
    'Attention overtakes the products with weights at T = 6,703, beyond the 1,024 that the model takes.'
    """
    now = costs.split_at(costs.seq_len)
    said = (
        f"At T = {exact(costs.seq_len)} a token costs {operations(now.weights)} FLOPs of products with weights and "
        f"{operations(now.attention)} of attention. "
    )
    crossing, top = costs.overtakes, costs.longest
    if "tokens" in costs.model.fixed_lengths:
        return said + "The model runs at this one length."
    saves = costs.options.square != FULL or costs.options.run == DECODE
    if crossing is None and saves and all(_stops(one) for one in costs.model.attention):
        return said + "Attention never overtakes them: what its windows let through stops growing."
    if crossing is None:
        return said + f"Attention does not overtake them up to T = {exact(HORIZON)}."
    beyond = f", beyond the {exact(top)} that the model takes" if crossing > top else ""
    return said + f"Attention overtakes the products with weights at T = {exact(crossing)}{beyond}."


def _stops(record: Attention) -> bool:
    return bool(record.window or record.chunk)


def flops_table(costs: Costs) -> Safe:
    """The figures behind the curve of FLOPs."""
    top, crossing = costs.longest, costs.overtakes
    fixed = "tokens" in costs.model.fixed_lengths
    lengths = {costs.seq_len} if fixed else {*(at for at in ROUND if at < top), top, costs.seq_len, crossing or top}
    rows = [
        _row(costs, at.seq_len, [data(one, operations(one)) for one in (at.weights, at.attention, at.both)])
        for at in map(costs.split_at, sorted(lengths))
    ]
    return _table("compute-table", "FLOPs per token", ("T", "Weights", "Attention", "Together"), rows)


def cache_plot(costs: Costs) -> Plot | None:
    """KV cache against T, beside the weights or a curve for each kind of layer; None where nothing is cached.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> [series.label for series in cache_plot(describe(anatomy.load("gemma-3-1b"), 8).costs).series]
    ['all layers', '22 layers, window of 512', '4 layers, all of T']
    """
    records, held = costs.cached, costs.cache_curve
    if not held:
        return None
    series = [Series("both", "all layers", tuple((at, sum(sizes)) for at, sizes in held))]
    if len(records) > 1:
        for number, record in enumerate(records):
            points = tuple((at, sizes[number]) for at, sizes in held)
            series.append(Series(("weights", "square", "third")[number % 3], layer_kind(record), points))
    else:
        weights = rounded_up(costs.weights(costs.options.weights).result)
        series = [Series("both", f"cache of {layer_kind(records[0])}", series[0].points)]
        ends = (held[0][0], held[-1][0])
        series.append(Series("weights", f"the weights, {size_in_bytes(weights)}", tuple((at, weights) for at in ends)))
    now = sum(costs.cache_at(costs.seq_len))
    marks = [Mark("now", costs.seq_len, f"T = {exact(costs.seq_len)}: {size_in_bytes(now)}", now)]
    marks += [Mark("bend", at, f"window full at T = {exact(at)}", sum(costs.cache_at(at))) for at in costs.bends]
    return Plot(
        said=cache_said(costs),
        unit="Bytes of KV cache" if len(records) > 1 else "Cache and weights",
        worded=size_in_bytes,
        series=tuple(series),
        marks=tuple(marks),
        limit=costs.longest,
    )


def layer_kind(record: Attention) -> str:
    """How many layers keep a cache in one way, and which way.

    >>> import anatomy
    >>> layer_kind(anatomy.load("deepseek-v3").attention[0])
    '61 layers, a latent each'
    """
    layers = plural(count(record.blocks), "layer")
    if record.kind == "cross":
        return f"{layers}, keys and values of the source"
    if record.window:
        return f"{layers}, window of {exact(record.window)}"
    if record.chunk:
        return f"{layers}, chunks of {exact(record.chunk)}"
    return f"{layers}, a latent each" if record.latent is not None else f"{layers}, all of T"


def cache_said(costs: Costs) -> str:
    """The curve of the cache in a sentence."""
    cache, bends = costs.kv_cache, costs.bends
    if cache is None:
        return "Nothing is kept from token to token."
    said = f"At T = {exact(costs.seq_len)} the cache holds {size_in_bytes(cache.result)}. "
    if not bends:
        return said + "It grows in step with T."
    return (
        said
        + f"It grows in step with T up to {exact(bends[0])}, where the layers with a window or chunks stop growing."
    )


def cache_table(costs: Costs) -> Safe:
    """The figures behind the curve of the cache."""
    top = costs.longest
    lengths = sorted({*(at for at in ROUND if at < top), top, costs.seq_len, *costs.bends})
    rows = []
    for at in lengths:
        size = sum(costs.cache_at(at))
        rows.append(_row(costs, at, [exact(size), data(size, size_in_bytes(size)), size_in_bytes(size, binary=True)]))
    return _table("cache-table", "KV cache", ("T", "Bytes", "MB, GB", "MiB, GiB"), rows)


def _row(costs: Costs, seq_len: int, cells: list[Child]) -> Safe:
    now = seq_len == costs.seq_len
    return tag(
        "tr",
        {"class": "now" if now else None},
        tag("th", {"scope": "row"}, exact(seq_len)),
        [tag("td", None, cell) for cell in cells],
    )


def _table(ident: str, title: str, heads: tuple[str, ...], rows: list[Safe]) -> Safe:
    head = tag("thead", None, tag("tr", None, [tag("th", {"scope": "col"}, word) for word in heads]))
    caption = tag("caption", {"class": "visually-hidden"}, f"{title} by T")
    table = tag("table", {"class": "behind"}, caption, head, tag("tbody", None, rows))
    return disclosed(ident, "The figures behind the curve", table)
