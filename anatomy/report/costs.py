"""What a model costs at a T and a setting of the switches: each figure as a working, each curve as its points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from anatomy.counts import (
    curves,
    memory,
    passes,
    peak,
    released,
    shortcuts,
)
from anatomy.counts.conventions import Convention as Convention
from anatomy.counts.curves import HORIZON as HORIZON
from anatomy.counts.curves import Point as Point
from anatomy.counts.flops import Flops, longest, part_path
from anatomy.counts.peak import Step as Step
from anatomy.counts.shortcuts import Shortcut as Shortcut
from anatomy.model.architecture import Attention
from anatomy.model.rows import Model
from anatomy.model.switches import DECODE, PREFILL, RELEASED, Options
from anatomy.model.terms import (
    ByPart,
    Factor,
    Term,
    total,
)
from anatomy.report.parts import Part
from anatomy.words.working import Working


@dataclass(frozen=True, eq=False)
class Costs:
    """The costs of a model; ``options`` are those that can be counted of it, ``parts`` those of its anatomy."""

    model: Model
    seq_len: int
    options: Options
    parts: tuple[Part, ...]

    @cached_property
    def run(self) -> Flops:
        """The FLOPs of the run that the options ask for."""
        return passes.run(self.model, self.seq_len, self.options)

    @property
    def passes(self) -> int:
        """How many forward passes the run costs."""
        return passes.PASSES[self.options.run]

    @cached_property
    def shortcut(self) -> Shortcut:
        """2N for each pass, and the steps from there to the run's exact FLOPs."""
        return shortcuts.two_n(self.model, self.run, self.passes)

    @property
    def blocks_shortcut(self) -> Shortcut:
        """12 L d², and the steps from there to the exact parameters of the blocks."""
        return shortcuts.twelve_l_d_squared(self.model)

    @property
    def per_pass(self) -> Working:
        """FLOPs of the whole run."""
        return Working("FLOPs of the whole pass", self.run.terms, self.run.per_pass)

    @property
    def per_token(self) -> Working:
        """FLOPs of the run per token.

        >>> import anatomy
        >>> anatomy.describe(anatomy.load("gpt2"), 8).costs.per_token.sums()[-12:]
        ' 247,358,976'
        """
        return per_token(self.run)

    @cached_property
    def by_part(self) -> tuple[tuple[Part, Working], ...]:
        """The parts that multiply in the run, each with its FLOPs."""
        terms = ByPart(self.run.terms)
        found = ((part, terms.of(part.id, self.model.named_stack(part.stack), part.blocks)) for part in self.parts)
        return tuple((part, _of(part.label, mine)) for part, mine in found if mine)

    def weights(self, dtype: str, *, mixed: bool = True) -> Working:
        """Bytes of the weights; small types keep in 16 bits what formats keep there, unless ``mixed`` is off."""
        return _of("weights", memory.weights(self.model, dtype, mixed=mixed))

    @property
    def released_by_type(self) -> dict[str, int] | None:
        """The bytes of the weights in each number type of the published file; None where its packing is not counted.

        >>> import anatomy
        >>> anatomy.describe(anatomy.load("deepseek-v3"), 8).costs.released_by_type
        {'fp8': 669065609216, 'fp32': 163352928, 'bf16': 3921590272}
        """
        return dict(released.by_type(self.model)) or None

    @cached_property
    def kv_per_token(self) -> Working | None:
        """Growth of the KV cache per token of one sequence, below every window."""
        terms = memory.kv_per_token(self.model, self.options.cache)
        return _of("KV cache per token", terms) if terms else None

    @cached_property
    def kv_cache(self) -> Working | None:
        """Bytes of the KV cache at T, for all sequences.

        >>> import anatomy
        >>> anatomy.describe(anatomy.load("llama-3-70b"), 8192).under(Options(batch=2)).kv_cache.result
        5368709120
        """
        terms = memory.kv_cache(self.model, self.seq_len, self.options.batch, self.options.cache)
        return _of("KV cache", terms) if terms else None

    @cached_property
    def cached(self) -> tuple[Attention, ...]:
        """The attention that keeps a cache, kind of layer by kind of layer."""
        return tuple(memory.cached(self.model))

    @property
    def kv_kinds(self) -> tuple[tuple[Attention, Working], ...]:
        """What each kind of layer keeps of the KV cache."""
        terms = self.kv_cache.terms if self.kv_cache else ()
        places = ((record, (part_path(self.model, record), record.blocks)) for record in self.cached)
        return tuple(
            (record, _of("KV cache of a kind of layer", tuple(one for one in terms if (one.part, one.blocks) == place)))
            for record, place in places
        )

    @property
    def activations_in(self) -> str:
        """The number type of activations: 16 bits, unless the weights are in fp32."""
        weights = self.model.storage.plain if self.options.weights == RELEASED else self.options.weights
        return "fp32" if weights == "fp32" else "bf16"

    def peak(self, *, fused: bool = True) -> tuple[Step, Working]:
        """The most that one layer holds in the run's forward pass: the step of a block, and its bytes."""
        alone, batch = self.options.run == DECODE, self.options.batch
        step = peak.peak(self.model, self.seq_len, batch, self.activations_in, fused=fused, alone=alone)
        return step, _of("peak activation", step.terms)

    @property
    def serves(self) -> bool:
        """Whether the run keeps a KV cache: a training step keeps none."""
        return self.options.run in (PREFILL, DECODE)

    @cached_property
    def needed(self) -> Working:
        """Weights, the KV cache of a run that keeps one, and the peak activation of one layer, attention fused."""
        cache = self.kv_cache if self.serves else None
        found = [*self.weights(self.options.weights).terms, *(cache.terms if cache else ()), *self.peak()[1].terms]
        return _of("needed", tuple(found))

    @cached_property
    def longest(self) -> int:
        """The longest T of the model."""
        return longest(self.model)

    @cached_property
    def overtakes(self) -> int | None:
        """The first T at which attention costs more than all products with weights; None where it never does."""
        return curves.overtakes(self.model, self.options)

    def split_at(self, seq_len: int) -> Point:
        """FLOPs per token at any T, of products with weights and of attention."""
        return curves.point(self.model, seq_len, self.options)

    @cached_property
    def split_curve(self) -> tuple[Point, ...]:
        """The same from one token to the longest T, or past where attention overtakes; of one length, none.

        >>> import anatomy
        >>> [point.seq_len for point in anatomy.describe(anatomy.load("gpt2"), 8).costs.split_curve][-3:]
        [7500, 10000, 10054]
        """
        if "tokens" in self.model.fixed_lengths:
            return ()
        crossing = self.overtakes
        last = max(self.longest, crossing * 3 // 2) if crossing else self.longest
        return tuple(map(self.split_at, curves.lengths(last, self.longest, crossing or 1)))

    def cache_at(self, seq_len: int) -> tuple[int, ...]:
        """Bytes of the KV cache at any T, kind of layer by kind of layer."""
        return curves.cache(self.model, seq_len, self.options)

    @cached_property
    def cache_curve(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """The same from one token to the longest T; none where nothing is cached."""
        lengths = curves.lengths(self.longest, *self.bends) if self.cached else ()
        return tuple((at, self.cache_at(at)) for at in lengths)

    @cached_property
    def bends(self) -> tuple[int, ...]:
        """The lengths at which a cache stops growing: windows and chunks shorter than the longest T."""
        return curves.bends(self.model)


def per_token(run: Flops) -> Working:
    """FLOPs of a run per token."""
    return Working("FLOPs per token", run.terms, run.per_token, Factor("tokens", run.tokens, "tokens"))


def _of(name: str, terms: tuple[Term, ...]) -> Working:
    return Working(name, terms, total(terms))
