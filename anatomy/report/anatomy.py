"""The anatomy of a model at a sequence length: the one record that every view draws and every command prints.

Whoever shows a figure reads it here, with its working (`words/working.py`: a figure with the terms that give it, which
refuses to exist where they do not); nothing above this counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from anatomy.catalog import LoadedModel
from anatomy.counts import (
    conventions,
    decoding,
    flops,
    parameters,
    training,
)
from anatomy.counts.conventions import Convention
from anatomy.counts.flops import Flops
from anatomy.model.parts import group
from anatomy.model.switches import (
    CAUSAL,
    DEFAULT,
    FULL,
    LAST,
    WINDOWS,
    Options,
    effective,
)
from anatomy.model.terms import ByPart, Number, Term, rounded_up, total

# What the record is made of is imported from here by whoever reads the record: hence each name as itself.
from anatomy.report.activations import Activation as Activation
from anatomy.report.costs import Costs as Costs
from anatomy.report.costs import per_token
from anatomy.report.parts import BlockKind as BlockKind
from anatomy.report.parts import Part as Part
from anatomy.report.parts import parts_of
from anatomy.report.weights import Weight as Weight
from anatomy.words import labels
from anatomy.words.working import Working

DEFAULT_SEQ_LEN = 8
CACHE_DTYPE, CACHE_BATCH = DEFAULT.cache, DEFAULT.batch


@dataclass(frozen=True, slots=True)
class Group:
    """A group of parameters, for the bar; ``terms`` add up to them."""

    id: str
    label: str
    parameters: int
    share: Fraction
    terms: tuple[Term, ...]

    @property
    def working(self) -> Working:
        """How they are counted."""
        return Working(self.label, self.terms, self.parameters)


@dataclass(frozen=True, eq=False)
class Anatomy:
    """Everything shown of a model at T = ``seq_len``: its parts, its figures, and what it costs."""

    model: LoadedModel
    seq_len: int
    longest: int
    groups: tuple[Group, ...]
    block_kinds: tuple[BlockKind, ...]
    parts: tuple[Part, ...]
    full: Flops
    windows: Flops
    causal: Flops

    def address(self, part: Part) -> tuple[str, str | None, str | None]:
        """What tells the part from the others: its id, then its stack and blocks where there are several."""
        several = sum(kind.stack == part.stack for kind in self.block_kinds) > 1
        return part.id, self.model.named_stack(part.stack), part.blocks_label if several else None

    def find(self, part_id: str, stack: str | None = None, blocks: str | None = None) -> Part | None:
        """The part with this id, in this stack and kind of blocks where they are given; else None."""
        for part in self.parts:
            if part.id == part_id and stack in (None, part.stack) and blocks in (None, part.blocks_label):
                return part
        return None

    @property
    def parameters(self) -> Working:
        """All parameters, as the sum of every kind of tensor."""
        return Working("parameters", parameters.of_model(self.model), self.model.parameters)

    @property
    def without_embeddings(self) -> Working:
        """All parameters but those of embeddings and unembedding."""
        held = self.model.parameters_without_embeddings
        return Working("without embeddings", parameters.of_blocks(self.model), held)

    @property
    def active(self) -> Working:
        """The parameters that one token's pass uses."""
        return Working("active", parameters.active(self.model), self.model.active_parameters)

    def per_token(self, square: str = FULL) -> Working:
        """Forward FLOPs per token."""
        return per_token(self.forward(square))

    @property
    def costs(self) -> Costs:
        """What the model costs as the switches stand at first."""
        return self.under(DEFAULT)

    def under(self, options: Options) -> Costs:
        """What the model costs at another setting of the switches, or at the nearest that can be counted of it.

        >>> import anatomy
        >>> describe(anatomy.load("gpt2"), 1024).under(Options(run="decode")).run.per_pass
        284812800
        """
        return _costs(self, effective(options, self.model))

    @property
    def kv_bytes_per_token(self) -> Number | None:
        """Growth of the KV cache per token of one sequence, below every window; None where nothing is cached."""
        growth = self.costs.kv_per_token
        return growth.result if growth else None

    @property
    def kv_bytes(self) -> int | None:
        """Bytes of the KV cache of one sequence at T; None where nothing is cached."""
        cache = self.costs.kv_cache
        return rounded_up(cache.result) if cache else None

    @cached_property
    def others(self) -> tuple[Convention, ...]:
        """What other conventions print."""
        return conventions.others(self.model, self.seq_len)

    @property
    def sampling(self) -> Flops:
        """The forward pass of a server that samples: the unembedding at the last position only."""
        return flops.forward(self.model, self.seq_len, unembedding=LAST)

    def forward(self, square: str) -> Flops:
        """The forward pass by how much of the attention square is counted.

        >>> import anatomy
        >>> [describe(anatomy.load("gemma-3-1b"), 8192).forward(one).per_token for one in ("full", "windows", "causal")]
        [2871918592, 2179858432, 2111318784]
        """
        return {FULL: self.full, WINDOWS: self.windows, CAUSAL: self.causal}[square]

    def flops_of(self, part: Part, square: str = FULL) -> int:
        """Forward FLOPs of a part, in all its blocks."""
        if square == FULL:
            return part.flops
        terms = ByPart(self.forward(square).terms)
        return int(total(terms.of(part.id, self.model.named_stack(part.stack), part.blocks)))

    @property
    def decode_step(self) -> Flops | None:
        """The decode step, which reads what windows and chunks let it read; None where nothing is decoded."""
        return decoding.step(self.model, self.seq_len) if self.model.decodes else None

    @cached_property
    def training_step(self) -> Flops:
        """Forward and backward, activations kept."""
        return training.of(self.full)

    @cached_property
    def training_by_windows(self) -> Flops:
        """The same where a kernel honours windows."""
        return self.training_step if self.windows is self.full else training.of(self.windows)

    @cached_property
    def recomputing_step(self) -> Flops:
        """Forward and backward, activations computed again."""
        return training.of(self.full, recomputing=True)


@lru_cache(maxsize=64)
def _costs(anatomy: Anatomy, options: Options) -> Costs:
    return Costs(anatomy.model, anatomy.seq_len, options, anatomy.parts)


@lru_cache(maxsize=64)
def _described(model: LoadedModel, seq_len: int) -> Anatomy:
    full = flops.forward(model, seq_len)
    parts, block_kinds = parts_of(model, seq_len, full)
    return Anatomy(
        model=model,
        seq_len=seq_len,
        longest=flops.longest(model),
        groups=groups_of(model),
        block_kinds=block_kinds,
        parts=parts,
        full=full,
        windows=flops.forward(model, seq_len, WINDOWS),
        causal=flops.forward(model, seq_len, CAUSAL),
    )


@lru_cache(maxsize=64)
def groups_of(model: LoadedModel) -> tuple[Group, ...]:
    """The groups of a model's parameters, which are the same at every T.

    >>> import anatomy
    >>> [group.parameters for group in groups_of(anatomy.load("gpt2"))]
    [39383808, 28348416, 56669184, 38400]
    """
    held: dict[str, list[Term]] = {}
    for term in parameters.of_model(model):
        held.setdefault(group(term.part), []).append(term)
    return tuple(
        Group(name, labels.group(model, name), size, Fraction(size, model.parameters), tuple(held[name]))
        for name, size in model.groups().items()
    )


def describe(model: LoadedModel, seq_len: int = DEFAULT_SEQ_LEN) -> Anatomy:
    """The anatomy of ``model`` at ``seq_len`` tokens.

    >>> import anatomy
    >>> describe(anatomy.load("gpt2")).find("attention").parameters
    28348416

    Raises ``SequenceLengthError``.
    """
    flops.check_seq_len(model, seq_len)
    return _described(model, seq_len)


def default_seq_len(model: LoadedModel, wished: int = DEFAULT_SEQ_LEN) -> int:
    """The legal sequence length nearest to the one wished for.

    >>> import anatomy
    >>> default_seq_len(anatomy.load("gpt2"), 5000)
    1024
    """
    return model.fixed_lengths.get("tokens") or max(1, min(wished, flops.longest(model)))
