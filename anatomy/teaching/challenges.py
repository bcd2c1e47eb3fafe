"""The challenges: each a question with a right answer that is read off the anatomy, never typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from anatomy.report.anatomy import Anatomy, Part

# A block's MLPs are its dense ones and its experts alike.
MLP_GROUPS = ("mlp", "experts")
MLP_SHARE = Fraction(3, 4)


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge: ``prompt`` asks, ``hint`` helps, ``solution`` is a hash of the page that solves it."""

    id: str
    prompt: str
    hint: str
    solution: str
    solved_by: Callable[[Anatomy, Part], bool]


def scores_outgrow_weights(anatomy: Anatomy, selected: Part) -> bool:
    """Whether one head's T x T score matrix holds more numbers than all of a block's attention weights.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"), 1024)
    >>> scores_outgrow_weights(shown, shown.parts[0])
    False
    """
    del selected
    for part in anatomy.parts:
        scores = [one for one in part.activations if one.symbol == "Scores, per head"]
        if scores and part.parameters_per_block and prod(scores[0].shape) > part.parameters_per_block:
            return True
    return False


def mlps_hold_most(anatomy: Anatomy, selected: Part) -> bool:
    """Whether the MLPs (experts are MLPs too) hold more than three quarters of all parameters.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> [mlps_hold_most(shown, shown.parts[0]) for shown in map(describe, map(anatomy.load, ("gpt2", "llama-3-70b")))]
    [False, True]
    """
    del selected
    held = sum(group.parameters for group in anatomy.groups if group.id in MLP_GROUPS)
    return Fraction(held, anatomy.model.parameters) > MLP_SHARE


def keys_are_smaller(anatomy: Anatomy, selected: Part) -> bool:
    """Whether attention is selected and its W_K is smaller than its W_Q.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("llama-3-70b"))
    >>> [part.id for part in shown.parts if keys_are_smaller(shown, part)]
    ['attention']
    """
    del anatomy
    if selected.id != "attention":
        return False
    sizes = {weight.symbol: prod(weight.shape) for weight in selected.weights}
    return "W_K" in sizes and "W_Q" in sizes and sizes["W_K"] < sizes["W_Q"]


CHALLENGES = (
    Challenge(
        "scores",
        "Find a model and a sequence length T at which one head’s T × T score matrix holds more numbers than all of a "
        "block’s attention weights.",
        "The weights grow with the square of the model’s width, the scores with the square of T: take a narrow model "
        "with a long context and raise T.",
        "#model=smollm2-135m&t=1024&part=attention",
        scores_outgrow_weights,
    ),
    Challenge(
        "mlp",
        "Find a model whose MLPs hold more than three quarters of all its parameters.",
        "A large model spends little on its vocabulary, and grouped-query attention shrinks its attention: what is "
        "left is MLP.",
        "#model=llama-3-70b&t=8&part=mlp",
        mlps_hold_most,
    ),
    Challenge(
        "keys",
        "With attention selected, find a model whose key projection W_K is smaller than its query projection W_Q.",
        "Look for query heads that share key and value heads. Multi-head latent attention does not count: it makes its "
        "keys from a latent in two steps and has no single W_K.",
        "#model=llama-3-8b&t=8&part=attention",
        keys_are_smaller,
    ),
)


def solved(anatomy: Anatomy, selected: Part) -> frozenset[str]:
    """The ids of the challenges that are solved by what the page shows.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("llama-3-70b"), 8192)
    >>> sorted(solved(shown, shown.find("attention")))
    ['keys', 'mlp']
    """
    return frozenset(one.id for one in CHALLENGES if one.solved_by(anatomy, selected))
