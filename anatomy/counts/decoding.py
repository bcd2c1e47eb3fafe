"""FLOPs of one decode step: the T-th token goes through the model alone, and finds what came before in a KV cache.

After the step the cache holds T tokens, so the token's query meets T keys, its own among them (*full*), or those that
the window lets through (*causal*). The T steps that write a text cost together what one causal pass over it costs.
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
    visible_pairs,
    weight_terms,
)
from anatomy.model.architecture import Attention
from anatomy.model.rows import Model
from anatomy.model.switches import FULL
from anatomy.model.terms import Factor

# One token, and nothing of the source: its keys and values lie in the cache.
ALONE = {"tokens": 1, "one": 1}


def step(model: Model, seq_len: int, square: str = FULL) -> Flops:
    """FLOPs of the step that makes the cache hold ``seq_len`` tokens; latent attention as eager code computes it.

    >>> import anatomy
    >>> step(anatomy.load("gpt2"), 1024).per_pass
    284812800

    Raises ``SequenceLengthError``.
    """
    check_seq_len(model, seq_len)
    return _step(model, seq_len, square)


@lru_cache(maxsize=64)
def _step(model: Model, seq_len: int, square: str) -> Flops:
    return at_any_length(model, seq_len, square)


def at_any_length(model: Model, seq_len: int, square: str = FULL) -> Flops:
    """The same beyond the model's own longest T too: what a curve would show there."""
    return Flops(1, (*weight_terms(model, ALONE), *attention_terms(model, _met(model, seq_len, square))))


def absorbed(model: Model, seq_len: int, square: str = FULL) -> Flops:
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
    return at_any_length(inside, seq_len, square)


def _inside_latents(record: Attention) -> Attention:
    if record.latent is None:
        return record
    return replace(record, qk_size=record.latent + (record.rotary or 0), v_size=record.latent)


def _met(model: Model, seq_len: int, square: str) -> Pairs:
    source = positions(model, seq_len)["source"]

    def pairs(record: Attention) -> tuple[Factor, ...] | None:
        if record.kind == "cross":
            return (Factor("query", 1, "queries"), Factor("keys of the source", source, "keys"))
        if not record.causal:
            return None
        keys = seq_len if square == FULL else visible_pairs(record, seq_len) - visible_pairs(record, seq_len - 1)
        return (Factor("query", 1, "queries"), Factor("keys in the cache", keys, "keys"))

    return pairs
