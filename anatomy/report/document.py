"""What commands print as JSON: the record, a comparison, the catalogue, a tensor; keys are added, never renamed."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from anatomy.catalog import Entry, LoadedModel
from anatomy.counts.flops import Flops
from anatomy.model.blocks import label
from anatomy.model.rows import Tensor
from anatomy.model.switches import (
    DEFAULT,
    FULL,
    SMALL,
    TRAIN,
    TYPES,
    Options,
)
from anatomy.model.terms import Factor, rounded_up
from anatomy.report.anatomy import (
    Anatomy,
    Costs,
    Part,
)
from anatomy.report.comparison import Comparison, Line
from anatomy.report.computed import computed
from anatomy.words.naming import named
from anatomy.words.remarks import LEFT_OUT
from anatomy.words.working import divided


def as_dict(anatomy: Anatomy, options: Options = DEFAULT) -> dict[str, Any]:
    """What ``show --json`` prints, with memory as the switches say; shares are Fractions still."""
    model, costs = anatomy.model, anatomy.under(options)
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
        "parts_not_counted": list(model.not_counted),
        "computation": computed(model),
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
            # What every figure of this object counts that does not say otherwise.
            "square": FULL,
            "full": _run(anatomy.full),
            "windows": _run(anatomy.windows),
            "causal": _run(anatomy.causal),
            "by_part": [
                {"id": part.id, "stack": part.stack, "blocks": part.blocks_label, "per_pass": part.flops}
                for part in anatomy.parts
                if part.flops
            ],
            **_passes(anatomy),
        },
        "memory": {
            **_memory(costs),
            "kv_cache": _cache(costs),
        },
        "other_conventions": [
            {"figure": one.figure, "id": one.id, "value": one.value, "unit": one.binary or None}
            for one in anatomy.others
        ],
        "name": [
            {"written": one.claim.written, "claimed": one.claim.size, "active": one.claim.active, "true": one.true}
            for one in named(model.name, model)
        ],
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


def _passes(anatomy: Anatomy) -> dict[str, Any]:
    """What is said of FLOPs beside the forward pass."""
    costs = anatomy.costs
    each, step = Factor("tokens", costs.run.tokens), anatomy.decode_step
    return {
        "sampling_prefill": _run(anatomy.sampling),
        # One token meets what windows let through, whatever square is counted elsewhere.
        "decode_step": dict.fromkeys(("full", "windows", "causal"), step.per_pass) if step else None,
        "training_step": _run(anatomy.training_step),
        "training_step_windows": _run(anatomy.training_by_windows),
        "training_step_recomputing": _run(anatomy.recomputing_step),
        "shortcuts": {
            "2N_per_token": divided(costs.shortcut.value, each),
            "6N_per_token": divided(costs.shortcut.value * anatomy.under(Options(run=TRAIN)).passes, each),
            "12Ld2_parameters": costs.blocks_shortcut.value,
        },
        "attention_overtakes_at": costs.overtakes,
    }


def _run(run: Flops) -> dict[str, Any]:
    return {"per_pass": run.per_pass, "per_token": run.per_token}


def _cache(costs: Costs) -> dict[str, Any] | None:
    per_token, cache = costs.kv_per_token, costs.kv_cache
    if cache is None or per_token is None:
        return None
    return {
        "dtype": costs.options.cache,
        "batch": costs.options.batch,
        "bytes_per_token": per_token.result,
        "bytes": rounded_up(cache.result),
    }


def _memory(costs: Costs) -> dict[str, Any]:
    """What is said of memory beside the KV cache."""
    (step, held), (fused_step, fused) = costs.peak(fused=False), costs.peak()
    types, chosen = costs.released_by_type, costs.options.weights
    plain = {dtype: rounded_up(costs.weights(dtype, mixed=False).result) for dtype in TYPES}
    return {
        "weights_bytes": {**plain, "as_released": sum(types.values()) if types else None},
        "released": {"number_type": costs.model.storage.dtype, "bytes_by_type": types},
        "weights": {"dtype": chosen, "bytes": rounded_up(costs.weights(chosen).result)},
        "about": {"bytes": rounded_up(costs.needed.result), "attention": "fused", "leaves_out": LEFT_OUT},
        "mixed_weights_bytes": {dtype: rounded_up(costs.weights(dtype).result) for dtype in SMALL},
        "peak_activation": {
            "dtype": costs.activations_in,
            "batch": costs.options.batch,
            "part": step.part,
            "blocks": label(step.blocks),
            "holds": [term.label for term in step.terms],
            "bytes": held.result,
            "part_fused": fused_step.part,
            "blocks_fused": label(fused_step.blocks),
            "holds_fused": [term.label for term in fused_step.terms],
            "bytes_fused": fused.result,
        },
    }


def compared(comparison: Comparison) -> dict[str, Any]:
    """What ``compare --json`` prints; ``ratio`` is decimal, ``ratio_exact`` its numerator and denominator."""
    return {
        "models": [
            {"slug": one.model.slug, "name": one.model.name, "parameters": one.model.parameters}
            for one in (comparison.first, comparison.second)
        ],
        "seq_len": comparison.seq_len,
        # Second to first, in every line.
        "ratios": comparison.direction,
        "parts": [_line(line) for line in comparison.parts],
        "groups": [_line(line) for line in comparison.groups],
        "figures": [_line(line) for line in comparison.figures],
        "differences": [
            {"topic": one.topic, "first": one.first, "second": one.second, "sentence": one.sentence}
            for one in comparison.contrasts
        ],
    }


def _line(line: Line) -> dict[str, Any]:
    ratio = line.ratio
    return {
        "id": line.id,
        "label": line.label,
        "first": line.first,
        "second": line.second,
        "ratio": ratio,
        "ratio_exact": None if ratio is None else [ratio.numerator, ratio.denominator],
    }


def listed(entry: Entry, model: LoadedModel) -> dict[str, Any]:
    """What ``list --json`` says of an entry of the catalogue."""
    return {
        "slug": entry.slug,
        "name": entry.name,
        "maker": entry.maker,
        "released": entry.released,
        "model_type": model.model_type,
        "parameters": model.parameters,
        "active": model.active_parameters,
        "parts_not_counted": list(model.not_counted),
    }


def stored(tensor: Tensor) -> dict[str, Any]:
    """What ``tensors --json`` says of a tensor."""
    return {
        "name": tensor.name,
        "shape": list(tensor.shape),
        "parameters": tensor.parameters,
        "part": tensor.part,
        "block": tensor.block,
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
