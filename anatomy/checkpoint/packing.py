"""Quantised checkpoints: which stored tensors stand for a weight in packed form, and which only help to unpack it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from anatomy.checkpoint.headers import BITS, Stored

# (ending of the stored name, what it replaces it with to name the weight). These hold the weight's numbers.
PACKED: tuple[tuple[str, str], ...] = (("_blocks", ""), (".qweight", ".weight"), (".weight_packed", ".weight"))
# The same for tensors beside a weight, and what they are. Longer endings stand before the endings they contain.
_BESIDE: tuple[tuple[str, str, str], ...] = (
    ("_scales", "", "MXFP4 scales"),
    (".weight_scale_inv", ".weight", "block scales of FP8 weights"),
    (".weight_scale_2", ".weight", "scale of block scales"),
    (".weight_global_scale", ".weight", "scale of block scales"),
    (".weight_scale", ".weight", "scales of a quantised weight"),
    (".weight_zero_point", ".weight", "zero points"),
    (".weight_shape", ".weight", "shape of a packed weight"),
    (".weight_g_idx", ".weight", "group index"),
    (".input_scale", ".weight", "scale of a quantised activation"),
    (".input_global_scale", ".weight", "scale of a quantised activation"),
    (".qzeros", ".weight", "zero points, packed"),
    (".scales", ".weight", "scales of a quantised weight"),
    (".g_idx", ".weight", "group index"),
    (".biases", ".weight", "offsets of a quantised weight"),
    (".SCB", ".weight", "row scales of an 8-bit weight"),
    (".weight_format", ".weight", "layout mark of an 8-bit weight"),
    (".weight.absmax", ".weight", "block scales of a 4-bit weight"),
    (".weight.nested_absmax", ".weight", "scales of block scales"),
    (".weight.quant_map", ".weight", "code book of a 4-bit weight"),
    (".weight.nested_quant_map", ".weight", "code book of block scales"),
    (".weight.quant_state.bitsandbytes__nf4", ".weight", "quantisation state of a 4-bit weight"),
    (".weight.quant_state.bitsandbytes__fp4", ".weight", "quantisation state of a 4-bit weight"),
)
# GPTQ files add a bias of zeros to projections that have none.
ZERO_BIAS = "bias of zeros, as GPTQ files add"
_WIDTHS = (2, 3, 4, 5, 6, 8, 1)


@dataclass(frozen=True, slots=True)
class Packing:
    """How a weight is stored: a format's name and the bits of one of its numbers."""

    format: str
    bits: int


def weight_of(name: str) -> str | None:
    """The weight that a tensor holds in packed form, by its name; None for any other name.

    >>> weight_of("model.layers.0.mlp.up_proj.qweight")
    'model.layers.0.mlp.up_proj.weight'
    """
    for ending, instead in PACKED:
        if name.endswith(ending):
            return name[: -len(ending)] + instead
    return None


def helps(name: str) -> tuple[str, str] | None:
    """The weight that a tensor helps to unpack, and what the tensor is; None for any other name.

    >>> helps("model.layers.0.mlp.up_proj.weight_scale_inv")
    ('model.layers.0.mlp.up_proj.weight', 'block scales of FP8 weights')
    """
    if name.endswith((".weight", ".bias")):
        return None
    for ending, instead, what in _BESIDE:
        if name.endswith(ending):
            return name[: -len(ending)] + instead, what
    return None


def packing(stored: Stored, expected: tuple[int, ...], beside: frozenset[str]) -> Packing | None:
    """How ``stored`` packs a weight of shape ``expected``; None where it cannot hold just that many numbers.

    ``beside`` are the descriptions (see :func:`helps`) of the tensors that stand beside the weight.

    >>> packing(Stored("up.qweight", (96, 3072), "I32", ""), (3072, 768), frozenset())
    Packing(format='GPTQ', bits=4)
    """
    if stored.shape is None or stored.dtype is None:
        return None
    numbers, held = math.prod(expected), stored.elements * BITS[stored.dtype]
    bits = next((width for width in _WIDTHS if width * numbers == held), None)
    if bits is None or not numbers:
        return None
    return Packing(_format(stored, expected, beside), bits)


def quantised(stored: Stored, beside: frozenset[str]) -> Packing | None:
    """How a weight of the right shape is quantised, number by number; None where it is not.

    >>> quantised(Stored("up.weight", (3072, 768), "F8_E4M3", ""), frozenset())
    Packing(format='FP8', bits=8)
    """
    if stored.dtype and stored.dtype.startswith("F8"):
        return Packing("FP8", 8)
    if stored.dtype == "I8":
        return Packing("bitsandbytes 8-bit" if any("8-bit" in one for one in beside) else "INT8", 8)
    return None


def _format(stored: Stored, expected: tuple[int, ...], beside: frozenset[str]) -> str:
    if stored.name.endswith("_blocks"):
        return "MXFP4"
    if stored.name.endswith(".weight_packed"):
        return "compressed-tensors"
    if stored.name.endswith(".qweight"):
        # Both pack along one axis of (in, out): GPTQ the inputs, AWQ the outputs.
        return "AWQ" if stored.shape and stored.shape[0] == expected[-1] else "GPTQ"
    if any("4-bit" in one for one in beside):
        return "bitsandbytes 4-bit"
    if "scale of block scales" in beside:
        return "NVFP4"
    if "offsets of a quantised weight" in beside:
        return "MLX"
    return "packed"
