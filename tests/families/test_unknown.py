"""What no family reads: types that are known and not counted, names of releases, and files of other kinds."""

from typing import Any

import pytest

import anatomy
from anatomy.families import FAMILIES
from anatomy.reading.config import ConfigError
from tests.families.changes import like

KNOWN = ", ".join(FAMILIES)


def refusal(values: dict[str, Any]) -> str:
    with pytest.raises(ConfigError) as caught:
        anatomy.load(values)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "structure"),
    [
        ("mamba", "recurrent blocks"),
        ("lfm2", "recurrent blocks"),
        ("qwen3_next", "recurrent blocks"),
        ("deepseek_v32", "an indexer that chooses keys"),
        ("glm_moe_dsa", "an indexer that chooses keys"),
        ("gemma3n", "embeddings of single blocks"),
        ("albert", "blocks that share their weights"),
        ("deberta-v2", "attention to relative positions"),
    ],
)
def test_a_type_that_is_not_counted_says_what_stands_in_the_way(name: str, structure: str) -> None:
    said = f'config: model_type is "{name}", which has {structure}, not counted here; accepted: {KNOWN}'
    assert refusal({"model_type": name}) == said


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("gpt-2", "gpt2"),
        ("GPT-NeoX", "gpt_neox"),
        ("LLaMA", "llama"),
        ("llama3", "llama"),
        ("Qwen2.5", "qwen2"),
        ("phi-4", "phi3"),
        ("DeepSeek-R1", "deepseek_v3"),
        ("RefinedWebModel", "falcon"),
        ("gemma3-text", "gemma3_text"),
    ],
)
def test_another_name_of_a_type_is_understood(name: str, meant: str) -> None:
    assert refusal({"model_type": name}) == f'config: model_type is "{name}"; accepted: {meant}? Known: {KNOWN}'


@pytest.mark.parametrize("name", ["gpt_neo", "cohere3", "lama", "olmo9", "mixtral2", "bard", "phi5", "xyzzy", ""])
def test_letters_alone_are_no_hint(name: str) -> None:
    assert refusal({"model_type": name}) == f'config: model_type is "{name}"; accepted: {KNOWN}'


FILES: dict[str, tuple[dict[str, Any], str]] = {
    "adapter_config.json": (
        {"peft_type": "LORA", "base_model_name_or_path": "meta-llama/Llama-3.2-1B", "r": 16},
        "an adapter's configuration (adapter_config.json); accepted: the config.json of its base model, "
        "meta-llama/Llama-3.2-1B",
    ),
    "params.json of Meta": (
        {"dim": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 8, "vocab_size": 128256},
        "Meta's or Mistral's params.json; accepted: the config.json of the transformers release",
    ),
    "generation_config.json": (
        {"_from_model_config": True, "bos_token_id": 1, "eos_token_id": 2, "transformers_version": "4.50.0"},
        "settings of generation (generation_config.json); accepted: the config.json beside it",
    ),
    "generation_config.json with sampling": (
        {"bos_token_id": 128000, "do_sample": True, "eos_token_id": [128001], "temperature": 0.6, "top_p": 0.9},
        "settings of generation (generation_config.json); accepted: the config.json beside it",
    ),
    "preprocessor_config.json": (
        {"do_normalize": True, "do_resize": True, "image_mean": [0.5], "size": 224},
        "a preprocessor's settings (preprocessor_config.json); accepted: the config.json beside it",
    ),
    "tokenizer_config.json": (
        {"tokenizer_class": "GPT2Tokenizer", "model_max_length": 1024, "eos_token": "<|endoftext|>"},
        "a tokenizer's settings (tokenizer_config.json); accepted: the config.json beside it",
    ),
    "an index": (
        {"metadata": {}, "weight_map": {}},
        "an index of weights; accepted: the config.json beside it, or the index to anatomy check",
    ),
    "a draft head": (
        like("llama-3-8b", architectures=["LlamaForCausalLMEagle3"], num_hidden_layers=1, draft_vocab_size=32000),
        "a draft head's configuration; accepted: the config.json of the model that it drafts for",
    ),
    "a draft head with many heads": (
        {"medusa_num_heads": 3, "medusa_num_layers": 1, "base_model_name_or_path": "lmsys/vicuna-7b-v1.3"},
        "a draft head's configuration; accepted: the config.json of the model that it drafts for, lmsys/vicuna-7b-v1.3",
    ),
}


@pytest.mark.parametrize("file", FILES)
def test_another_file_is_named_as_what_it_is(file: str) -> None:
    values, said = FILES[file]
    assert refusal(values) == f"config: {said}"


def test_a_configuration_whose_type_is_missing_is_no_other_file() -> None:
    values = like("llama-3-8b", "model_type", do_sample=True, eos_token_id=2)
    assert refusal(values) == f"config: model_type is missing; accepted: {KNOWN}"


def test_a_class_that_was_saved_from_inside_fsdp_is_read_and_told() -> None:
    model = anatomy.load(like("llama-3-8b", architectures=["FSDPLlamaForCausalLM"]))
    assert (model.rows, model.architecture) == (anatomy.load("llama-3-8b").rows, "LlamaForCausalLM")
    assert model.defaults["architectures"] == ["LlamaForCausalLM"]
    assert "FSDPLlamaForMaskedLM" in refusal(like("llama-3-8b", architectures=["FSDPLlamaForMaskedLM"]))
