"""The pass that the switches ask for: a prefill, a decode step or a training step, in FLOPs."""

from __future__ import annotations

from anatomy.counts import decoding, flops, training
from anatomy.counts.flops import Flops
from anatomy.model.rows import Model
from anatomy.model.switches import (
    DECODE,
    PREFILL,
    RECOMPUTE,
    TRAIN,
    Options,
    effective,
)

# Forward passes that a run costs.
PASSES = {PREFILL: 1, DECODE: 1, TRAIN: training.KEEPING, RECOMPUTE: training.RECOMPUTING}


def run(model: Model, seq_len: int, options: Options) -> Flops:
    """FLOPs of what the options ask for, or of what is nearest to it where the model cannot do that.

    >>> import anatomy
    >>> model = anatomy.load("gpt2")
    >>> [run(model, 8, Options(run=one)).per_token for one in ("prefill", "decode", "train", "recompute")]
    [247358976, 247358976, 742076928, 989435904]

    Raises ``SequenceLengthError``.
    """
    options = effective(options, model)
    if options.run == DECODE:
        return decoding.step(model, seq_len)
    return _trained(flops.forward(model, seq_len, options.square, options.unembedding), options)


def at_any_length(model: Model, seq_len: int, options: Options) -> Flops:
    """The same beyond the model's own longest T too: what a curve would show there."""
    options = effective(options, model)
    if options.run == DECODE:
        return decoding.at_any_length(model, seq_len)
    return _trained(flops.at_any_length(model, seq_len, options.square, options.unembedding), options)


def _trained(forward: Flops, options: Options) -> Flops:
    return forward if options.run == PREFILL else training.of(forward, recomputing=options.run == RECOMPUTE)
