"""FLOPs of one decode step: the T-th token goes through the model alone, and finds what came before in a KV cache.

After the step the cache holds T tokens, so the token's query meets T keys, its own among them: min(T, window) where the
window is shorter, and ((T - 1) mod chunk) + 1 of a chunk. The T steps that write a text cost together what one causal
pass over it costs.
The source of an encoder-decoder model went through the encoder before, and its keys and values are kept.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from anatomy.counts.flops import (
    Flops,
    Pairs,
    attention_terms,
    check_seq_len,
    positions,
    weight_terms,
)
from anatomy.model.architecture import Attention
from anatomy.model.rows import Model
from anatomy.model.terms import Factor

# One token, and nothing of the source: its keys and values lie in the cache.
ALONE = {"tokens": 1, "one": 1}


def step(model: Model, seq_len: int) -> Flops:
    """FLOPs of the step that makes the cache hold ``seq_len`` tokens; latent attention as eager code computes it.

    >>> import anatomy
    >>> step(anatomy.load("gpt2"), 1024).per_pass
    284812800

    Raises ``SequenceLengthError``.
    """
    check_seq_len(model, seq_len)
    return _step(model, seq_len)


@lru_cache(maxsize=64)
def _step(model: Model, seq_len: int) -> Flops:
    return at_any_length(model, seq_len)


def at_any_length(model: Model, seq_len: int) -> Flops:
    """The same beyond the model's own longest T too: what a curve would show there."""
    return Flops(1, (*weight_terms(model, ALONE), *attention_terms(model, _met(model, seq_len))))


def absorbed(model: Model, seq_len: int) -> Flops:
    """The step of a model with latent attention whose cache holds latents only, as engines that serve it compute.

    W_UK is applied to the query and W_UV to the mixed latents, which costs what applying them to the new token's latent
    costs; but scores compare latent + rotary numbers per head, and latents are what is mixed.

    >>> import anatomy
    >>> model = anatomy.load("deepseek-v3")
    >>> step(model, 4096).attention, absorbed(model, 4096).attention
    (20468203520, 69591891968)

    Raises ``SequenceLengthError``.
    """
    check_seq_len(model, seq_len)
    inside = replace(model, attention=tuple(map(_inside_latents, model.attention)))
    return at_any_length(inside, seq_len)


def _inside_latents(record: Attention) -> Attention:
    if record.latent is None:
        return record
    return replace(record, qk_size=record.latent + (record.rotary or 0), v_size=record.latent)


def keys_met(record: Attention, seq_len: int) -> int:
    """How many keys the T-th token may see: all T, those of its window, or those of its chunk so far.

    >>> import anatomy
    >>> [keys_met(record, 20_000) for record in anatomy.load("llama-4-scout").attention]
    [3616, 20000]
    """
    if record.chunk:
        return (seq_len - 1) % record.chunk + 1
    return min(seq_len, record.window or seq_len)


def _met(model: Model, seq_len: int) -> Pairs:
    source = positions(model, seq_len)["source"]

    def pairs(record: Attention) -> tuple[Factor, ...] | None:
        if record.kind == "cross":
            return (Factor("query", 1, "queries"), Factor("keys of the source", source, "keys"))
        if not record.causal:
            return None
        return (Factor("query", 1, "queries"), Factor("keys in the cache", keys_met(record, seq_len), "keys"))

    return pairs
