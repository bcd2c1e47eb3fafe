"""Llama and its kin (Mistral, Qwen2): RMSNorm, rotary positions, grouped-query attention, a gated MLP."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.blocks import Blocks, runs
from anatomy.config import Config
from anatomy.families.layers import linear, norm, table, tied_unembedding
from anatomy.tensors import Attention, Known, Matrix, Model, Row, Stack, Traits

# Class-name prefix by model_type; the head decides the rest.
CLASSES = {"llama": "Llama", "mistral": "Mistral", "qwen2": "Qwen2"}
# Context where max_position_embeddings is left out: LlamaConfig, MistralConfig and Qwen2Config of transformers.
CONTEXTS = {"llama": 2048, "mistral": 131072, "qwen2": 32768}


def model(config: Config) -> Model:
    """Llama 1 to 3, Mistral and Qwen2 of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of the family's configuration class in transformers: as many KV heads as query heads,
    head_dim = hidden_size / heads, an untied unembedding, no biases but Qwen2's on Q, K and V.
    """
    family = str(config.values["model_type"])
    causal = f"{CLASSES[family]}ForCausalLM"
    architecture = config.architecture((causal, f"{CLASSES[family]}Model"))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    heads = config.integer("num_attention_heads")
    kv_heads = config.integer("num_key_value_heads", default=heads)
    config.divided("num_attention_heads", heads, "num_key_value_heads", kv_heads)
    stated = config.optional_integer("head_dim")
    size = stated or config.divided("hidden_size", width, "num_attention_heads", heads)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=CONTEXTS[family])
    tied = config.boolean("tie_word_embeddings", default=False)
    bias = config.boolean("attention_bias", default=False) if family == "llama" else False
    qkv_bias = bias or family == "qwen2"
    mlp_bias = config.boolean("mlp_bias", default=False) if family == "llama" else False
    every = (range(blocks),)
    # Files of a bare model (LlamaModel) carry no "model." before their names.
    prefix = "model." if architecture == causal else ""
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        query, out = Matrix("W_Q", width, heads * size), Matrix("W_O", heads * size, width)
        key, value = Matrix("W_K", width, kv_heads * size), Matrix("W_V", width, kv_heads * size)
        attention = f"{layer}.self_attn"
        yield from linear(f"{attention}.q_proj", "block/attention/query", query, blocks=every, bias=qkv_bias)
        yield from linear(f"{attention}.k_proj", "block/attention/key", key, blocks=every, bias=qkv_bias)
        yield from linear(f"{attention}.v_proj", "block/attention/value", value, blocks=every, bias=qkv_bias)
        yield from linear(f"{attention}.o_proj", "block/attention/output", out, blocks=every, bias=bias)
        gate, up, down = Matrix("W_gate", width, inner), Matrix("W_up", width, inner), Matrix("W_down", inner, width)
        yield from linear(f"{layer}.mlp.gate_proj", "block/mlp/gate", gate, blocks=every, bias=mlp_bias)
        yield from linear(f"{layer}.mlp.up_proj", "block/mlp/up", up, blocks=every, bias=mlp_bias)
        yield from linear(f"{layer}.mlp.down_proj", "block/mlp/down", down, blocks=every, bias=mlp_bias)
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every)
        yield from norm(f"{prefix}norm", "final-norm", width)
        if architecture == causal:
            if tied:
                yield tied_unembedding("lm_head.weight", "model.embed_tokens.weight", vocabulary, width)
            else:
                yield from linear("lm_head", "unembedding", Matrix("W_U", width, vocabulary))

    return Model(
        model_type=family,
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=tuple(
            Attention("decoder", where, heads, kv_heads, size, size, window=window)
            for where, window in windows(config, family, blocks)
        ),
        stacks=(Stack("decoder", blocks),),
        traits=Traits(norm="RMSNorm", positions="rotary", activation="SwiGLU"),
        known=(Known(r"(model\.)?layers\.\d+\.self_attn\.rotary_emb\.inv_freq", "rotary inverse frequencies"),),
        defaults=config.defaults,
    )


def windows(config: Config, family: str, blocks: int) -> list[tuple[Blocks, int | None]]:
    """Which blocks attend through which sliding window (None: to every earlier token).

    Mistral: every block, 4,096 where the key is left out and none where it is null (MistralConfig). Qwen2: only with
    use_sliding_window, from block max_window_layers on (Qwen2Config), or as layer_types lists.
    """
    every = (range(blocks),)
    if family == "llama":
        return [(every, None)]
    if family == "mistral":
        if "sliding_window" in config.values and config.values["sliding_window"] is None:
            return [(every, None)]
        return [(every, config.integer("sliding_window", default=4096))]
    if not config.boolean("use_sliding_window", default=False):
        return [(every, None)]
    window = config.integer("sliding_window", default=4096)
    listed = config.choices("layer_types", ("full_attention", "sliding_attention"), blocks)
    if listed:
        local = runs(block for block, kind in enumerate(listed) if kind == "sliding_attention")
        full = runs(block for block, kind in enumerate(listed) if kind == "full_attention")
    else:
        first = min(config.integer("max_window_layers", default=28, minimum=0), blocks)
        local, full = (range(first, blocks),), (range(first),)
    pairs: list[tuple[Blocks, int | None]] = [(full, None), (local, window)]
    return [(where, size) for where, size in pairs if any(len(indices) for indices in where)]
