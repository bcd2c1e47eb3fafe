"""Phi-3 and Phi-4: Llama's network with fused projections: Q, K, V in one tensor, gate and up in another."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    activation,
    fused_qkv,
    heads,
    linear,
    norm,
    table,
)
from anatomy.families.outputs import head
from anatomy.families.windows import records
from anatomy.model.architecture import Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

HEADS = ("ForCausalLM", "Model", "ForSequenceClassification", "ForTokenClassification")


def model(config: Config) -> Model:
    """Phi-3 and Phi-4 of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of Phi3Config in transformers: as many KV heads as query heads, an untied unembedding, no window,
    a context of 4,096.
    """
    architecture = config.architecture(["Phi3" + ending for ending in HEADS])
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=4096)
    tied = config.boolean("tie_word_embeddings", default=False)
    every = (range(blocks),)
    # Files of a bare model (Phi3Model) carry no "model." before their names.
    prefix = "" if architecture.endswith("Model") else "model."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        qkv, out = fused_qkv(width, sizes), Matrix("W_O", sizes.query * sizes.size, width)
        yield from linear(f"{layer}.self_attn.qkv_proj", "block/attention/qkv", *qkv, blocks=every)
        yield from linear(f"{layer}.self_attn.o_proj", "block/attention/output", out, blocks=every)
        gate, up, down = Matrix("W_gate", width, inner), Matrix("W_up", width, inner), Matrix("W_down", inner, width)
        yield from linear(f"{layer}.mlp.gate_up_proj", "block/mlp/gate-up", gate, up, blocks=every)
        yield from linear(f"{layer}.mlp.down_proj", "block/mlp/down", down, blocks=every)
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every)
        yield from norm(f"{prefix}norm", "final-norm", width)
        yield from head(config, architecture, vocabulary, width, f"{prefix}embed_tokens.weight" if tied else None)

    return Model(
        model_type="phi3",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (every, config.integer_or_none("sliding_window", None))),
        stacks=(Stack("decoder", blocks),),
        traits=Traits("RMSNorm", "rotary", activation(config, "hidden_act", default="silu", gated=True)),
        defaults=config.defaults,
    )
