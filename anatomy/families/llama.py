"""Llama and its kin: rotary positions, grouped-query attention, a gated MLP, each with norms and biases of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from anatomy.families import windows
from anatomy.families.attention import attention, both_ways, heads, qk_norms, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, gated_mlp, norm
from anatomy.families.outputs import SEQUENCES, TOKENS, classes
from anatomy.model.architecture import NORM_BEHIND, ONE_NORM, PRE_NORM, SANDWICH, Branch, Known, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

_NONE: Mapping[str, str] = MappingProxyType({})


class Kin(NamedTuple):
    """What one family has of its own: its classes, the defaults of its configuration, the flags of its network.

    ``biases`` are the keys for biases that it reads; ``qk_norm`` is what one scale of its QK norms serves (see
    ``qk_norms``), where ``qk_norm_key`` names a key, only with it; ``activation`` is the default and the keys for it;
    ``off`` are the keys that must not be on, and why; ``two_way``: a key may let it see later tokens too.
    """

    classes: tuple[str, ...]
    context: int
    query_heads: int | None = None
    kv_heads: int | None = None
    head_size: int | None = None
    vocabulary: int | None = None
    tied: bool = False
    biases: tuple[str, ...] = ()
    qkv_bias: bool = False
    qk_norm: str = ""
    qk_norm_key: str = ""
    flow: tuple[Branch, ...] = PRE_NORM
    norm: str = "RMSNorm"
    scaled: bool = True
    activation: tuple[str, ...] = ("silu", "hidden_act")
    windows: windows.Windows = windows.none
    off: Mapping[str, str] = _NONE
    two_way: bool = False


ATTENTION, BOTH = ("attention_bias",), ("attention_bias", "mlp_bias")
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
    kin = KIN[str(config.values["model_type"])]
    architecture = config.architecture(kin.classes)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, kin.kv_heads, kin.head_size, kin.query_heads)
    inner = config.integer("intermediate_size")
    frame = Frame.read(
        config, architecture, width, blocks, context=kin.context, tied=kin.tied, vocabulary=kin.vocabulary
    )
    bias, mlp_bias = (key in kin.biases and config.boolean(key, default=False) for key in BOTH)
    normed = bool(kin.qk_norm) and (not kin.qk_norm_key or config.boolean(kin.qk_norm_key, default=False))
    for key, why in kin.off.items():
        config.only(key, False, None, why=why)
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias or kin.qkv_bias, output_bias=bias)
        if normed:
            yield from qk_norms(f"{layer}.self_attn", sizes, every, over=kin.qk_norm)
        yield from gated_mlp(f"{layer}.mlp", width, inner, every, bias=mlp_bias)
        if kin.scaled:
            yield from block_norms(layer, width, every, flow=kin.flow)
            yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    default, *keys = kin.activation
    made = tuple(rows())
    attending = records(sizes, *kin.windows(config, blocks))
    return frame.model(
        made,
        both_ways(*attending) if kin.two_way and config.on("use_bidirectional_attention") else attending,
        Traits(kin.norm, "rotary", activation(config, *keys, default=default, gated=True)),
        flow=kin.flow,
        bare=() if kin.scaled else ("norm-attention", "norm-mlp", "final-norm"),
        known=(Known(r"(model\.)?layers\.\d+\.self_attn\.rotary_emb\.inv_freq", "rotary inverse frequencies"),),
    )
