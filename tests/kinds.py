"""How much of the catalogue a test walks: one model of each kind, or with `HYPOTHESIS_PROFILE=nightly` every model."""

import os
from collections.abc import Hashable

import anatomy
from anatomy.model.architecture import Attention

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


def kind(model: anatomy.LoadedModel) -> Hashable:
    """All that two models of one kind have in common: parts, wiring, ways to attend, lengths that are fixed."""
    parts = frozenset(tuple(row.part.split("/")[:2]) for row in model.rows)
    wiring = frozenset(stack.flow for stack in model.stacks)
    attends = frozenset(_attends(one) for one in model.attention)
    return parts, wiring, attends, tuple(model.fixed_lengths)


def _attends(one: Attention) -> Hashable:
    sharing = "none" if one.kv_heads == one.query_heads else "all" if one.kv_heads == 1 else "some"
    local = one.window is not None, one.chunk is not None, one.latent is not None
    return one.stack, one.kind, one.causal, sharing, local


def _first_of_each() -> list[str]:
    found: dict[Hashable, str] = {}
    # What most readers come for, in front: of equal models it is the one that is walked.
    for slug in ("gpt2", "llama-3-70b", *anatomy.entries()):
        found.setdefault(kind(anatomy.load(slug)), slug)
    return list(found.values())


KINDS = _first_of_each()
WALKED = list(anatomy.entries()) if NIGHTLY else KINDS
