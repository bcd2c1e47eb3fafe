"""Early decoders beside GPT-2: GPT-1, CTRL, CodeGen, BioGPT, XGLM and Persimmon, each with names of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from anatomy.families.attention import Heads, attention, fused_attention, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, norm, plain_mlp, table
from anatomy.families.outputs import PLAIN, SEQUENCES, TOKENS, classes
from anatomy.model.architecture import ONE_NORM, POST_NORM, PRE_NORM, Branch, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

_SEPARATE = MappingProxyType({"key": "k_proj", "value": "v_proj", "query": "q_proj", "output": "out_proj"})


class Early(NamedTuple):
    """What one family has of its own: its classes, how its sizes are spelt, its names, its wiring.

    ``sizes`` spell width, blocks, heads, width of the MLP (with "?", four times the width where left out) and longest
    sequence, each with what else its class maps there; ``layer`` is the beginning of names inside a block, ``fused``
    the names of a fused projection and of the output, else ``names`` those of the four; ``norms`` name those of a block
    and the last one, ``mlp`` both matrices; ``positions`` is the stored table, if any, and its unused rows.
    """

    classes: tuple[str, ...]
    prefix: str
    sizes: tuple[tuple[str, ...], ...]
    layer: str
    token: str
    attention: str
    norms: Mapping[str, str]
    mlp: tuple[str, str]
    positions: tuple[str, int] = ("", 0)
    fused: tuple[str, str] | None = None
    names: Mapping[str, str] = _SEPARATE
    last: str = ""
    flow: tuple[Branch, ...] = PRE_NORM
    bias: bool = True
    head_bias: bool = False
    transposed: bool = False
    tied: bool = True
    context: int | None = None
    activation: tuple[str, ...] = ("gelu", "activation_function")
    head: str = "lm_head"
    traits: str = "learned"


_GPT = (
    ("n_embd", "hidden_size"), ("n_layer", "num_hidden_layers"), ("n_head", "num_attention_heads"), ("",),
    ("n_positions", "max_position_embeddings"),
)  # fmt: skip
_COMMON = (
    ("hidden_size",), ("num_hidden_layers",), ("num_attention_heads",), ("intermediate_size",),
    ("max_position_embeddings",),
)  # fmt: skip
_BART = MappingProxyType({"self_attn_layer_norm": "norm-attention", "final_layer_norm": "norm-mlp"})
_LLAMA = MappingProxyType({"input_layernorm": "norm-attention", "post_attention_layernorm": "norm-mlp"})

# Defaults: OpenAIGPTConfig, CTRLConfig, ... of transformers.
KIN = {
    "biogpt": Early(
        classes("BioGpt", SEQUENCES), "biogpt.", _COMMON, "layers.{block}", "embed_tokens", "self_attn", _BART,
        ("fc1", "fc2"), ("embed_positions", 2), last="layer_norm", context=1024, activation=("gelu", "hidden_act"),
        head="output_projection",
    ),
    "codegen": Early(
        classes("CodeGen"), "transformer.", (*_GPT[:3], ("n_inner?",), _GPT[4]), "h.{block}", "wte", "attn",
        MappingProxyType({"ln_1": "norm-block"}), ("mlp.fc_in", "mlp.fc_out"), fused=("qkv_proj", "out_proj"),
        last="ln_f", flow=ONE_NORM, bias=False, head_bias=True, tied=False, context=2048, traits="rotary",
    ),
    "ctrl": Early(
        ("CTRLLMHeadModel", "CTRLModel"), "transformer.", (*_GPT[:3], ("dff",), _GPT[4]), "h.{block}", "w",
        "multi_head_attention",
        MappingProxyType({"layernorm1": "norm-attention", "layernorm2": "norm-mlp"}), ("ffn.0", "ffn.2"),
        names=MappingProxyType({"query": "Wq", "key": "Wk", "value": "Wv", "output": "dense"}), last="layernorm",
        head_bias=True, context=256, activation=("relu",), traits="sinusoidal",
    ),
    "openai-gpt": Early(
        ("OpenAIGPTLMHeadModel", "OpenAIGPTModel", "OpenAIGPTForSequenceClassification"), "transformer.",
        (*_GPT[:3], ("",), _GPT[4]), "h.{block}", "tokens_embed", "attn",
        MappingProxyType({"ln_1": "norm-post-attention", "ln_2": "norm-post-mlp"}), ("mlp.c_fc", "mlp.c_proj"),
        ("positions_embed", 0), fused=("c_attn", "c_proj"), flow=POST_NORM, transposed=True, context=512,
        activation=("gelu", "afn"),
    ),
    "persimmon": Early(
        classes("Persimmon", TOKENS), "model.", _COMMON, "layers.{block}", "embed_tokens", "self_attn", _LLAMA,
        ("mlp.dense_h_to_4h", "mlp.dense_4h_to_h"), fused=("query_key_value", "dense"), last="final_layernorm",
        tied=False, context=16384, activation=("relu2", "hidden_act"), traits="rotary",
    ),
    "xglm": Early(
        classes("XGLM", PLAIN), "model.",
        (("d_model", "hidden_size"), ("num_layers", "num_hidden_layers"), ("attention_heads", "num_attention_heads"),
         ("ffn_dim",), ("max_position_embeddings",)),
        "layers.{block}", "embed_tokens", "self_attn", _BART, ("fc1", "fc2"), last="layer_norm", context=2048,
        traits="sinusoidal",
    ),
}  # fmt: skip


def model(config: Config) -> Model:
    """GPT-1, CTRL, CodeGen and the others of the table, of any size; raises ``ConfigError``."""
    family = str(config.values["model_type"])
    kin = KIN[family]
    architecture = config.architecture(kin.classes)
    width_keys, depth_keys, heads_keys, inner_keys, context_keys = kin.sizes
    width, blocks, query = (config.integer(*keys) for keys in (width_keys, depth_keys, heads_keys))
    inner = 4 * width
    if inner_keys[0].endswith("?"):
        inner = config.integer(inner_keys[0][:-1], default=inner, null=inner)
    elif inner_keys[0]:
        inner = config.integer(*inner_keys)
    vocabulary = config.integer("vocab_size")
    context = config.integer(*context_keys, default=kin.context)
    tied = config.boolean("tie_word_embeddings", default=kin.tied)
    config.only("add_cross_attention", False, None, why="cross-attention adds tensors")
    normed = family == "persimmon" and config.boolean("qk_layernorm", default=True)
    sizes = Heads(query, query, config.divided(width_keys[0], width, heads_keys[0], query))
    prefix = "" if architecture.endswith("Model") and not architecture.endswith("LMHeadModel") else kin.prefix
    frame = Frame(config, architecture, width, blocks, vocabulary, context, tied, prefix, kin.token)
    every, layer = frame.every, prefix + kin.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        stored, unused = kin.positions
        if stored:
            yield table(f"{prefix}{stored}", "embedding/position", context + unused, width, "W_pos")
        at = f"{layer}.{kin.attention}"
        if kin.fused:
            fused, output = (f"{at}.{one}" for one in kin.fused)
            yield from fused_attention(
                fused, output, width, sizes, every, bias=kin.bias, transposed=kin.transposed,
                layout="head by head" if family == "persimmon" else "",
            )  # fmt: skip
        else:
            yield from attention(at, width, sizes, every, bias=kin.bias, names=kin.names)
        if normed:
            for letter in ("q", "k"):
                part = f"block/attention/{letter}-norm"
                yield from norm(f"{at}.{letter}_layernorm", part, sizes.size, blocks=every, bias=True)
        up, down = (f"{layer}.{one}" for one in kin.mlp)
        yield from plain_mlp(up, down, width, inner, every, bias=True, transposed=kin.transposed)
        for name, part in kin.norms.items():
            yield from norm(f"{layer}.{name}", f"block/{part}", width, blocks=every, bias=True)
        if kin.last:
            yield from norm(f"{prefix}{kin.last}", "final-norm", width, bias=True)
        yield from frame.head(kin.head, bias=kin.head_bias)

    default, *keys = kin.activation
    traits = Traits("LayerNorm", kin.traits, activation(config, *keys, default=default))
    return frame.model(tuple(rows()), records(sizes, (every, None)), traits, flow=kin.flow)
