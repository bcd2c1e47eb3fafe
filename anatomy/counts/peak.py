"""Peak activation of one layer: the most numbers that one block holds at once while T tokens, or one, pass through.

The definition: a block works in steps, and a step holds the residual stream, what it reads and what it writes; nothing
of other blocks. The two steps that can be the largest are *scores* (queries, keys, values and the scores of all heads,
which eager code writes out in full; a fused kernel never does) and *hidden* (the inputs of the MLP and its hidden
numbers, gate and up both; of routed experts those that are used). Softmax and activation functions work in place. In a
decode step one token passes through: of the keys and values it holds its own, for the others lie in the cache.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from anatomy.counts.decoding import ALONE, keys_met
from anatomy.counts.flops import (
    check_seq_len,
    part_path,
    positions,
    stack_positions,
)
from anatomy.counts.memory import sequences, size_of
from anatomy.model.architecture import Attention
from anatomy.model.blocks import Blocks
from anatomy.model.rows import Model
from anatomy.model.terms import (
    Factor,
    Number,
    Term,
    total,
    whole,
)

MLPS = ("mlp", "experts", "shared-expert")


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a block that may hold the most: its part, the blocks that have it, and the bytes it holds as terms."""

    part: str
    blocks: Blocks
    terms: tuple[Term, ...]

    @property
    def bytes(self) -> Number:
        """All that it holds."""
        return total(self.terms)


def peak(
    model: Model, seq_len: int, batch: int = 1, dtype: str = "bf16", *, fused: bool = False, alone: bool = False
) -> Step:
    """The step that holds the most; ``fused`` leaves out scores, as kernels of FlashAttention's kind do.

    ``alone`` is a decode step: the T-th token by itself.

    >>> import anatomy
    >>> step = peak(anatomy.load("llama-3-8b"), 8192)
    >>> step.part, step.bytes, peak(anatomy.load("llama-3-8b"), 8192, fused=True).bytes
    ('block/attention', 4462739456, 603979776)
    >>> peak(anatomy.load("llama-3-8b"), 8192, fused=True, alone=True).bytes
    73728

    Raises ``SequenceLengthError``.
    """
    check_seq_len(model, seq_len)
    return _peak(model, seq_len, batch, dtype, fused, alone)


@lru_cache(maxsize=64)
def _peak(model: Model, seq_len: int, batch: int, dtype: str, fused: bool, alone: bool) -> Step:
    each = (size_of(dtype), *sequences(batch))
    found = [*_attention(model, seq_len, fused, alone), *_hidden(model, seq_len, alone)]
    steps = [Step(part, blocks, tuple(term.times(*each) for term in terms)) for part, blocks, terms in found]
    return max(steps, key=lambda step: step.bytes)


def _attention(model: Model, seq_len: int, fused: bool, alone: bool) -> Iterator[tuple[str, Blocks, list[Term]]]:
    lengths = positions(model, seq_len)
    for record in model.attention:
        queries = lengths[stack_positions(model, record.stack)]
        keys = lengths["source"] if record.kind == "cross" else queries
        made = keys
        if alone:
            if not record.causal and record.kind != "cross":
                continue  # an encoder went before
            cross = record.kind == "cross"
            queries, made, keys = 1, 0 if cross else 1, keys if cross else keys_met(record, seq_len)
        yield (
            part_path(model, record),
            record.blocks,
            list(_scores(model, record, queries, made, None if fused else keys)),
        )


def _scores(model: Model, record: Attention, queries: int, made: int, scored: int | None) -> Iterator[Term]:
    """What attention holds: keys and values of the tokens that it makes them of, scores against those it meets."""
    part = part_path(model, record)
    over, met = Factor("queries", queries, "queries"), Factor("keys", made, "keys")
    heads = Factor("query heads", record.query_heads, "heads")
    kv_heads = Factor("KV heads", record.kv_heads, "KV heads")
    yield Term("stream", part, (), (Factor("tokens", queries, "tokens"), Factor("width", model.width)))
    yield Term("queries", part, (), (over, heads, Factor("head size", record.qk_size)))
    if made:
        yield Term("keys", part, (), (met, kv_heads, Factor("head size", record.qk_size)))
        yield Term("values", part, (), (met, kv_heads, Factor("head size", record.v_size)))
    if scored is not None:
        yield Term("scores", part, (), (heads, over, Factor("keys", scored, "keys")))


def _hidden(model: Model, seq_len: int, alone: bool) -> Iterator[tuple[str, Blocks, list[Term]]]:
    lengths = ALONE if alone else positions(model, seq_len)
    hidden: dict[tuple[str, Blocks], list[Term]] = {}
    for row in model.rows:
        if row.part_id not in MLPS or not row.blocks or row.multiplies is None or row.multiplies not in lengths:
            continue
        part = row.part.rsplit("/", 1)[0]
        tokens = Factor("tokens", lengths[row.multiplies], "tokens")
        for matrix in row.matrices:
            if matrix.symbol == "W_down":
                continue
            used = whole(matrix.count * row.copies * row.share)
            often = (Factor("experts used", used, "experts used"),) if used != 1 else ()
            term = Term(f"hidden, {matrix.symbol}", part, (), (tokens, Factor("inner size", matrix.outputs), *often))
            wide = [_wide("stream", part, tokens, model), _wide("input", part, tokens, model)]
            held = hidden.setdefault((part, row.blocks), wide)
            if term not in held:
                held.append(term)
    for (part, blocks), terms in hidden.items():
        yield part, blocks, terms


def _wide(label: str, part: str, tokens: Factor, model: Model) -> Term:
    return Term(label, part, (), (tokens, Factor("width", model.width)))
