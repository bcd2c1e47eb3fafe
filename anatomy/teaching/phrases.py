"""Phrases inside sentences on a part that depend on how the model computes, from its wiring and its computation."""

from __future__ import annotations

from fractions import Fraction

from anatomy.model.architecture import Branch
from anatomy.model.computation import Computation, Scale
from anatomy.report.anatomy import Anatomy, Part
from anatomy.words.formatting import exact
from anatomy.words.scales import plain, times

_WORKERS = {"attention": "attention", "cross-attention": "cross-attention", "mlp": "MLP", "experts": "experts"}


def flow_of(anatomy: Anatomy, part: Part) -> list[Branch]:
    """How the blocks of a part's stack are wired, branch by branch."""
    return [branch for stack in anatomy.model.stacks if stack.id == part.stack for branch in stack.flow]


def branch_of(anatomy: Anatomy, part: Part) -> Branch | None:
    """The branch that a part stands in, None outside blocks."""
    return next((branch for branch in flow_of(anatomy, part) if part.id in branch.parts), None)


def read_as(anatomy: Anatomy, part: Part) -> str:
    """How a part finds what it reads: as a norm leaves it, or as it stands in the stream.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> read_as(shown, shown.find("mlp"))
    'as the norm leaves it'
    """
    branch = branch_of(anatomy, part)
    normed = branch and (branch.reads == "norm" or branch.parts[0] != part.id)
    return "as the norm leaves it" if normed else "as it stands in the stream"


def joined(anatomy: Anatomy, part: Part) -> str:
    """What becomes of a part's result on its way to the stream."""
    branch, computation = branch_of(anatomy, part), anatomy.model.computation
    if computation and computation.residual_scale.changes:
        return f"which are {times(computation.residual_scale)} and added to the stream"
    if branch and any(one.startswith("norm-post-") for one in branch.parts):
        return "which pass a norm before they are added to the stream"
    if branch and branch.norm_after:
        return "which are added to the stream, and a norm rewrites the sum"
    return "which are added to the stream"


def workers(anatomy: Anatomy, part: Part) -> str:
    """What the blocks of a part's stack have that adds to the stream.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("deepseek-v3"))
    >>> workers(shown, shown.find("residual"))
    'Attention, MLP and experts'
    """
    held = {one.id for one in anatomy.parts if one.stack == part.stack}
    names = [word for part_id, word in _WORKERS.items() if part_id in held]
    said = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
    return said[0].upper() + said[1:]


def results(anatomy: Anatomy, _: Part) -> str:
    """What is added: the results, or a fraction of them."""
    computation = anatomy.model.computation
    if computation and computation.residual_scale.changes:
        return f"their results, {times(computation.residual_scale)},"
    return "their results"


def divided(computation: Computation | None) -> str:
    """What is done to the scores of attention, between commas; nothing where they stay as they are."""
    scale = computation.score_scale if computation else Scale()
    return f", {times(scale)}," if scale.changes else ""


def sharp(computation: Computation) -> str | None:
    """By what YaRN multiplies scores.

    >>> import anatomy
    >>> sharp(anatomy.load("gpt-oss-20b").computation)
    '(0.1 · ln 32 + 1)²'
    """
    rotation = computation.rotation
    if not rotation or rotation.sharpening is None or rotation.factor is None:
        return None
    return f"({plain(rotation.sharpening)} · ln {plain(rotation.factor)} + 1)²"


def growth(computation: Computation) -> str | None:
    """By what queries grow with their position.

    >>> import anatomy
    >>> growth(anatomy.load("llama-4-scout").computation)
    '0.1 · ln(1 + ⌊(p + 1) / 8,192⌋) + 1'
    """
    grown = computation.query_growth
    return f"{plain(grown.rate)} · ln(1 + ⌊(p + 1) / {exact(grown.step)}⌋) + 1" if grown else None


def capped(cap: Fraction | None) -> str | None:
    """A soft bound: the number x that it bounds comes nearer to the cap, and never past it."""
    return f"{plain(cap)} · tanh(x / {plain(cap)})" if cap else None


def gate(computation: Computation) -> str | None:
    """What gpt-oss's gated unit makes of gate and up."""
    return f"(up + 1) · gate · sigmoid({plain(computation.gate.slope)} · gate)" if computation.gate else None
