"""Experts: how many there are and how many a token uses, and the rows of a router and its experts."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from anatomy.families.layers import GATED, gate_and_up, gated_mlp, linear
from anatomy.model.blocks import Blocks
from anatomy.model.rows import Matrix, Row
from anatomy.reading.config import Config


class Experts(NamedTuple):
    """How many experts a routed block has, and how many of them a token uses."""

    held: int
    used: int

    @property
    def share(self) -> Fraction:
        """The fraction of tokens that an expert sees."""
        return Fraction(self.used, self.held)


def experts(config: Config, held: tuple[str, ...], used: tuple[str, ...], *defaults: int) -> Experts:
    """How many experts the keys ``held`` and ``used`` say, with a family's two defaults where it has them.

    >>> experts(Config({"num_local_experts": 8}), ("num_local_experts",), ("num_experts_per_tok",), 8, 2)
    Experts(held=8, used=2)
    """
    first, second = ({"default": default} for default in defaults) if defaults else ({}, {})
    all_of_them = config.integer(*held, **first)
    few = config.integer(*used, **second)
    config.share(used[0], few, held[0], all_of_them)
    return Experts(all_of_them, few)


def routed(
    name: str,
    width: int,
    inner: int,
    experts: Experts,
    blocks: Blocks,
    *,
    correction: bool = False,
    names: tuple[str, str, str] = GATED,
) -> Iterator[Row]:
    """A router, and gated MLPs stored one by one; DeepSeek's kin add a bias to the router's scores, a buffer.

    >>> [row.copies for row in routed("layers.{block}.mlp", 4096, 1536, Experts(128, 8), (range(94),))]
    [1, 128, 128, 128]
    """
    yield from linear(f"{name}.gate", "block/router", Matrix("W_router", width, experts.held), blocks=blocks)
    if correction:
        stored = f"{name}.gate.e_score_correction_bias"
        yield Row(stored, (experts.held,), "block/router", blocks, buffer=True, symbol="b_router")
    yield from gated_mlp(
        name + ".experts.{expert}", width, inner, blocks,
        names=names, part="block/experts", copies=experts.held, share=experts.share,
    )  # fmt: skip


def stacked(
    name: str, width: int, inner: int, experts: Experts, blocks: Blocks, *, bias: bool = False, layout: str = ""
) -> Iterator[Row]:
    """Gated MLPs stacked in two tensors (experts, in, out): gate and up together, laid out as ``layout`` says; down.

    >>> [row.shape for row in stacked("layers.{block}.experts", 5120, 8192, Experts(16, 1), (range(48),))]
    [(16, 5120, 16384), (16, 8192, 5120)]
    """
    down = (Matrix("W_down", inner, width, experts.held),)
    for role, matrices in (("gate-up", gate_and_up(width, inner, experts.held)), ("down", down)):
        inputs, outputs = matrices[0].inputs, sum(matrix.outputs for matrix in matrices)
        stored, part = f"{name}.{role.replace('-', '_')}_proj", f"block/experts/{role}"
        lies = layout if role == "gate-up" else ""
        yield Row(
            stored, (experts.held, inputs, outputs), part, blocks,
            matrices=matrices, multiplies="tokens", share=experts.share, layout=lies,
        )  # fmt: skip
        if bias:
            symbol = ", ".join(matrix.symbol.replace("W_", "b_") for matrix in matrices)
            yield Row(
                f"{stored}_bias", (experts.held, outputs), part, blocks,
                share=experts.share, symbol=symbol, layout=lies,
            )  # fmt: skip
