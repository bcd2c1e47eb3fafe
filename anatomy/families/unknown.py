"""What no family reads: why a known type is not counted, whose type another name means, and files of other kinds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from anatomy.reading.config import Config, ConfigError, shown

# Types of transformers whose networks have a structure that no family here has.
_STRUCTURES = {
    "recurrent blocks": """
        bailing_hybrid bamba falcon_h1 falcon_mamba granitemoehybrid inkling_text inkling2_text jamba kimi_linear
        lara_mini lfm2 lfm2_moe lfm3 mamba mamba2 minimax nemotron_h olmo_hybrid qwen3_5 qwen3_5_text qwen3_5_moe
        qwen3_5_moe_text qwen3_next recurrent_gemma rwkv xlstm zamba zamba2""",
    "an indexer that chooses keys": """
        axk2 deepseek_v32 deepseek_v4 dots3_note dots3_note_text glm_moe_dsa hy_v4 minimax_m3_vl_text qwen4_exp
        qwen4_exp_text""",
    "embeddings of single blocks": "gemma3n gemma3n_text gemma4 gemma4_text",
    "blocks that share keys and values": "gemma4_unified gemma4_unified_text",
    "blocks that share their weights": "albert",
    "attention to relative positions": "deberta deberta-v2 xlnet",
    "attention to hashed buckets": "reformer yoso",
    "blocks that attend to images": "mllama",
}
_MISSING = {name: structure for structure, names in _STRUCTURES.items() for name in names.split()}

# What a model or a release is called -> the type that its configuration has; separators and case left out.
_CALLED = {
    "codellama": "llama",
    "commandr": "cohere",
    "deepseekr1": "deepseek_v3",
    "flant5": "t5",
    "gptneox20b": "gpt_neox",
    "llama2": "llama",
    "llama3": "llama",
    "phi1": "phi",
    "phi2": "phi",
    "phi4": "phi3",
    "pythia": "gpt_neox",
    "qwen15": "qwen2",
    "qwen25": "qwen2",
    "refinedweb": "falcon",
    "refinedwebmodel": "falcon",
    "starcoder": "gpt_bigcode",
    "tinyllama": "llama",
}


def unknown_type(source: str, name: str, families: Mapping[str, str]) -> ConfigError:
    """The error for a ``model_type`` of no family: with what stands in the way, or with the type that is meant.

    >>> unknown_type("config.json", "mamba", {"llama": "llama"}).found
    '"mamba", which has recurrent blocks, not counted here'
    >>> unknown_type("config.json", "GPT-2", {"gpt2": "gpt2", "llama": "llama"}).accepted
    'gpt2? Known: gpt2, llama'
    """
    known = ", ".join(families)
    if name in _MISSING:
        return ConfigError(source, "model_type", f"{shown(name)}, which has {_MISSING[name]}, not counted here", known)
    plain = _plain(name)
    meant = next((one for one in families if _plain(one) == plain), _CALLED.get(plain))
    return ConfigError(source, "model_type", shown(name), (f"{meant}? Known: " if meant in families else "") + known)


def _plain(name: str) -> str:
    return re.sub(r"[-_. ]", "", name.lower())


# What adapters and draft heads say, with or without the model_type of the model that they belong to.
_MARKS = frozenset({"peft_type", "speculators_model_type", "draft_vocab_size", "medusa_num_heads"})
# What says that a file is a model's configuration, though its model_type is missing.
_SIZES = frozenset({"architectures", "hidden_size", "n_embd", "d_model", "num_hidden_layers", "n_layer", "text_config"})
# Files that lie beside a config.json, by the keys that only they have: what each is, and what to give instead.
_FILES: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("peft_type",), "an adapter's configuration (adapter_config.json)", "the config.json of its base model{base}"),
    (("speculators_model_type",), "a draft head's configuration", "the config.json of the model that it drafts for"),
    (("draft_vocab_size",), "a draft head's configuration", "the config.json of the model that it drafts for"),
    (("medusa_num_heads",), "a draft head's configuration", "the config.json of the model that it drafts for{base}"),
    (("dim", "n_layers", "n_heads"), "Meta's or Mistral's params.json", "the config.json of the transformers release"),
    (("weight_map",), "an index of weights", "the config.json beside it, or the index to anatomy check"),
    (("image_processor_type",), "a preprocessor's settings (preprocessor_config.json)", "the config.json beside it"),
    (("feature_extractor_type",), "a preprocessor's settings (preprocessor_config.json)", "the config.json beside it"),
    (("do_normalize",), "a preprocessor's settings (preprocessor_config.json)", "the config.json beside it"),
    (("processor_class",), "a processor's settings (processor_config.json)", "the config.json beside it"),
    (("tokenizer_class",), "a tokenizer's settings (tokenizer_config.json)", "the config.json beside it"),
    (("added_tokens", "model"), "a tokenizer (tokenizer.json)", "the config.json beside it"),
    (("_from_model_config",), "settings of generation (generation_config.json)", "the config.json beside it"),
    (("do_sample",), "settings of generation (generation_config.json)", "the config.json beside it"),
    (("eos_token_id",), "settings of generation (generation_config.json)", "the config.json beside it"),
    (("_class_name",), "a diffusers configuration", "the config.json of a transformers model"),
)


def other_file(config: Config) -> ConfigError | None:
    """The error for a file that is known to be no model's configuration, None for any other.

    >>> str(other_file(Config({"peft_type": "LORA", "base_model_name_or_path": "gpt2"})))
    "config.json: an adapter's configuration (adapter_config.json); accepted: the config.json of its base model, gpt2"
    """
    values: Mapping[str, Any] = config.values
    for keys, what, instead in _FILES:
        apart = keys[0] in _MARKS or not (_SIZES & values.keys() or "model_type" in values)
        if apart and all(key in values for key in keys):
            named = values.get("base_model_name_or_path")
            base = f", {shown(named)[1:-1]}" if isinstance(named, str) and named else ""
            return ConfigError(config.source, None, what, instead.replace("{base}", base))
    return None
