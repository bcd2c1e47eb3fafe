"""Two models at one T: their parts and figures side by side with exact ratios, and what differs in kind, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from anatomy.catalog import LoadedModel
from anatomy.counts import flops
from anatomy.model.architecture import Attention
from anatomy.model.blocks import count
from anatomy.model.parts import GROUPS
from anatomy.model.terms import Number
from anatomy.reading.config import SequenceLengthError
from anatomy.report import contrasts
from anatomy.report.anatomy import DEFAULT_SEQ_LEN, Anatomy, describe
from anatomy.report.contrasts import Contrast
from anatomy.words.formatting import ratio

__all__ = ["Comparison", "Contrast", "Line", "common_seq_len", "compare"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the table: a part, group or figure of both models; None where a model has no such thing."""

    id: str
    label: str
    first: Number | None
    second: Number | None
    unlike: bool = False

    @property
    def ratio(self) -> Fraction | None:
        """How many times the first number the second is; None where one of them is absent or nothing.

        Nor is what stands in few of one model's blocks held against what stands in most of the other's.

        >>> Line("width", "Width", 768, 8192).ratio
        Fraction(32, 3)
        """
        if not self.first or not self.second or self.unlike:
            return None
        return Fraction(self.second) / Fraction(self.first)


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

    @property
    def direction(self) -> str:
        """Which way every ratio goes, in words.

        >>> import anatomy
        >>> compare(anatomy.load("gpt2"), anatomy.load("llama-3-70b")).direction
        'Llama 3 70B has 567 times as many parameters as GPT-2 small; every ratio is of its number to the other’s.'
        """
        one, other = self.first.model, self.second.model
        times = ratio(Fraction(other.parameters, one.parameters)).removesuffix(" ×")
        often = (
            "as many parameters as" if other.parameters == one.parameters else f"{times} times as many parameters as"
        )
        return f"{other.name} has {often} {one.called}; every ratio is of its number to the other’s."


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
    few: list[dict[str, bool]] = []
    labels: dict[str, str] = {}
    for anatomy in (first, second):
        sums: dict[str, int] = {}
        blocks: dict[str, int] = {}
        for part in anatomy.parts:
            if part.id != "residual":  # it is no tensor
                sums[part.id] = sums.get(part.id, 0) + part.parameters
                labels.setdefault(part.id, part.label)
                if part.blocks:
                    blocks[part.id] = blocks.get(part.id, 0) + count(part.blocks)
        many = _blocks(anatomy)
        held.append(sums)
        few.append({part_id: 2 * number < many for part_id, number in blocks.items()} if many else {})
    for part_id in _merged(list(held[0]), list(held[1])):
        alike = few[0].get(part_id) == few[1].get(part_id) or len(first.model.stacks) + len(second.model.stacks) > 2
        label = _PLAIN.get(part_id, labels[part_id])
        yield Line(part_id, label, held[0].get(part_id), held[1].get(part_id), unlike=not alike)


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


def _blocks(anatomy: Anatomy) -> int:
    return sum(stack.blocks for stack in anatomy.model.stacks)


def _step(anatomy: Anatomy) -> int | None:
    step = anatomy.decode_step
    return step.per_pass if step else None


def _released(anatomy: Anatomy) -> int | None:
    held = anatomy.costs.released_by_type
    return sum(held.values()) if held else None


def _heads(read: Callable[[Attention], int | None]) -> Callable[[Anatomy], Number | None]:
    def of(anatomy: Anatomy) -> int | None:
        return read(contrasts.usual_attention(anatomy.model))

    return of


def _width(part_id: str) -> Callable[[Anatomy], Number | None]:
    def of(anatomy: Anatomy) -> int | None:
        # Of the blocks that are most; an MLP that is not gated has a W_up alone.
        found = [part for part in anatomy.parts if part.id == part_id and part.blocks]
        found.sort(key=lambda part: count(part.blocks or ()), reverse=True)
        widths = [weight.shape[1] for part in found for weight in part.weights if weight.symbol == "W_up"]
        return widths[0] if widths else None

    return of


_FIGURES: tuple[tuple[str, str, Callable[[Anatomy], Number | None]], ...] = (
    ("parameters", "Parameters", lambda one: one.model.parameters),
    ("without-embeddings", "Without embeddings", lambda one: one.model.parameters_without_embeddings),
    ("active", "Active per token", lambda one: one.model.active_parameters),
    ("flops", "Forward FLOPs per token, full square", lambda one: one.full.per_token),
    ("kv-cache", "KV cache bytes at T, bf16", lambda one: one.kv_bytes),
    ("kv-per-token", "KV cache bytes per token, bf16", lambda one: one.kv_bytes_per_token),
    ("decode-flops", "FLOPs of a decode step", _step),
    ("weights-bytes", "Weights as released, bytes", _released),
    ("blocks", "Blocks", _blocks),
    ("width", "Width", lambda one: one.model.width),
    ("heads", "Query heads", _heads(lambda record: record.query_heads)),
    ("kv-heads", "KV heads", _heads(lambda record: None if record.latent else record.kv_heads)),
    ("head-size", "Head size", _heads(lambda record: record.qk_size)),
    ("mlp-width", "MLP width", _width("mlp")),
    ("expert-width", "Width of an expert", _width("experts")),
    ("experts", "Experts", lambda one: one.model.traits.experts),
    ("experts-per-token", "Experts per token", lambda one: one.model.traits.experts_per_token),
    ("vocabulary", "Vocabulary", lambda one: one.model.vocabulary),
    ("context", "Context", lambda one: one.model.context),
)
# The kinds of blocks: what stands in them after attention.
_FRAMES = (("dense", "with an MLP"), ("routed", "with experts"))


def _figures(first: Anatomy, second: Anatomy) -> Iterator[Line]:
    """The figures that one of them has, and after the number of blocks those of each kind of block."""
    for name, label, figure in _FIGURES:
        one, other = figure(first), figure(second)
        if one is not None or other is not None:
            yield Line(name, label, one, other)
        if name == "blocks":
            yield from _frames(first, second)


def _frames(first: Anatomy, second: Anatomy) -> Iterator[Line]:
    """Of each kind of block how many there are and what one holds, so that like is held against like."""
    several = len(first.model.stacks) + len(second.model.stacks) > 2
    held = [_of_kinds(anatomy, several) for anatomy in (first, second)]
    order = [kind for kind, _ in _FRAMES]
    for key in sorted({**held[0], **held[1]}, key=lambda key: (key[0] != "encoder", order.index(key[1]))):
        stack, kind = key
        one, other = (sizes.get(key) for sizes in held)
        where = f"{stack.capitalize()} b" if stack else "B"
        ident = f"{stack}-{kind}" if stack else kind
        words = dict(_FRAMES)[kind]
        yield Line(f"blocks-{ident}", f"{where}locks {words}", one and one[0], other and other[0])
        one_of = f"One {stack} block {words}" if stack else f"One block {words}"
        yield Line(f"block-{ident}", f"{one_of}, parameters", one and one[1], other and other[1])


def _of_kinds(anatomy: Anatomy, several: bool) -> dict[tuple[str, str], tuple[int, int]]:
    """How many blocks of each kind, and the parameters of one: of those that are most, where some differ in size."""
    sizes: dict[tuple[str, str], dict[int, int]] = {}
    for kind in anatomy.block_kinds:
        routed = any(part.id == "experts" for part in kind.parts)
        found = sizes.setdefault((kind.stack if several else "", "routed" if routed else "dense"), {})
        found[kind.parameters] = found.get(kind.parameters, 0) + count(kind.blocks)
    return {key: (sum(found.values()), max(found, key=lambda one: found[one])) for key, found in sizes.items()}
