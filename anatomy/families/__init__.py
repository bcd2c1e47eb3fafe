"""Model families: one module each, found by the exact ``model_type`` of a configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from anatomy.families.computation import computation
from anatomy.families.unknown import other_file, unknown_type
from anatomy.model.rows import Model
from anatomy.reading.config import Config, ConfigError
from anatomy.reading.storage import storage

# model_type -> module of this package; sorted.
FAMILIES: Mapping[str, str] = {
    "apertus": "dense",
    "arcee": "dense",
    "axk1": "deepseek",
    "bart": "bart",
    "bert": "bert",
    "biogpt": "early",
    "blenderbot": "bart",
    "blenderbot-small": "bart",
    "bloom": "bloom",
    "camembert": "bert",
    "codegen": "early",
    "cohere": "llama",
    "cohere2": "llama",
    "cohere2_moe": "mixtures",
    "ctrl": "early",
    "cwm": "dense",
    "data2vec-text": "bert",
    "dbrx": "dbrx",
    "deepseek_v2": "deepseek",
    "deepseek_v3": "deepseek",
    "distilbert": "bert",
    "dots1": "mixtures",
    "electra": "bert",
    "ernie": "bert",
    "ernie4_5": "dense",
    "ernie4_5_moe": "mixtures",
    "exaone": "dense",
    "exaone4": "dense",
    "exaone_moe": "mixtures",
    "falcon": "falcon",
    "flex_olmo": "mixtures",
    "gemma": "llama",
    "gemma2": "llama",
    "gemma3": "multimodal",
    "gemma3_text": "llama",
    "glm": "dense",
    "glm4": "dense",
    "glm4_moe": "glm4_moe",
    "glm4_moe_lite": "deepseek",
    "gpt-sw3": "gpt2",
    "gpt2": "gpt2",
    "gpt_bigcode": "gpt2",
    "gpt_neox": "gpt_neox",
    "gpt_oss": "gpt_oss",
    "gptj": "gptj",
    "granite": "llama",
    "granite_swa": "dense",
    "granitemoe": "mixtures",
    "granitemoeshared": "mixtures",
    "helium": "dense",
    "hunyuan_v1_dense": "dense",
    "hunyuan_v1_moe": "mixtures",
    "hy_v3": "mixtures",
    "hyperclovax": "dense",
    "ibert": "bert",
    "internlm3": "dense",
    "iquestcoder": "dense",
    "jais2": "dense",
    "kimi_k2": "deepseek",
    "layoutlm": "bert",
    "llama": "llama",
    "llama4": "multimodal",
    "llama4_text": "llama4",
    "m2m_100": "bart",
    "mbart": "bart",
    "megatron-bert": "bert",
    "mellum": "mixtures",
    "minicpm3": "deepseek",
    "minimax_m2": "mixtures",
    "ministral": "dense",
    "ministral3": "dense",
    "mistral": "llama",
    "mistral3": "multimodal",
    "mixtral": "mixtral",
    "mpnet": "bert",
    "mpt": "mpt",
    "mvp": "bart",
    "nemotron": "dense",
    "olmo": "llama",
    "olmo2": "llama",
    "olmo3": "dense",
    "olmoe": "mixtures",
    "openai-gpt": "early",
    "opt": "opt",
    "pegasus": "bart",
    "persimmon": "early",
    "phi": "phi",
    "phi3": "phi3",
    "phimoe": "mixtures",
    "plbart": "bart",
    "qwen2": "llama",
    "qwen2_moe": "qwen_moe",
    "qwen3": "llama",
    "qwen3_moe": "qwen_moe",
    "roberta": "bert",
    "roberta-prelayernorm": "bert",
    "roformer": "bert",
    "sarvam_mla": "deepseek",
    "seed_oss": "dense",
    "smollm3": "llama",
    "solar_open": "mixtures",
    "stablelm": "stablelm",
    "starcoder2": "starcoder2",
    "t5": "t5",
    "vaultgemma": "dense",
    "vit": "vit",
    "whisper": "whisper",
    "xglm": "early",
    "xlm-roberta": "bert",
    "xlm-roberta-xl": "bert",
    "youtu": "deepseek",
}


def build(values: Mapping[str, Any], source: str = "config.json") -> Model:
    """Read a configuration into a model: every tensor row, as the released checkpoint stores it.

    >>> build({"model_type": "gpt2", "vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12,
    ...        "n_head": 12}).parameters
    124439808

    Raises ``ConfigError`` where the configuration cannot be read for certain.
    """
    config = Config(values, source)
    known = ", ".join(FAMILIES)
    other = other_file(config)
    if other:
        raise other
    if "model_type" not in values:
        raise ConfigError(source, "model_type", "missing", known)
    name = values["model_type"]
    if not isinstance(name, str):
        raise config.error("model_type", name, known)
    if name not in FAMILIES:
        raise unknown_type(source, name, FAMILIES)
    config.only("pruned_heads", None, {}, why="pruned heads leave some blocks smaller than others")
    model = import_module(f"anatomy.families.{FAMILIES[name]}").model(config)
    assert isinstance(model, Model)
    model = replace(model, computation=computation(config, model))
    config.refuse_unread()
    return replace(model, storage=storage(values))
