"""The shortcuts that papers use in place of a count, with what lies between them and the exact figure.

Each is a sum of terms, and so is each step that leads from it to the exact figure; together they meet it exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from anatomy.counts.flops import MIXING, SCORES, Flops
from anatomy.counts.parameters import active_term, term
from anatomy.model.rows import Model, Row
from anatomy.model.terms import (
    Factor,
    Number,
    Term,
    total,
    whole,
)

LESS = Factor("less", -1)


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A shortcut, what it stands for, and the steps that lead from it to the exact figure, each as terms by its name.

    ``name`` is how papers write it; ``of`` the id of the figure it stands for.
    """

    name: str
    of: str
    terms: tuple[Term, ...]
    exact: Number
    steps: tuple[tuple[str, tuple[Term, ...]], ...]

    @property
    def value(self) -> Number:
        """What the shortcut gives."""
        return total(self.terms)


def two_n(model: Model, run: Flops, passes: int = 1) -> Shortcut:
    """2N FLOPs per token (6N for a training step): each parameter in use multiplied and added once.

    The terms are of the whole pass, so that the steps from the one to the other stay whole.

    >>> import anatomy
    >>> model = anatomy.load("gpt2")
    >>> shortcut = two_n(model, model.flops(8))
    >>> shortcut.value // 8, shortcut.exact // 8
    (248879616, 247358976)
    >>> [(name, total(terms) // 8) for name, terms in shortcut.steps]
    [('tables', -78767616), ('vectors', -242688), ('tied', 77194752), ('attention', 294912)]
    """
    each, tokens = Factor("2 per parameter", 2), Factor("tokens", run.tokens, "tokens")
    often = (Factor("passes", passes, "passes"),) if passes != 1 else ()
    in_use = Factor("parameters in use", model.active_parameters, "parameters")
    shortcut = (Term("2N", "", (), (each, in_use, tokens, *often)),)
    steps: dict[str, list[Term]] = {name: [] for name in ("tables", "vectors", "positions", "tied", "attention")}
    products = [one for one in run.terms if one.label not in (SCORES, MIXING)]
    for row in model.rows:
        if row.parameters and not (row.matrices and row.multiplies):
            step_name = "tables" if row.group == "embeddings" else "vectors"
            steps[step_name].append(less(active_term(row).times(each, tokens, *often)))
    # What is left of 2N is every matrix at every token; the pass multiplies some elsewhere, and tied ones too.
    used = [row for row in model.rows if row.matrices and row.multiplies]
    for row in used:
        mine = [one for one in products if _from(row, one)]
        counted = active_term(row).times(each, tokens, *often)
        if row.tied_to:
            steps["tied"] += mine
        elif total(mine) != counted.value:
            steps["positions"] += [*mine, less(counted)]
    steps["attention"] += [one for one in run.terms if one.label in (SCORES, MIXING)]
    kept = tuple((name, tuple(terms)) for name, terms in steps.items() if terms)
    found = Shortcut(f"{2 * passes}N", "flops", shortcut, run.per_pass, kept)
    return _checked(found)


def _from(row: Row, product: Term) -> bool:
    symbols = [matrix.symbol for matrix in row.matrices]
    return (product.part, product.blocks) == (row.part, row.blocks) and product.label in symbols


@lru_cache(maxsize=64)
def twelve_l_d_squared(model: Model) -> Shortcut:
    """12 L d²: four square matrices of attention and eight of the MLP in each of L blocks, without embeddings.

    >>> import anatomy
    >>> shortcut = twelve_l_d_squared(anatomy.load("gpt2"))
    >>> shortcut.value, shortcut.exact
    (84934656, 85056000)
    >>> [(name, total(terms)) for name, terms in shortcut.steps]
    [('vectors', 82944), ('norms', 38400)]
    """
    blocks, width = sum(stack.blocks for stack in model.stacks), model.width
    square = (Factor("width", width), Factor("width", width), Factor("layers", blocks, "layers"))
    four, eight = Factor("4 of attention", 4), Factor("8 of the MLP", 8)
    attention = Term("attention", "block/attention", (), (four, *square))
    mlp = Term("MLP", "block/mlp", (), (eight, *square))
    steps: dict[str, list[Term]] = {name: [] for name in ("attention-matrices", "mlp-matrices", "vectors", "norms")}
    for row in model.rows:
        if not row.parameters or row.group in ("embeddings", "unembedding"):
            continue
        if row.group == "norms":
            steps["norms"].append(term(row))
        elif row.matrices:
            steps["attention-matrices" if row.group == "attention" else "mlp-matrices"].append(term(row))
        else:
            steps["vectors"].append(term(row))
    for name, square_term in (("attention-matrices", attention), ("mlp-matrices", mlp)):
        steps[name].append(less(square_term))
        if not total(steps[name]):
            steps[name] = []
    kept = tuple((name, tuple(terms)) for name, terms in steps.items() if terms)
    exact = model.parameters_without_embeddings
    return _checked(Shortcut("12Ld²", "without-embeddings", (attention, mlp), exact, kept))


def less(one: Term) -> Term:
    """The same term, taken away.

    >>> less(Term("W_up", "", (), (Factor("rows", 3),))).value
    -3
    """
    return Term(one.label, one.part, one.blocks, (LESS, *one.factors))


def _checked(found: Shortcut) -> Shortcut:
    gone = sum((Fraction(total(terms)) for _, terms in found.steps), Fraction(0))
    if whole(found.value + gone) != found.exact:
        raise ArithmeticError(f"{found.name}: the steps lead to {found.value + gone}, not to {found.exact}")
    return found
