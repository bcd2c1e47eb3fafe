"""FLOPs of a training step: forward and backward.

The backward pass is counted as two forward passes: each matrix product has a gradient for its input and one for its
weight. A step is therefore three forward passes, and four where activations are computed again instead of being kept.
Every position has a target, so the unembedding is applied at all of them.
"""

from __future__ import annotations

from anatomy.counts.flops import Flops, forward
from anatomy.model.rows import Model
from anatomy.model.switches import FULL
from anatomy.model.terms import Factor

KEEPING, RECOMPUTING = 3, 4


def step(model: Model, seq_len: int, square: str = FULL, *, recomputing: bool = False) -> Flops:
    """FLOPs of one training step over ``seq_len`` tokens: forward and backward.

    >>> import anatomy
    >>> step(anatomy.load("gpt2"), 1024).per_token
    854438400

    Raises ``SequenceLengthError``.
    """
    return of(forward(model, seq_len, square), recomputing=recomputing)


def of(run: Flops, *, recomputing: bool = False) -> Flops:
    """The training step of a forward pass.

    >>> import anatomy
    >>> of(anatomy.load("gpt2").flops(seq_len=8)).per_pass
    5936615424
    """
    passes = Factor("passes", RECOMPUTING if recomputing else KEEPING, "passes")
    return Flops(run.tokens, tuple(one.times(passes) for one in run.terms))
