"""What a model costs at a T and a setting of the switches: each figure as a working, for views and JSON."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from anatomy.counts import (
    conventions,
    curves,
    decoding,
    flops,
    memory,
    parameters,
    peak,
    training,
)
from anatomy.counts.conventions import Convention
from anatomy.counts.flops import Flops
from anatomy.counts.peak import Step
from anatomy.counts.shortcuts import Shortcut, twelve_l_d_squared, two_n
from anatomy.model.rows import Model
from anatomy.model.switches import (
    CAUSAL,
    DECODE,
    FULL,
    LAST,
    PREFILL,
    RECOMPUTE,
    SMALL,
    TRAIN,
    TYPES,
    Options,
    effective,
)
from anatomy.model.terms import Factor, total
from anatomy.words import naming
from anatomy.words.working import Working, divided

# Forward passes that a run costs, for the shortcut that stands beside it.
PASSES = {PREFILL: 1, DECODE: 1, TRAIN: training.KEEPING, RECOMPUTE: training.RECOMPUTING}


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of a model; ``options`` are those that can be counted of it, ``run`` the FLOPs that they ask for."""

    model: Model
    seq_len: int
    options: Options
    run: Flops
    shortcut: Shortcut
    blocks_shortcut: Shortcut
    overtakes: int | None
    others: tuple[Convention, ...]

    @property
    def per_pass(self) -> Working:
        """FLOPs of the whole run."""
        return Working("FLOPs of the whole pass", self.run.terms, self.run.per_pass)

    @property
    def per_token(self) -> Working:
        """FLOPs of the run per token.

        >>> import anatomy
        >>> costs(anatomy.load("gpt2"), 8, Options()).per_token.sums()[-12:]
        ' 247,358,976'
        """
        return per_token(self.run)

    def weights(self, dtype: str, *, mixed: bool = True) -> Working:
        """Bytes of the weights; small types keep in 16 bits what formats keep there, unless ``mixed`` is off."""
        return _of("weights", memory.weights(self.model, dtype, mixed=mixed))

    @property
    def sequences(self) -> tuple[Factor, ...]:
        """The factor of the batch, where it is more than one sequence."""
        return (Factor("sequences", self.options.batch, "sequences"),) if self.options.batch > 1 else ()

    @property
    def kv_per_token(self) -> Working | None:
        """Growth of the KV cache per token of one sequence, below every window."""
        terms = memory.kv_per_token(self.model, self.options.cache)
        return _of("KV cache per token", terms) if terms else None

    @property
    def kv_cache(self) -> Working | None:
        """Bytes of the KV cache at T, for all sequences."""
        terms = memory.kv_cache(self.model, self.seq_len, self.options.batch, self.options.cache)
        return _of("KV cache", terms) if terms else None

    @property
    def activations_in(self) -> str:
        """The number type of activations: 16 bits, unless the weights are in fp32."""
        return "fp32" if self.options.weights == "fp32" else "bf16"

    def peak(self, *, fused: bool = False) -> tuple[Step, Working]:
        """The most that one layer holds in prefill: the step of a block, and its bytes."""
        step = peak.peak(self.model, self.seq_len, self.options.batch, self.activations_in, fused=fused)
        return step, _of("peak activation", step.terms)

    @property
    def needed(self) -> Working:
        """Weights, KV cache and the peak activation of one layer together."""
        cache = self.kv_cache
        found = [*self.weights(self.options.weights).terms, *(cache.terms if cache else ()), *self.peak()[1].terms]
        return _of("needed", tuple(found))


def per_token(run: Flops) -> Working:
    """FLOPs of a run per token."""
    return Working("FLOPs per token", run.terms, run.per_token, Factor("tokens", run.tokens, "tokens"))


def _of(name: str, terms: tuple[Any, ...]) -> Working:
    return Working(name, terms, total(terms))


@lru_cache(maxsize=64)
def costs(model: Model, seq_len: int, options: Options) -> Costs:
    """The costs of a model at a T.

    >>> import anatomy
    >>> costs(anatomy.load("llama-3-70b"), 8192, Options(batch=2)).kv_cache.result
    5368709120

    Raises ``SequenceLengthError``.
    """
    flops.check_seq_len(model, seq_len)
    options = effective(options, model)
    run = curves.run(model, seq_len, options)
    return Costs(
        model=model,
        seq_len=seq_len,
        options=options,
        run=run,
        shortcut=two_n(model, run, PASSES[options.run]),
        blocks_shortcut=twelve_l_d_squared(model),
        overtakes=curves.overtakes(model, options),
        others=conventions.others(model, seq_len),
    )


def flops_dict(model: Model, seq_len: int) -> dict[str, Any]:
    """What ``show --json`` says of FLOPs beside the forward pass.

    >>> import anatomy
    >>> flops_dict(anatomy.load("gpt2"), 1024)["training_step"]["per_token"]
    854438400
    """
    found = costs(model, seq_len, Options())
    each = Factor("tokens", found.run.tokens)
    steps = {square: decoding.step(model, seq_len, square) for square in (FULL, CAUSAL)}
    return {
        "sampling_prefill": _run(flops.forward(model, seq_len, unembedding=LAST)),
        "decode_step": {square: one.per_pass for square, one in steps.items()} if model.decodes else None,
        "training_step": _run(training.step(model, seq_len)),
        "training_step_recomputing": _run(training.step(model, seq_len, recomputing=True)),
        "shortcuts": {
            "2N_per_token": divided(found.shortcut.value, each),
            "6N_per_token": divided(found.shortcut.value * training.KEEPING, each),
            "12Ld2_parameters": found.blocks_shortcut.value,
        },
        "attention_overtakes_at": found.overtakes,
    }


def _run(run: Flops) -> dict[str, Any]:
    return {"per_pass": run.per_pass, "per_token": run.per_token}


def memory_dict(model: Model, seq_len: int) -> dict[str, Any]:
    """What ``show --json`` says of memory beside the KV cache.

    >>> import anatomy
    >>> memory_dict(anatomy.load("gpt2"), 1024)["weights_bytes"]["fp32"]
    497759232
    """
    found = costs(model, seq_len, Options())
    (step, held), (_, fused) = found.peak(), found.peak(fused=True)
    return {
        "weights_bytes": {dtype: memory.weights_bytes(model, dtype) for dtype in TYPES},
        "mixed_weights_bytes": {dtype: memory.weights_bytes(model, dtype, mixed=True) for dtype in SMALL},
        "peak_activation": {
            "dtype": found.activations_in,
            "batch": found.options.batch,
            "part": step.part,
            "bytes": held.result,
            "bytes_fused": fused.result,
        },
    }


def conventions_dict(model: Model, seq_len: int) -> list[dict[str, Any]]:
    """What other conventions print, as ``show --json`` lists it."""
    return [
        {"figure": one.figure, "id": one.id, "value": one.value, "unit": one.binary or None}
        for one in conventions.others(model, seq_len)
    ]


def name_dict(name: str, model: Model) -> list[dict[str, Any]]:
    """The sizes in a model's name beside the true ones.

    >>> import anatomy
    >>> name_dict("Gemma 7B", anatomy.load("gemma-7b"))
    [{'written': '7B', 'claimed': 7000000000, 'active': False, 'true': 8537680896}]
    """
    return [
        {"written": one.claim.written, "claimed": one.claim.size, "active": one.claim.active, "true": one.true}
        for one in naming.named(name, model)
    ]


def parameters_of(model: Model) -> Working:
    """The total as the sum of every kind of tensor."""
    return Working("parameters", parameters.of_model(model), model.parameters)
