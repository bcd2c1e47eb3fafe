"""OLMo (LayerNorm without parameters) and OLMo 2 (RMSNorm after each part, QK norms): otherwise like Llama."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    activation,
    attention,
    gated_mlp,
    heads,
    norm,
    table,
)
from anatomy.families.outputs import head
from anatomy.families.windows import records
from anatomy.model.architecture import Branch, Stack, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

CLASSES = {"olmo": "Olmo", "olmo2": "Olmo2"}
# OLMo 2 normalises what a part gives before it is added to the stream.
NORM_AFTER = (Branch(("attention", "norm-post-attention")), Branch(("mlp", "norm-post-mlp")))

# OLMo's norms neither scale nor shift: they are computed, and no tensor tells of them.
BARE = ("norm-attention", "norm-mlp", "final-norm")


def model(config: Config) -> Model:
    """OLMo and OLMo 2 of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of OlmoConfig and Olmo2Config in transformers: as many KV heads as query heads, an untied
    unembedding, no biases, a context of 2,048.
    """
    family = str(config.values["model_type"])
    second = family == "olmo2"
    heads_of = ("ForCausalLM", "Model", "ForSequenceClassification")
    architecture = config.architecture([CLASSES[family] + ending for ending in heads_of])
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=2048)
    tied = config.boolean("tie_word_embeddings", default=False)
    bias = config.boolean("attention_bias", default=False)
    every = (range(blocks),)
    # Files of a bare model (OlmoModel) carry no "model." before their names.
    prefix = "" if architecture.endswith("Model") else "model."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        if second:
            # Over all heads together, not head by head.
            query, key = sizes.query * sizes.size, sizes.kv * sizes.size
            yield from norm(f"{layer}.self_attn.q_norm", "block/attention/q-norm", query, blocks=every)
            yield from norm(f"{layer}.self_attn.k_norm", "block/attention/k-norm", key, blocks=every)
        yield from gated_mlp(f"{layer}.mlp", width, inner, every)
        if second:
            yield from norm(f"{layer}.post_attention_layernorm", "block/norm-post-attention", width, blocks=every)
            yield from norm(f"{layer}.post_feedforward_layernorm", "block/norm-post-mlp", width, blocks=every)
            yield from norm(f"{prefix}norm", "final-norm", width)
        yield from head(config, architecture, vocabulary, width, f"{prefix}embed_tokens.weight" if tied else None)

    return Model(
        model_type=family,
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (every, None)),
        stacks=(Stack("decoder", blocks, NORM_AFTER) if second else Stack("decoder", blocks, bare=BARE),),
        traits=Traits(
            "RMSNorm" if second else "LayerNorm",
            "rotary",
            activation(config, "hidden_act", default="silu", gated=True),
        ),
        defaults=config.defaults,
    )
