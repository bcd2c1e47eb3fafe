"""Memory: bytes of the weights by number type, and of the KV cache; views choose the unit."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from anatomy.blocks import count
from anatomy.config import AnatomyError
from anatomy.flops import check_seq_len, part_path, positions
from anatomy.tensors import Attention, Model
from anatomy.terms import Factor, Number, Term, total

# Bytes per number.
DTYPES = {
    "fp32": Fraction(4),
    "bf16": Fraction(2),
    "fp16": Fraction(2),
    "fp8": Fraction(1),
    "int8": Fraction(1),
    "int4": Fraction(1, 2),
}


def bytes_per_number(dtype: str) -> Fraction:
    """Bytes per number of a number type; raises ``AnatomyError`` for an unknown one.

    >>> bytes_per_number("bf16")
    Fraction(2, 1)
    """
    if dtype not in DTYPES:
        raise AnatomyError(f"number type is {dtype!r}; accepted: {', '.join(DTYPES)}")
    return DTYPES[dtype]


def weights_bytes(model: Model, dtype: str) -> int:
    """Bytes of all parameters stored in one number type, rounded up to whole bytes.

    >>> import anatomy
    >>> weights_bytes(anatomy.load("llama-2-7b"), "bf16")
    13476831232
    """
    size = bytes_per_number(dtype) * model.parameters
    return -(-size.numerator // size.denominator)


def cached_sizes(record: Attention) -> tuple[Factor, ...]:
    """What one block keeps of one token: keys and values of every KV head, or a latent and a rotary key."""
    if record.latent is not None:
        return (Factor("latent + rotary size", record.latent + (record.rotary or 0)),)
    if record.qk_size == record.v_size:
        return (Factor("keys and values", 2), Factor("KV heads", record.kv_heads), Factor("head size", record.qk_size))
    return (Factor("KV heads", record.kv_heads), Factor("key size + value size", record.qk_size + record.v_size))


def held_tokens(record: Attention, lengths: dict[str, int]) -> int:
    """How many tokens a block's cache holds: min(T, window), or the source's length for cross-attention."""
    if record.kind == "cross":
        return lengths["source"]
    return min(lengths["tokens"], record.window or record.chunk or lengths["tokens"])


def _cached(model: Model) -> Iterator[Attention]:
    # Only attention that runs once per generated token keeps a cache: encoders see everything in one pass.
    return (record for record in model.attention if record.causal or record.kind == "cross")


def kv_cache(model: Model, seq_len: int, batch: int = 1, dtype: str = "bf16") -> tuple[Term, ...]:
    """The KV cache after ``seq_len`` tokens in bytes, as a term per attention record; empty where nothing is cached."""
    check_seq_len(model, seq_len)
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise AnatomyError(f"batch is {batch!r}; accepted: an integer of at least 1")
    size = Factor(f"bytes per number ({dtype})", bytes_per_number(dtype))
    lengths = dict(positions(model, seq_len))
    return tuple(
        Term(
            "KV cache",
            part_path(model, record),
            record.blocks,
            (
                *cached_sizes(record),
                Factor("blocks", count(record.blocks)),
                Factor("tokens held", held_tokens(record, lengths)),
                Factor("sequences", batch),
                size,
            ),
        )
        for record in _cached(model)
    )


def kv_cache_bytes(model: Model, seq_len: int, batch: int = 1, dtype: str = "bf16") -> int | None:
    """Bytes of the KV cache after ``seq_len`` tokens; None where the model keeps none.

    >>> import anatomy
    >>> kv_cache_bytes(anatomy.load("llama-3-70b"), 8192)
    2684354560
    """
    terms = kv_cache(model, seq_len, batch, dtype)
    return _rounded_up(total(terms)) if terms else None


def kv_bytes_per_token(model: Model, dtype: str = "bf16") -> Number | None:
    """Growth of the KV cache per token below every window, for one sequence; None where the model keeps none.

    >>> import anatomy
    >>> [kv_bytes_per_token(anatomy.load(slug)) for slug in ("llama-2-7b", "llama-3-8b", "llama-3-70b")]
    [524288, 131072, 327680]
    """
    size = Factor("bytes", bytes_per_number(dtype))
    terms = [
        Term(
            "KV cache",
            part_path(model, record),
            record.blocks,
            (*cached_sizes(record), Factor("blocks", count(record.blocks)), size),
        )
        for record in _cached(model)
        if record.kind != "cross"
    ]
    return total(terms) if terms else None


def _rounded_up(size: Number) -> int:
    size = Fraction(size)
    return -(-size.numerator // size.denominator)
