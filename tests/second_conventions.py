"""A second count of what other conventions print: parameters, FLOPs, caches and bytes, worked out from the rows."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from anatomy.model.rows import Row
from tests.second_count import Place, Second


class Alone(Second):
    """A count of one row."""

    def __init__(self, whole: Second, row: Row) -> None:
        super().__init__(whole.model, whole.seq_len)
        self.row = row

    def rows(self, place: Place) -> list[Row]:
        """That row, wherever."""
        return [self.row]


def others(count: Second) -> dict[str, dict[str, Fraction]]:
    """What other conventions print, worked out from the rows."""
    model, t = count.model, count.seq_len
    groups, run, square = count.groups, count.run(), count.square_alone()
    placed = [(place, row) for place in count.places() for row in count.rows(place)]
    stored = {
        kind: sum(
            prod(row.shape) * row.copies * max(1, len(place.blocks)) for place, row in placed if getattr(row, kind)
        )
        for kind in ("tied_to", "buffer")
    }
    causal = {one for one in model.attention if one.causal}
    masked = sum(count.mixing(place) for place in count.places() if count.record(place) in causal)
    triangle = sum(count.mixing(place, square="causal") for place in count.places() if count.record(place) in causal)
    last = sum(count.flops(place) for place in count.places() if place.id == "unembedding" and any(
        row.part.rpartition("/")[2] == "unembedding" for row in count.rows(place)))  # fmt: skip
    if any(row.part.rpartition("/")[2] != "unembedding" for place, row in placed if place.id == "unembedding"):
        last = sum(
            2 * count.lengths[row.multiplies] * one.elements
            for place, row in placed
            if row.part.rpartition("/")[2] == "unembedding" and row.multiplies
            for one in row.matrices
        )
    routed = sum(
        Alone(count, row).products(place) * (1 / row.share - 1)
        for place, row in placed
        if row.share != 1 and row.multiplies
    )
    looked_up = [row for row in model.rows if row.part.endswith("embedding/token") and not row.matrices]
    tables = sum(prod(row.shape) for row in looked_up if row.stack or not count.several)
    twelve = 12 * sum(one.blocks for one in model.stacks) * model.width**2
    parameters: dict[str, int | Fraction] = {
        "no-embeddings": count.inside,
        "no-unembedding": count.total - groups.get("unembedding", 0),
        "tied-twice": count.total + stored["tied_to"],
        "buffers": count.total + stored["buffer"],
        "active": count.active,
        "twelve": twelve,
    }
    flops: dict[str, int | Fraction] = {
        "macs": Fraction(run, 2),
        "windows": count.run(square="windows"),
        "causal-half": run - Fraction(masked, 2),
        "causal": run - masked + triangle,
        "no-square": run - square,
        "flops-no-unembedding": run - last,
        "two-n": 2 * count.active * t,
        "all-experts": run + routed,
        "look-up": run + 2 * tables * t,
        "whole-pass": run * t,
    }
    if any(row.share != 1 for row in model.rows):
        parameters["active-no-table"] = count.active - count.table
    if count.writes:
        flops["last-only"] = run - last + Fraction(last, t)
    caches: dict[str, int | Fraction] = {}
    if count.caching:

        def kept(every: bool = False, free: bool = False, expanded: bool = False, one: bool = False) -> int:
            total = 0
            for record in count.caching:
                heads = record.query_heads if every and record.latent is None else record.kv_heads
                numbers = heads * (record.qk_size + record.v_size)
                if record.latent is not None and not expanded:
                    numbers = record.latent + (record.rotary or 0)
                elif one and record.qk_size == record.v_size:
                    numbers //= 2
                held = count.lengths["source"] if record.kind == "cross" else t
                if not free:
                    held = min(held, record.window or held, record.chunk or held)
                total += numbers * held * 2 * sum(map(len, record.blocks))
            return total

        caches = {
            "query-heads": kept(every=True),
            "no-window": kept(free=True),
            "expanded": kept(expanded=True),
            "one-of-two": kept(one=True),
        }
    ours = {"parameters": Fraction(count.total), "flops": Fraction(run, t), "kv-cache": Fraction(count.cache() or 0)}
    ours["weights"] = Fraction(count.total * 2)
    figures: dict[str, dict[str, int | Fraction]] = {
        "parameters": parameters,
        "flops": {name: Fraction(value) / t for name, value in flops.items()},
        "kv-cache": caches,
        "weights": {"fp32": count.total * 4},
    }
    return {
        figure: {"": ours[figure], **{name: Fraction(value) for name, value in found.items() if value != ours[figure]}}
        for figure, found in figures.items()
        if found
    }
