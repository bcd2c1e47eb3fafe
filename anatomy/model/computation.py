"""How a model computes where no shape tells it: the scales, caps, rotation and routing that sentences speak of."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from anatomy.model.blocks import Blocks

ONE = Fraction(1)


@dataclass(frozen=True, slots=True)
class Scale:
    """What something is multiplied by: a fixed ``number``, or the square root of it."""

    number: Fraction = ONE
    root: bool = False

    @property
    def changes(self) -> bool:
        """Whether what it multiplies comes out another.

        >>> Scale().changes, Scale(Fraction(1, 64), root=True).changes
        (False, True)
        """
        return self.number != 1


@dataclass(frozen=True, slots=True)
class Rotation:
    """Rotary positions: ``size`` numbers of each query and key are rotated, by wavelengths that ``base`` spaces.

    ``local_base`` holds in blocks with a window, where they have a base of their own; ``without`` are the blocks that
    do not rotate. ``scaling`` stretches wavelengths by ``factor`` for longer texts (linear, dynamic, yarn, longrope,
    llama3); where it also sharpens the softmax, scores are multiplied by (``sharpening`` x ln ``factor`` + 1)^2.
    """

    size: int
    base: Fraction
    local_base: Fraction | None = None
    without: Blocks = ()
    scaling: str | None = None
    factor: Fraction | None = None
    sharpening: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Routing:
    """How a router weighs experts: by the ``softmax`` or the ``sigmoid`` of its scores, over ``all`` or the ``chosen``.

    ``normalised`` weights of the chosen add up to 1, before all are multiplied by ``factor``. Experts may stand in
    ``groups``, of which the ``best_groups`` are chosen first. ``weighs`` says what is multiplied: an expert's
    ``output``, or its ``input``.
    """

    scores: str = "softmax"
    over: str = "all"
    normalised: bool = False
    factor: Fraction = ONE
    groups: int = 1
    best_groups: int = 1
    weighs: str = "output"


@dataclass(frozen=True, slots=True)
class Gate:
    """A gated unit of gpt-oss's kind: gate and up cut off at ``limit``, gate x sigmoid(``slope`` x gate), up + 1."""

    limit: Fraction
    slope: Fraction


@dataclass(frozen=True, slots=True)
class Growth:
    """Queries of blocks without rotation grow with position: by ``rate`` x ln(1 + floor((p + 1) / ``step``)) + 1."""

    rate: Fraction
    step: int


@dataclass(frozen=True, slots=True)
class Computation:
    """What is multiplied, capped, rotated and routed how, as a configuration or its family's defaults say.

    ``score_scale`` multiplies the scores of attention (``score_by_depth``: divided by the block's number too), which
    ``score_cap`` bounds by cap x tanh(score / cap); ``logit_scale`` and ``logit_cap`` do so with logits.
    ``norm_offset``: norms scale by 1 + γ. ``qkv_limit`` cuts queries, keys and values off. ``bare_qk_norm`` are the
    blocks that normalise queries and keys, after rotating them, without a learned scale. ``buckets`` of relative
    positions end at the distance ``farthest``. ``every_other_banded``: one block in two attends in sparse bands.
    ``fixed_positions`` are the stacks whose table of positions was never trained.
    """

    score_scale: Scale
    embedding_scale: Scale = Scale()
    residual_scale: Scale = Scale()
    logit_scale: Scale = Scale()
    score_by_depth: bool = False
    score_cap: Fraction | None = None
    logit_cap: Fraction | None = None
    norm_offset: bool = False
    qkv_limit: Fraction | None = None
    bare_qk_norm: Blocks = ()
    query_growth: Growth | None = None
    rotation: Rotation | None = None
    routing: Routing | None = None
    gate: Gate | None = None
    buckets: int | None = None
    farthest: int | None = None
    every_other_banded: bool = False
    fixed_positions: tuple[str, ...] = ()
