"""Forward FLOPs: matrix products and convolutions only, one multiply-add is 2 FLOPs.

A pass over T tokens is a whole number; per token it is that divided by T. The unembedding is applied at every
position, tied or not; look-ups, biases, norms, softmax and activations cost 0; routed experts count k of E. Attention
counts every query against all keys (*full*: no saving for masks or windows, as eager code computes), or only the pairs
that mask and window let through (*causal*).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from anatomy.blocks import count
from anatomy.config import SequenceLengthError
from anatomy.tensors import Attention, Model
from anatomy.terms import Factor, Number, Term, total, whole

MULTIPLY_ADD = Factor("2 per multiply-add", 2)
# The longest T offered where the architecture itself sets no limit (relative positions, ALiBi).
UNLIMITED_CONTEXT = 1_048_576
FULL, CAUSAL = "full", "causal"


@dataclass(frozen=True, slots=True)
class Flops:
    """Forward FLOPs of one pass over T tokens, as terms."""

    seq_len: int
    terms: tuple[Term, ...]

    @property
    def per_pass(self) -> int:
        """FLOPs of the whole pass.

        >>> import anatomy
        >>> anatomy.load("gpt2").flops(seq_len=8).per_pass
        1978871808
        """
        return int(total(self.terms))

    @property
    def per_token(self) -> Number:
        """FLOPs of the pass divided by T: an ``int``, or a ``Fraction`` where it is not whole."""
        return whole(Fraction(self.per_pass, self.seq_len))


def check_seq_len(model: Model, seq_len: int) -> None:
    """Raise ``SequenceLengthError`` unless the model runs at ``seq_len`` tokens."""
    fixed = model.fixed_lengths.get("tokens")
    limit = longest(model)
    if isinstance(seq_len, bool) or not isinstance(seq_len, int) or not 1 <= seq_len <= limit:
        raise SequenceLengthError(f"sequence length is {seq_len}; accepted: an integer from 1 to {limit:,}")
    if fixed is not None and seq_len != fixed:
        raise SequenceLengthError(f"sequence length is {seq_len}; accepted: {fixed:,}, which this model fixes")


def longest(model: Model) -> int:
    """The longest T: the context length, the fixed length, or :data:`UNLIMITED_CONTEXT`."""
    return model.fixed_lengths.get("tokens") or model.context or UNLIMITED_CONTEXT


def positions(model: Model, seq_len: int) -> Mapping[str, int]:
    """How many positions each thing that a row may multiply has, at T = ``seq_len`` (by default the source's too)."""
    return {"tokens": seq_len, "source": seq_len, "one": 1, **model.fixed_lengths}


def forward(model: Model, seq_len: int, square: str = FULL) -> Flops:
    """Forward FLOPs of one pass over ``seq_len`` tokens, as terms by part.

    >>> import anatomy
    >>> forward(anatomy.load("gpt2"), 1024).per_token
    284812800

    Raises ``SequenceLengthError``.
    """
    check_seq_len(model, seq_len)
    return Flops(seq_len, (*_weights(model, seq_len), *_attention(model, seq_len, square)))


def _weights(model: Model, seq_len: int) -> Iterator[Term]:
    lengths = positions(model, seq_len)
    for row in model.rows:
        if row.multiplies is None:
            continue
        for matrix in row.matrices:
            factors = [MULTIPLY_ADD, Factor(row.multiplies, lengths[row.multiplies])]
            factors += [Factor("in", matrix.inputs), Factor("out", matrix.outputs)]
            if matrix.count != 1:
                factors.append(Factor("matrices", matrix.count))
            if row.copies != 1:
                factors.append(Factor("experts", row.copies))
            if row.share != 1:
                factors.append(Factor("share of experts used", row.share))
            if row.blocks:
                factors.append(Factor("blocks", count(row.blocks)))
            yield Term(matrix.symbol, row.part, row.blocks, tuple(factors))


def _attention(model: Model, seq_len: int, square: str) -> Iterator[Term]:
    lengths = positions(model, seq_len)
    for record in model.attention:
        queries = lengths[stack_positions(model, record.stack)]
        keys = lengths["source"] if record.kind == "cross" else queries
        part = part_path(model, record)
        if square == FULL or not record.causal:
            pairs = [Factor("queries", queries), Factor("keys", keys)]
        else:
            pairs = [Factor("pairs that the mask lets through", visible_pairs(record, queries))]
        for label, size in (("scores", record.qk_size), ("weighted values", record.v_size)):
            factors = (MULTIPLY_ADD, *pairs, Factor("query heads", record.query_heads), Factor("head size", size))
            yield Term(label, part, record.blocks, (*factors, Factor("blocks", count(record.blocks))))


def stack_positions(model: Model, stack: str) -> str:
    """What the stack runs over: ``tokens`` or ``source``."""
    return next(one.positions for one in model.stacks if one.id == stack)


def part_path(model: Model, record: Attention) -> str:
    """The part path of an attention record's products."""
    part = "cross-attention" if record.kind == "cross" else "attention"
    return f"{record.stack}/block/{part}" if len(model.stacks) > 1 else f"block/{part}"


def visible_pairs(record: Attention, seq_len: int) -> int:
    """Query-key pairs that a causal mask and the window let through: the sum over i = 1 … T of min(i, window).

    >>> visible_pairs(Attention("decoder", (), 1, 1, 1, 1), 4)
    10
    >>> visible_pairs(Attention("decoder", (), 1, 1, 1, 1, window=2), 4)
    7
    """
    if record.chunk:
        whole_chunks, rest = divmod(seq_len, record.chunk)
        return whole_chunks * _triangle(record.chunk) + _triangle(rest)
    window = min(record.window or seq_len, seq_len)
    return _triangle(window) + (seq_len - window) * window


def _triangle(side: int) -> int:
    return side * (side + 1) // 2
