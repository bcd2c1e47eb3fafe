"""Forward FLOPs: matrix products and convolutions only, one multiply-add is 2 FLOPs.

What is computed is the whole pass over T tokens, an integer; its T-th part is the figure per token. Tied or not, the
unembedding multiplies every position (or, where asked for, the last one only). Nothing else is charged: no look-up,
bias, norm, softmax or activation. Of E routed experts a token pays for its k. Attention counts every query against all
keys (*full*: no saving for masks or windows, as eager code computes), against min(T, window) keys, which is what a
banded kernel multiplies (*windows*: of chunks the square of each), or only the pairs that mask and window let through
(*causal*).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from anatomy.model.architecture import Attention
from anatomy.model.rows import Matrix, Model, Row
from anatomy.model.switches import CAUSAL, EVERY, FULL, LAST, WINDOWS
from anatomy.model.terms import (
    Factor,
    Number,
    Term,
    layers,
    total,
    whole,
)
from anatomy.reading.config import SequenceLengthError

MULTIPLY_ADD = Factor("2 per multiply-add", 2)
# The longest T offered where the architecture itself sets no limit (relative positions, ALiBi).
UNLIMITED_CONTEXT = 1_048_576
# The two products of attention that no weight takes part in.
SCORES, MIXING = "scores", "weighted values"
# What a row may multiply, and the word for that many of it in a formula.
_POSITIONS = {"tokens": "tokens", "source": "source tokens", "frames": "frames", "patches": "patches", "one": "tokens"}

# The query-key pairs that an attention record computes, as factors; None where it computes none (in a decode step).
Pairs = Callable[[Attention], tuple[Factor, ...] | None]


@dataclass(frozen=True)
class Flops:
    """FLOPs of one pass over ``tokens`` tokens, as terms."""

    tokens: int
    terms: tuple[Term, ...]

    @cached_property
    def per_pass(self) -> int:
        """FLOPs of the whole pass.

        >>> import anatomy
        >>> anatomy.load("gpt2").flops(seq_len=8).per_pass
        1978871808
        """
        return int(total(self.terms))

    @cached_property
    def per_token(self) -> Number:
        """FLOPs of the pass divided by T: an ``int``, or a ``Fraction`` where it is not whole."""
        return whole(Fraction(self.per_pass, self.tokens))

    @cached_property
    def attention(self) -> int:
        """FLOPs of scores and weighted values: what grows with the square of T.

        >>> import anatomy
        >>> anatomy.load("gpt2").flops(seq_len=8).attention
        2359296
        """
        return int(total(term for term in self.terms if term.label in (SCORES, MIXING)))


def check_seq_len(model: Model, seq_len: int) -> None:
    """Raise ``SequenceLengthError`` unless the model runs at ``seq_len`` tokens."""
    fixed = model.fixed_lengths.get("tokens")
    limit = longest(model)
    if isinstance(seq_len, bool) or not isinstance(seq_len, int) or not 1 <= seq_len <= limit:
        raise SequenceLengthError(f"sequence length is {seq_len}; accepted: an integer from 1 to {limit:,}")
    if fixed is not None and seq_len != fixed:
        raise SequenceLengthError(f"sequence length is {seq_len}; accepted: {fixed:,}, which this model fixes")


def longest(model: Model) -> int:
    """The longest T: the context length, the fixed length, or :data:`UNLIMITED_CONTEXT`.

    >>> import anatomy
    >>> longest(anatomy.load("gpt2")), longest(anatomy.load("vit-base")), longest(anatomy.load("t5-base"))
    (1024, 197, 1048576)
    """
    return model.fixed_lengths.get("tokens") or model.context or UNLIMITED_CONTEXT


def positions(model: Model, seq_len: int) -> Mapping[str, int]:
    """How many positions each thing that a row may multiply has, at T = ``seq_len`` (by default the source's too).

    >>> import anatomy
    >>> dict(positions(anatomy.load("whisper-tiny"), 8))
    {'tokens': 8, 'source': 1500, 'one': 1, 'frames': 3000}
    """
    return {"tokens": seq_len, "source": seq_len, "one": 1, **model.fixed_lengths}


def forward(model: Model, seq_len: int, square: str = FULL, unembedding: str = EVERY) -> Flops:
    """Forward FLOPs of one pass over ``seq_len`` tokens, as terms by part.

    ``square`` is how much of attention's T x T is counted (``full``, ``windows``, ``causal``), ``unembedding`` where
    it is applied (``every``, ``last``).

    >>> import anatomy
    >>> forward(anatomy.load("gpt2"), 1024).per_token
    284812800
    >>> forward(anatomy.load("gpt2"), 1024, unembedding=LAST).per_pass
    212678075904

    Raises ``SequenceLengthError``.
    """
    check_seq_len(model, seq_len)
    reaches = (record.window or record.chunk for record in model.attention)
    longest_run = max(positions(model, seq_len).values())
    if square == WINDOWS and not any(reach and reach < longest_run for reach in reaches):
        square = FULL  # no window is shorter: the same pass
    return _forward(model, seq_len, square, unembedding)


@lru_cache(maxsize=64)
def _forward(model: Model, seq_len: int, square: str, unembedding: str) -> Flops:
    return at_any_length(model, seq_len, square, unembedding)


def at_any_length(model: Model, seq_len: int, square: str = FULL, unembedding: str = EVERY) -> Flops:
    """What :func:`forward` gives, beyond the model's own longest T too: what a curve shows there.

    >>> import anatomy
    >>> at_any_length(anatomy.load("gpt2"), 2048).per_token
    322561536
    """
    lengths = positions(model, seq_len)

    def pairs(record: Attention) -> tuple[Factor, ...]:
        queries = lengths[stack_positions(model, record.stack)]
        keys = lengths["source"] if record.kind == "cross" else queries
        if square == WINDOWS and record.kind == "self":
            return banded(record, queries)
        if square != CAUSAL or not (record.causal or record.window):
            return (Factor("queries", queries, "queries"), Factor("keys", keys, "keys"))
        return (Factor("pairs that the mask lets through", visible_pairs(record, queries), "pairs"),)

    terms = (*weight_terms(model, lengths, unembedding), *attention_terms(model, pairs))
    return Flops(seq_len, terms)


def weight_terms(model: Model, lengths: Mapping[str, int], unembedding: str = EVERY) -> Iterator[Term]:
    """A term per matrix: 2 x positions x in x out, over experts and blocks; none where there is no position."""
    for row in model.rows:
        if row.multiplies is None:
            continue
        only_last = unembedding == LAST and row.part_id == "unembedding" and row.multiplies == "tokens"
        many = 1 if only_last else lengths.get(row.multiplies, 0)
        for matrix in row.matrices if many else ():
            over = Factor("last token" if only_last else row.multiplies, many, _POSITIONS[row.multiplies])
            factors = [MULTIPLY_ADD, over, Factor("in", matrix.inputs), Factor("out", matrix.outputs)]
            yield Term(matrix.symbol, row.part, row.blocks, (*factors, *_often(row, matrix)))


def _often(row: Row, matrix: Matrix) -> Iterator[Factor]:
    many = matrix.count * row.copies
    if row.share != 1:
        used = whole(many * row.share)
        yield Factor("experts used", used, "experts used")
    elif many != 1:
        yield Factor("matrices", many, "matrices")
    if row.blocks:
        yield layers(row.blocks)


def attention_terms(model: Model, pairs: Pairs) -> Iterator[Term]:
    """Two terms per attention record: scores, and values weighted by them; query heads whatever the KV heads."""
    for record in model.attention:
        met = pairs(record)
        if met is None:
            continue
        part = part_path(model, record)
        for label, size in ((SCORES, record.qk_size), (MIXING, record.v_size)):
            heads = (Factor("query heads", record.query_heads, "heads"), Factor("head size", size))
            yield Term(label, part, record.blocks, (MULTIPLY_ADD, *met, *heads, layers(record.blocks)))


def stack_positions(model: Model, stack: str) -> str:
    """What the stack runs over: ``tokens`` or ``source``."""
    return next(one.positions for one in model.stacks if one.id == stack)


def part_path(model: Model, record: Attention) -> str:
    """The part path of an attention record's products."""
    part = "cross-attention" if record.kind == "cross" else "attention"
    stack = model.named_stack(record.stack)
    return f"{stack}/block/{part}" if stack else f"block/{part}"


def banded(record: Attention, seq_len: int) -> tuple[Factor, ...]:
    """What a banded kernel multiplies: every query against min(T, window) keys; of chunks the square of each.

    >>> [factor.value for factor in banded(Attention("decoder", (), 1, 1, 1, 1, window=512), 8192)]
    [8192, 512]
    >>> [factor.value for factor in banded(Attention("decoder", (), 1, 1, 1, 1, chunk=8), 20)]
    [144]
    """
    if record.chunk and record.chunk < seq_len:
        chunks, rest = divmod(seq_len, record.chunk)
        return (Factor("pairs inside chunks", chunks * record.chunk**2 + rest**2, "pairs"),)
    keys = min(seq_len, record.window or seq_len)
    return (Factor("queries", seq_len, "queries"), Factor("keys", keys, "keys"))


def visible_pairs(record: Attention, seq_len: int) -> int:
    """Query-key pairs that mask and window let through: behind a causal mask the sum over i = 1 … T of min(i, window).

    A window without that mask reaches half of it to either side.

    >>> visible_pairs(Attention("decoder", (), 1, 1, 1, 1), 4)
    10
    >>> visible_pairs(Attention("decoder", (), 1, 1, 1, 1, window=2), 4)
    7
    """
    if not record.causal:
        one_side = replace(record, causal=True, window=record.window and record.window // 2 + 1)
        return 2 * visible_pairs(one_side, seq_len) - seq_len
    if record.chunk:
        whole_chunks, rest = divmod(seq_len, record.chunk)
        return whole_chunks * _triangle(record.chunk) + _triangle(rest)
    window = min(record.window or seq_len, seq_len)
    return _triangle(window) + (seq_len - window) * window


def _triangle(side: int) -> int:
    return side * (side + 1) // 2
