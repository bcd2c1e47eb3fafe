"""Two models at one T: their parts and figures side by side with exact ratios, and what differs in kind, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from anatomy.catalog import LoadedModel
from anatomy.counts import flops
from anatomy.model.parts import GROUPS
from anatomy.model.terms import Number
from anatomy.reading.config import SequenceLengthError
from anatomy.report import contrasts
from anatomy.report.anatomy import DEFAULT_SEQ_LEN, Anatomy, describe
from anatomy.report.contrasts import Contrast

__all__ = ["Comparison", "Contrast", "Line", "common_seq_len", "compare"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: a part, group or figure of both models; None where a model has no such thing."""

    id: str
    label: str
    first: Number | None
    second: Number | None

    @property
    def ratio(self) -> Fraction | None:
        """How many times the first number the second is; None where one of them is absent or nothing.

        >>> Line("width", "Width", 768, 8192).ratio
        Fraction(32, 3)
        """
        return Fraction(self.second) / Fraction(self.first) if self.first and self.second else None


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two anatomies at one T."""

    first: Anatomy
    second: Anatomy
    parts: tuple[Line, ...]
    groups: tuple[Line, ...]
    figures: tuple[Line, ...]
    contrasts: tuple[Contrast, ...]

    @property
    def seq_len(self) -> int:
        """The one T."""
        return self.first.seq_len


def common_seq_len(first: LoadedModel, second: LoadedModel, wished: int) -> int | None:
    """The sequence length nearest to the one wished for that both models run at; None where there is none.

    >>> import anatomy
    >>> common_seq_len(anatomy.load("gpt2"), anatomy.load("llama-3-70b"), 8192)
    1024
    """
    nearest = max(1, min(wished, flops.longest(first), flops.longest(second)))
    fixed = {model.fixed_lengths["tokens"] for model in (first, second) if "tokens" in model.fixed_lengths}
    if not fixed:
        return nearest
    length = min(fixed)
    return length if len(fixed) == 1 and length <= min(flops.longest(first), flops.longest(second)) else None


def compare(first: LoadedModel, second: LoadedModel, seq_len: int = DEFAULT_SEQ_LEN) -> Comparison:
    """Two models side by side at ``seq_len`` tokens.

    >>> import anatomy
    >>> side = compare(anatomy.load("gpt2"), anatomy.load("llama-3-70b"))
    >>> next(line for line in side.parts if line.id == "mlp").second
    56371445760

    Raises ``SequenceLengthError`` where one of them does not run at this length.
    """
    described = []
    for model in (first, second):
        try:
            described.append(describe(model, seq_len))
        except SequenceLengthError as error:
            raise SequenceLengthError(f"{model.name}: {error}") from None
    one, other = described
    return Comparison(
        one,
        other,
        parts=tuple(_parts(one, other)),
        groups=tuple(_groups(one, other)),
        figures=tuple(_figures(one, other)),
        contrasts=contrasts.between(first, second),
    )


# What is named after its form in an anatomy of its own has one name where two forms stand side by side.
_PLAIN = {"attention": "Attention", "embedding": "Embedding"}


def _parts(first: Anatomy, second: Anatomy) -> Iterator[Line]:
    held: list[dict[str, int]] = []
    labels: dict[str, str] = {}
    for anatomy in (first, second):
        sums: dict[str, int] = {}
        for part in anatomy.parts:
            if part.id != "residual":  # it is no tensor
                sums[part.id] = sums.get(part.id, 0) + part.parameters
                labels.setdefault(part.id, part.label)
        held.append(sums)
    for part_id in _merged(list(held[0]), list(held[1])):
        yield Line(part_id, _PLAIN.get(part_id, labels[part_id]), held[0].get(part_id), held[1].get(part_id))


def _merged(first: list[str], second: list[str]) -> list[str]:
    """Both lists in one, each in its own order: what only the second has follows what it follows there."""
    merged = list(first)
    at = 0
    for one in second:
        if one in merged:
            at = merged.index(one) + 1
        else:
            merged.insert(at, one)
            at += 1
    return merged


def _groups(first: Anatomy, second: Anatomy) -> Iterator[Line]:
    held = [{group.id: group for group in anatomy.groups} for anatomy in (first, second)]
    for group_id in GROUPS:
        one, other = (groups.get(group_id) for groups in held)
        if one or other:
            labels = list(dict.fromkeys(group.label for group in (one, other) if group))
            label = labels[0] if len(labels) == 1 else group_id.capitalize()
            yield Line(group_id, label, one.parameters if one else None, other.parameters if other else None)


_FIGURES: tuple[tuple[str, str, Callable[[Anatomy], Number | None]], ...] = (
    ("parameters", "Parameters", lambda one: one.model.parameters),
    ("without-embeddings", "Without embeddings", lambda one: one.model.parameters_without_embeddings),
    ("active", "Active per token", lambda one: one.model.active_parameters),
    ("flops", "Forward FLOPs per token", lambda one: one.full.per_token),
    ("kv-cache", "KV cache bytes, bf16", lambda one: one.kv_bytes),
    ("blocks", "Blocks", lambda one: sum(stack.blocks for stack in one.model.stacks)),
    ("width", "Width", lambda one: one.model.width),
    ("vocabulary", "Vocabulary", lambda one: one.model.vocabulary),
    ("context", "Context", lambda one: one.model.context),
)


def _figures(first: Anatomy, second: Anatomy) -> Iterator[Line]:
    return (Line(name, label, figure(first), figure(second)) for name, label, figure in _FIGURES)
