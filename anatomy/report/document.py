"""The anatomy as a JSON document: what ``show --json`` prints."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from anatomy.counts import costs
from anatomy.model.blocks import label
from anatomy.report.anatomy import (
    CACHE_BATCH,
    CACHE_DTYPE,
    Anatomy,
    Part,
)


def as_dict(anatomy: Anatomy) -> dict[str, Any]:
    """The record under the keys of ``show --json``, which only ever grow in number; shares are Fractions still."""
    model = anatomy.model
    cached = anatomy.kv_bytes_per_token is not None
    return {
        "model": {
            "slug": model.slug,
            "name": model.name,
            "maker": model.entry.maker if model.entry else None,
            "model_type": model.model_type,
            "architecture": model.architecture,
            "stacks": [{"id": stack.id, "blocks": stack.blocks} for stack in model.stacks],
            "width": model.width,
            "vocabulary": model.vocabulary,
            "context": model.context,
            "defaults": dict(model.defaults),
        },
        "seq_len": anatomy.seq_len,
        "parameters": {
            "total": model.parameters,
            "without_embeddings": model.parameters_without_embeddings,
            "active": model.active_parameters,
            "active_without_token_table": model.active_parameters_without_token_table,
            "released_total": model.entry.released_total if model.entry else None,
            "tied_unembedding": model.tied_unembedding,
        },
        "groups": [
            {"id": one.id, "label": one.label, "parameters": one.parameters, "share": one.share}
            for one in anatomy.groups
        ],
        "block_kinds": [
            {"stack": kind.stack, "blocks": label(kind.blocks), "parameters": kind.parameters}
            for kind in anatomy.block_kinds
        ],
        "parts": [_part_dict(part) for part in anatomy.parts],
        "flops": {
            "full": {"per_pass": anatomy.full.per_pass, "per_token": anatomy.full.per_token},
            "causal": {"per_pass": anatomy.causal.per_pass, "per_token": anatomy.causal.per_token},
            "by_part": [
                {"id": part.id, "stack": part.stack, "blocks": part.blocks_label, "per_pass": part.flops}
                for part in anatomy.parts
                if part.flops
            ],
            **costs.flops_dict(model, anatomy.seq_len),
        },
        "memory": {
            **costs.memory_dict(model, anatomy.seq_len),
            "kv_cache": {
                "dtype": CACHE_DTYPE,
                "batch": CACHE_BATCH,
                "bytes_per_token": anatomy.kv_bytes_per_token,
                "bytes": anatomy.kv_bytes,
            }
            if cached
            else None,
        },
        "other_conventions": costs.conventions_dict(model, anatomy.seq_len),
        "name": costs.name_dict(model.name, model),
    }


def _part_dict(part: Part) -> dict[str, Any]:
    return {
        "id": part.id,
        "stack": part.stack,
        "blocks": part.blocks_label,
        "label": part.label,
        "parameters_per_block": part.parameters_per_block,
        "parameters": part.parameters,
        "share": part.share,
        "weights": [
            {
                "symbol": weight.symbol,
                "shape": list(weight.shape),
                "count": weight.count,
                "stored_name": weight.stored_name,
                "stored_shape": list(weight.stored_shape),
                "parameters": weight.parameters,
                "tied_to": weight.tied_to,
                "buffer": weight.buffer,
                "layout": weight.layout or None,
            }
            for weight in part.weights
        ],
        "activations": [{"symbol": one.symbol, "shape": list(one.shape)} for one in part.activations],
    }


def to_json(value: object) -> str:
    """JSON of a record, Fractions as the integers or decimal numbers that they are.

    >>> to_json({"share": Fraction(1, 4), "whole": Fraction(8, 2)})
    '{"share": 0.25, "whole": 4}'
    """
    return json.dumps(value, default=_number, ensure_ascii=False)


def _number(value: object) -> int | float:
    if not isinstance(value, Fraction):
        raise TypeError(f"{type(value).__name__} is no JSON value")
    return value.numerator if value.denominator == 1 else float(value)
