"""Memory: bytes of the weights by number type, and of the KV cache; views choose the unit.

*Released* are the types of the published file, scales and all (``released.py``). Formats of 8 and 4 bits usually keep
some numbers in 16 bits; here *mixed* means: the matrices of attention, MLP and experts are stored in the small type;
embeddings, unembedding, router, norms and biases stay in 16 bits. Scales and zero points, which such a format also
stores, are not parameters and are not counted: those sizes are floors.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from anatomy.counts.flops import check_seq_len, part_path, positions
from anatomy.counts.released import QUANTISED_GROUPS, released
from anatomy.model.architecture import Attention
from anatomy.model.rows import Model
from anatomy.model.switches import DTYPES, RELEASED, SMALL
from anatomy.model.terms import (
    Factor,
    Number,
    Term,
    layers,
    rounded_up,
    total,
    whole,
)
from anatomy.reading.config import AnatomyError


def bytes_per_number(dtype: str) -> Fraction:
    """Bytes per number of a number type; raises ``AnatomyError`` for an unknown one.

    >>> bytes_per_number("bf16")
    Fraction(2, 1)
    """
    if dtype not in DTYPES:
        raise AnatomyError(f"number type is {dtype!r}; accepted: {', '.join(DTYPES)}")
    return DTYPES[dtype]


def size_of(dtype: str) -> Factor:
    """The factor of a formula that says how large a number is.

    >>> size_of("bf16").value
    2
    """
    return Factor("bytes per number", whole(bytes_per_number(dtype)), "bytes")


def weights(model: Model, dtype: str, *, mixed: bool = False) -> tuple[Term, ...]:
    """The bytes of all parameters as terms; ``mixed`` keeps in 16 bits what formats of 8 and 4 bits keep there.

    >>> import anatomy
    >>> [term.value for term in weights(anatomy.load("gpt2"), "int4", mixed=True)]
    [42467328, 79010304]
    >>> [term.value for term in weights(anatomy.load("gpt-oss-20b"), "released")]
    [9555148800, 597196800, 3608919168]
    """
    if dtype == RELEASED:
        kept = released(model)
        # A file whose packing is not known is taken at 16 bits a number, which whoever shows it says.
        return tuple(one.term for one in kept) if kept else _weights(model, "bf16", False)
    return _weights(model, dtype, mixed and dtype in SMALL)


@lru_cache(maxsize=64)
def _weights(model: Model, dtype: str, mixed: bool) -> tuple[Term, ...]:
    if not mixed:
        return (_stored("every parameter", model.parameters, dtype),)
    small = sum(row.parameters for row in model.rows if row.matrices and row.group in QUANTISED_GROUPS)
    kept = model.parameters - small
    found = (_stored("matrices of attention, MLP and experts", small, dtype), _stored("all else", kept, "bf16"))
    return tuple(term for term in found if term.value)


def _stored(label: str, parameters: int, dtype: str) -> Term:
    return Term(label, "", (), (Factor("parameters", parameters, "parameters"), size_of(dtype)))


def weights_bytes(model: Model, dtype: str, *, mixed: bool = False) -> int:
    """Bytes of all parameters in one number type (or ``mixed``), rounded up to whole bytes.

    >>> import anatomy
    >>> weights_bytes(anatomy.load("llama-2-7b"), "bf16")
    13476831232
    """
    return rounded_up(total(weights(model, dtype, mixed=mixed)))


def cached_sizes(record: Attention) -> tuple[tuple[str, tuple[Factor, ...]], ...]:
    """What one block keeps of one token: keys and values of every KV head, or a latent and a rotary key once.

    >>> import anatomy
    >>> [(kept, [factor.value for factor in sizes]) for kept, sizes in cached_sizes(anatomy.load("gpt2").attention[0])]
    [('keys and values', [2, 12, 64])]
    """
    if record.latent is not None:
        rotary = (("rotary key", (Factor("rotary key size", record.rotary),)),) if record.rotary else ()
        return (("latent", (Factor("latent size", record.latent),)), *rotary)
    heads = Factor("KV heads", record.kv_heads, "KV heads")
    if record.qk_size == record.v_size:
        return (("keys and values", (Factor("keys and values", 2), heads, Factor("head size", record.qk_size))),)
    return (
        ("keys", (heads, Factor("head size of keys", record.qk_size))),
        ("values", (heads, Factor("head size of values", record.v_size))),
    )


def held_tokens(record: Attention, seq_len: int, source: int) -> int:
    """How many tokens a block's cache holds: min(T, window) or min(T, chunk); for cross-attention the source's length.

    >>> held_tokens(Attention("decoder", (), 1, 1, 1, 1, window=512), 8192, 0)
    512
    """
    if record.kind == "cross":
        return source
    return min(seq_len, record.window or record.chunk or seq_len)


def cached(model: Model) -> Iterator[Attention]:
    """The attention that keeps a cache: what runs once per generated token; encoders see everything in one pass.

    >>> import anatomy
    >>> [record.kind for record in cached(anatomy.load("t5-base"))]
    ['self', 'cross']
    """
    return (record for record in model.attention if record.causal or record.kind == "cross")


def kv_cache(model: Model, seq_len: int, batch: int = 1, dtype: str = "bf16") -> tuple[Term, ...]:
    """The KV cache after ``seq_len`` tokens in bytes, as terms of each attention record; empty where nothing is cached.

    >>> import anatomy
    >>> [term.value for term in kv_cache(anatomy.load("gemma-3-1b"), 8192)]
    [11534336, 33554432]

    Raises ``SequenceLengthError``, or ``AnatomyError`` for a batch that is no whole number from 1.
    """
    check_seq_len(model, seq_len)
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise AnatomyError(f"batch is {batch!r}; accepted: an integer of at least 1")
    return _kv_cache(model, seq_len, batch, dtype)


@lru_cache(maxsize=64)
def _kv_cache(model: Model, seq_len: int, batch: int, dtype: str) -> tuple[Term, ...]:
    each = (size_of(dtype), *sequences(batch))
    return tuple(term for record in cached(model) for term in kept(model, record, seq_len, each))


def sequences(batch: int) -> tuple[Factor, ...]:
    """The factor of a batch, where it is more than one sequence.

    >>> [factor.value for factor in sequences(16)], sequences(1)
    ([16], ())
    """
    return (Factor("sequences", batch, "sequences"),) if batch > 1 else ()


def kept(model: Model, record: Attention, seq_len: int, each: tuple[Factor, ...]) -> tuple[Term, ...]:
    """The terms of one attention record's cache at any length.

    ``each`` is what every number kept is multiplied by: its bytes, then the sequences where there are several.
    """
    unit = "source tokens" if record.kind == "cross" else "tokens"
    held = Factor(f"{unit} held", held_tokens(record, seq_len, positions(model, seq_len)["source"]), unit)
    size, *many = each
    return tuple(
        Term(label, part_path(model, record), record.blocks, (*sizes, size, layers(record.blocks), held, *many))
        for label, sizes in cached_sizes(record)
    )


def kv_cache_bytes(model: Model, seq_len: int, batch: int = 1, dtype: str = "bf16") -> int | None:
    """Bytes of the KV cache after ``seq_len`` tokens; None where the model keeps none.

    >>> import anatomy
    >>> kv_cache_bytes(anatomy.load("llama-3-70b"), 8192)
    2684354560
    """
    terms = kv_cache(model, seq_len, batch, dtype)
    return rounded_up(total(terms)) if terms else None


@lru_cache(maxsize=64)
def kv_per_token(model: Model, dtype: str = "bf16") -> tuple[Term, ...]:
    """What the KV cache grows by with each token below every window, for one sequence, as terms.

    >>> import anatomy
    >>> [factor.value for factor in kv_per_token(anatomy.load("llama-3-70b"))[0].factors]
    [2, 8, 128, 2, 80]
    """
    size = size_of(dtype)
    return tuple(
        Term(label, part_path(model, record), record.blocks, (*sizes, size, layers(record.blocks)))
        for record in cached(model)
        if record.kind != "cross"
        for label, sizes in cached_sizes(record)
    )


def kv_bytes_per_token(model: Model, dtype: str = "bf16") -> Number | None:
    """Growth of the KV cache per token below every window, for one sequence; None where the model keeps none.

    >>> import anatomy
    >>> [kv_bytes_per_token(anatomy.load(slug)) for slug in ("llama-2-7b", "llama-3-8b", "llama-3-70b")]
    [524288, 131072, 327680]
    """
    terms = kv_per_token(model, dtype)
    return total(terms) if terms else None
