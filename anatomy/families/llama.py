"""Llama and its kin: rotary positions, grouped-query attention, a gated MLP, each with norms and biases of its own."""

from __future__ import annotations

from types import MappingProxyType

from anatomy.families import windows
from anatomy.families.kin import ATTENTION, BOTH, Kin, decoder
from anatomy.families.outputs import SEQUENCES, TOKENS, classes
from anatomy.model.architecture import NORM_BEHIND, ONE_NORM, SANDWICH
from anatomy.model.rows import Model
from anatomy.reading.config import Config

_GELU = ("gelu", "hidden_activation", "hidden_act")
_LATER = MappingProxyType({"use_bidirectional_attention": "attention that sees later tokens"})

# Defaults: LlamaConfig, MistralConfig, ... of transformers.
KIN = {
    "cohere": Kin(
        classes("Cohere"), 8192, tied=True, biases=ATTENTION, qk_norm="each", qk_norm_key="use_qk_norm",
        flow=ONE_NORM, norm="LayerNorm",
    ),
    "cohere2": Kin(
        classes("Cohere2"), 8192, tied=True, biases=ATTENTION, flow=ONE_NORM, norm="LayerNorm",
        windows=windows.but_every(4),
    ),
    "gemma": Kin(
        classes("Gemma", TOKENS), 8192, kv_heads=16, head_size=256, tied=True, biases=ATTENTION, activation=_GELU,
        off=_LATER,
    ),
    "gemma2": Kin(
        classes("Gemma2", TOKENS), 8192, kv_heads=4, head_size=256, tied=True, biases=ATTENTION, activation=_GELU,
        flow=SANDWICH, windows=windows.but_every(2, keyed=False), off=_LATER,
    ),
    # Published files of Gemma 3 leave heads and vocabulary to Gemma3TextConfig.
    "gemma3_text": Kin(
        ("Gemma3ForCausalLM", "Gemma3TextModel", "Gemma3TextForSequenceClassification"), 131072,
        query_heads=8, kv_heads=4, head_size=256, vocabulary=262208, tied=True, biases=ATTENTION, activation=_GELU,
        qk_norm="size", flow=SANDWICH, windows=windows.but_every(6), two_way=True,
    ),
    "granite": Kin(classes("Granite"), 2048, biases=BOTH),
    "llama": Kin(classes("Llama", TOKENS), 2048, biases=BOTH),
    "mistral": Kin(classes("Mistral", TOKENS), 131072, kv_heads=8, windows=windows.everywhere(4096)),
    # OLMo's norms neither scale nor shift: they are computed, and no tensor tells of them.
    "olmo": Kin(classes("Olmo", SEQUENCES), 2048, biases=ATTENTION, norm="LayerNorm", scaled=False),
    "olmo2": Kin(classes("Olmo2", SEQUENCES), 2048, biases=ATTENTION, qk_norm="all", flow=NORM_BEHIND),
    "qwen2": Kin(classes("Qwen2", TOKENS), 32768, kv_heads=32, qkv_bias=True, windows=windows.from_a_block_on),
    "qwen3": Kin(
        classes("Qwen3", TOKENS), 32768, kv_heads=32, head_size=128, biases=ATTENTION, qk_norm="size",
        windows=windows.from_a_block_on,
    ),
    "smollm3": Kin(
        classes("SmolLM3", TOKENS), 32768, kv_heads=4, tied=True, biases=BOTH,
        off=MappingProxyType({"use_sliding_window": "no released SmolLM3 has windows"}),
    ),
}  # fmt: skip


def model(config: Config) -> Model:
    """Llama, Mistral, Qwen, Gemma, Command R, OLMo and the others of the table, of any size; raises ``ConfigError``."""
    return decoder(config, KIN[str(config.values["model_type"])])
