"""What a file holds beside the parameters, and why: masks, frequencies, stored copies, other heads, other towers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from anatomy.checkpoint.names import split
from anatomy.model.rows import Model

MTP = "multi-token prediction"
ADAPTER = "LoRA adapter matrix"
# Tensors of any family, by name; a family's own list (Model.known) comes first.
_GENERAL: tuple[tuple[str, str], ...] = (
    (r"(.*\.)?rotary(_pos)?_emb\.inv_freq", "rotary inverse frequencies"),
    (r"(.*\.)?position_ids", "position ids"),
    (r"(.*\.)?attn\.masked_bias|(.*\.)?attention\.masked_bias", "fill value of the causal mask"),
    (r"(.*\.)?lora_(A|B|embedding_A|embedding_B)(\..*)?", ADAPTER),
    (r"(vision_tower|vision_model|visual|vision_embed_tokens|vision)\..*", "vision tower"),
    (r"(multi_modal_projector|mm_projector|image_newline|patch_merger)(\..*)?", "vision tower's projector"),
    (r"(audio_tower|audio_model|audio)\..*", "audio tower"),
    (r"mtp\..*", MTP),
    (r"(.*\.)?(k_scale|v_scale|q_scale|prob_scale|output_scale)", "scale of a quantised activation"),
)
_HEAD = re.compile(r"(lm_head|embed_out|score|classifier|qa_outputs|cls|pooler|v_head|value_head|proj_out)\..*")
# Only multi-token-prediction modules have these, one block after the model's last.
_MTP_BLOCK = re.compile(r"layers\.([0-9]{1,9})\.(?:enorm|hnorm|eh_proj|shared_head)\b.*")


@lru_cache(maxsize=16)
def _patterns(model: Model) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(known.pattern, re.ASCII), known.why) for known in model.known] + [
        (re.compile(pattern, re.ASCII), why) for pattern, why in _GENERAL
    ]


@lru_cache(maxsize=16)
def _heads(model: Model) -> frozenset[str]:
    return frozenset(split(row.name)[1].split(".", 1)[0] for row in model.rows)


def known(model: Model, name: str) -> str | None:
    """Why a file of this model may hold a tensor of this name beside the parameters; None where nothing is known.

    >>> import anatomy
    >>> known(anatomy.load("gpt2"), "transformer.h.0.attn.bias")
    'causal mask'
    """
    rest = split(name)[1]
    for pattern, why in _patterns(model):
        if pattern.fullmatch(name) or pattern.fullmatch(rest):
            return why
    head = _HEAD.fullmatch(rest)
    if head and head[1] not in _heads(model):
        return f"head of another class than {model.architecture}"
    return None


def prediction_blocks(model: Model, names: Iterable[str]) -> frozenset[str]:
    """The prefixes (``layers.61.``) of blocks after the model's last that are multi-token-prediction modules."""
    found = set()
    last = max((stack.blocks for stack in model.stacks), default=0)
    for name in names:
        match = _MTP_BLOCK.fullmatch(split(name)[1])
        if match and int(match[1]) >= last:
            found.add(f"layers.{match[1]}.")
    return frozenset(found)
