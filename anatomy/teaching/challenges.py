"""The challenges: each a question with a right answer that is read off the anatomy, never typed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from anatomy.report.anatomy import Anatomy, Part
from anatomy.words.formatting import exact, percent, shape

# A block's MLPs are its dense ones and its experts alike.
MLP_GROUPS = ("mlp", "experts")
MLP_SHARE = Fraction(3, 4)


@dataclass(frozen=True, slots=True)
class Shown:
    """What the page shows: a model at a T, the selected part of it, and the model that it is compared with."""

    anatomy: Anatomy
    selected: Part
    other: Anatomy | None = None


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge: ``prompt`` asks, ``hints`` help more and more, ``solution`` is a hash of the page that solves it.

    ``solved_by`` says by which numbers what the page shows solves it; None where it does not.
    """

    id: str
    prompt: str
    hints: tuple[str, str]
    solution: str
    solved_by: Callable[[Shown], str | None]


def scores_outgrow_weights(shown: Shown) -> str | None:
    """Whether one head's T x T score matrix holds more numbers than all of a block's attention weights.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("smollm2-135m"), 1024)
    >>> scores_outgrow_weights(Shown(shown, shown.parts[0]))
    'one head’s scores hold 1,048,576 numbers, all attention weights of a block 884,736'
    """
    for part in shown.anatomy.parts:
        scores = [prod(one.shape) for one in part.activations if one.symbol == "Scores, per head"]
        held = part.parameters_per_block
        if scores and held and scores[0] > held:
            return f"one head’s scores hold {exact(scores[0])} numbers, all attention weights of a block {exact(held)}"
    return None


def mlps_hold_most(shown: Shown) -> str | None:
    """Whether the MLPs (experts are MLPs too) hold more than three quarters of all parameters.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> models = map(anatomy.load, ("gpt2", "llama-3-70b"))
    >>> [mlps_hold_most(Shown(one, one.parts[0])) for one in map(describe, models)]
    [None, 'the MLPs hold 56,371,445,760 of 70,553,706,496 parameters, 80%']
    """
    anatomy = shown.anatomy
    held, total = sum(group.parameters for group in anatomy.groups if group.id in MLP_GROUPS), anatomy.model.parameters
    share = Fraction(held, total)
    if share <= MLP_SHARE:
        return None
    return f"the MLPs hold {exact(held)} of {exact(total)} parameters, {percent(share)}"


def keys_are_smaller(shown: Shown) -> str | None:
    """Whether attention is selected and its W_K is smaller than its W_Q.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("llama-3-70b"))
    >>> keys_are_smaller(Shown(shown, shown.find("attention")))
    'W_K is 8,192 × 1,024, W_Q 8,192 × 8,192'
    """
    if shown.selected.id != "attention":
        return None
    shapes = {weight.symbol: weight.shape for weight in shown.selected.weights}
    keys, queries = shapes.get("W_K"), shapes.get("W_Q")
    if not keys or not queries or prod(keys) >= prod(queries):
        return None
    return f"W_K is {shape(keys)}, W_Q {shape(queries)}"


# The first three: what a newcomer is asked.
FIRST = (
    Challenge(
        "scores",
        "Find a model and a sequence length T at which one head’s T × T score matrix holds more numbers than all of a "
        "block’s attention weights.",
        (
            "The weights grow with the square of the model’s width, the scores with the square of T: take a narrow "
            "model with a long context and raise T.",
            "SmolLM2 135M is one of the narrowest. Its longest T is far more than it takes.",
        ),
        "#model=smollm2-135m&t=1024&part=attention",
        scores_outgrow_weights,
    ),
    Challenge(
        "mlp",
        "Find a model whose MLPs hold more than three quarters of all its parameters.",
        (
            "A large model spends little on its vocabulary, and grouped-query attention shrinks its attention: what is "
            "left is MLP.",
            "Any of the Llama 3 models from 70B on.",
        ),
        "#model=llama-3-70b&t=8&part=mlp",
        mlps_hold_most,
    ),
    Challenge(
        "keys",
        "With attention selected, find a model whose key projection W_K is smaller than its query projection W_Q.",
        (
            "Look for query heads that share key and value heads. Multi-head latent attention does not count: it makes "
            "its keys from a latent in two steps and has no single W_K.",
            "In Llama 3 8B four query heads share each key head: select its attention and look at W_K.",
        ),
        "#model=llama-3-8b&t=8&part=attention",
        keys_are_smaller,
    ),
)


def solved(offered: Collection[Challenge], shown: Shown) -> dict[str, str]:
    """Which of the challenges offered are solved by what the page shows: by which numbers, by the challenge's id.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("llama-3-70b"), 8192)
    >>> list(solved(FIRST, Shown(shown, shown.find("attention"))))
    ['mlp', 'keys']
    """
    found = {one.id: one.solved_by(shown) for one in offered}
    return {name: by for name, by in found.items() if by}


def results(offered: Collection[Challenge], solved_by: Mapping[str, str]) -> str:
    """What a reader has solved of the challenges offered, as text to hand in.

    >>> print(results(FIRST[1:], {"mlp": "the MLPs hold 80%"}))
    Anatomy of a transformer: 1 of 2 challenges solved
    [x] Find a model whose MLPs hold more than three quarters of all its parameters.
        Solved: the MLPs hold 80%.
    [ ] With attention selected, find a model whose key projection W_K is smaller than its query projection W_Q.
    """
    done = sum(one.id in solved_by for one in offered)
    lines = [f"Anatomy of a transformer: {done} of {len(offered)} challenges solved"]
    for one in offered:
        lines.append(f"[{'x' if one.id in solved_by else ' '}] {one.prompt}")
        if by := solved_by.get(one.id):
            lines.append(f"    Solved: {by}.")
    return "\n".join(lines)
