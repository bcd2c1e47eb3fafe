"""How a model computes, as JSON: what sentences and comparisons choose their words by, and no figure needs."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from anatomy.model.blocks import label
from anatomy.model.rows import Model


def computed(model: Model) -> dict[str, Any]:
    """Norms, wiring, positions and biases, then every field of the computation; null where it is not read.

    >>> import anatomy
    >>> made = computed(anatomy.load("gemma-2-27b"))
    >>> str(made["score_scale"]), made["norm"]["scale"], made["biases"]
    ("{'number': Fraction(1, 144), 'root': True}", '1 + γ', [])
    """
    made = model.computation
    found: dict[str, Any] = {
        "norm": {"form": model.traits.norm, "scale": norm_scale(model), "shift": shifts(model)},
        "norms_stream": any(branch.norm_after for stack in model.stacks for branch in stack.flow),
        "activation": model.traits.activation,
        "positions": model.traits.positions,
        "biases": biased(model),
    }
    return found | ({one.name: _plain(getattr(made, one.name)) for one in fields(made)} if made else {})


def norm_scale(model: Model) -> str | None:
    """What norms scale by: a learned γ, 1 + γ, or nothing."""
    if not any(row.symbol.startswith("γ") and "norm" in row.part_id for row in model.rows):
        return None
    return "1 + γ" if model.computation and model.computation.norm_offset else "γ"


def shifts(model: Model) -> bool:
    """Whether norms add a learned β."""
    return any(row.symbol.startswith("β") for row in model.rows)


def biased(model: Model) -> list[str]:
    """The biases of projections inside blocks, by part: ``attention b_Q``; no table and no buffer is one.

    >>> import anatomy
    >>> biased(anatomy.load("qwen2.5-7b"))
    ['attention b_Q', 'attention b_K', 'attention b_V']
    """
    held = [row for row in model.rows if row.blocks and row.symbol.startswith("b_") and not row.buffer]
    named = [f"{row.part_id} {one}" for row in held if row.symbol != "b_rel" for one in row.symbol.split(", ")]
    return list(dict.fromkeys(named))


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple):
        return label(value) if all(isinstance(one, range) for one in value) and value else list(value)
    return value
