"""Totals by closed formulas that only the tests know: a second count of every family, written without the first.

Each formula reads the keys that its network's sizes come from, with the family's defaults, and refuses what cannot be
a size. :class:`Keys` remembers which keys were read, so that a test knows which ones a number may depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests.recount import dense, encoders, experts
from tests.recount.keys import MOST, Keys, RefusedError

__all__ = ["FORMULAS", "MOST", "RefusedError", "recount"]

FORMULAS: Mapping[str, Callable[[Keys], int]] = {
    **dict.fromkeys(("granite", "llama", "mistral", "qwen2", "qwen3", "smollm3"), dense.llama),
    **dict.fromkeys(("gemma", "gemma2", "gemma3_text"), dense.gemma),
    **dict.fromkeys(("cohere", "cohere2"), dense.cohere),
    **dict.fromkeys(("olmo", "olmo2"), dense.olmo),
    **dict.fromkeys(("gpt2", "gpt_bigcode"), dense.gpt2),
    **dict.fromkeys(("qwen2_moe", "qwen3_moe"), experts.qwen_moe),
    **dict.fromkeys(("deepseek_v2", "deepseek_v3", "kimi_k2"), experts.deepseek),
    **dict.fromkeys(("bert", "roberta"), encoders.bert),
    "bart": encoders.bart,
    "bloom": dense.bloom,
    "dbrx": experts.dbrx,
    "falcon": dense.falcon,
    "glm4_moe": experts.glm4_moe,
    "gpt_neox": dense.gpt_neox,
    "gpt_oss": experts.gpt_oss,
    "gptj": dense.gptj,
    "llama4_text": experts.llama4,
    "mixtral": experts.mixtral,
    "mpt": dense.mpt,
    "opt": dense.opt,
    "phi": dense.phi,
    "phi3": dense.phi3,
    "stablelm": dense.stablelm,
    "starcoder2": dense.starcoder2,
    "t5": encoders.t5,
    "vit": encoders.vit,
    "whisper": encoders.whisper,
}
# The text part of each multimodal configuration.
TEXT = {"gemma3": "gemma3_text", "llama4": "llama4_text", "mistral3": "mistral"}


def recount(values: Mapping[str, Any], architecture: str) -> tuple[int, set[str]]:
    """The total of a configuration for a class, and the keys that it was read from; raises :class:`RefusedError`."""
    kind = values.get("model_type")
    if not isinstance(kind, str) or kind not in {*FORMULAS, *TEXT}:
        raise RefusedError("model_type")
    if kind in TEXT:
        text = values.get("text_config")
        if not isinstance(text, Mapping) or text.get("model_type") not in (None, TEXT[kind]):
            raise RefusedError("text_config")
        outside = values.get("tie_word_embeddings")
        if outside is None and "tie_word_embeddings" in values and kind != "llama4":
            raise RefusedError("tie_word_embeddings")
        if outside is not None and (
            type(outside) is not bool or text.get("tie_word_embeddings") not in (None, outside)
        ):
            raise RefusedError("tie_word_embeddings")
        if (kind, outside, text.get("tie_word_embeddings")) in (("llama4", True, None), ("gemma3", None, False)):
            raise RefusedError("tie_word_embeddings")
        values = {**text, "model_type": TEXT[kind]}
        if outside is not None:
            values["tie_word_embeddings"] = outside
        kind, architecture = TEXT[kind], "ForCausalLM"
    keys = Keys(values, architecture)
    return FORMULAS[kind](keys), keys.read
