"""GPT-NeoX and Pythia: attention and MLP in parallel, each behind its own LayerNorm; fused QKV, head by head."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    Heads,
    activation,
    fused_qkv,
    linear,
    norm,
    plain_mlp,
    table,
    unembedding,
)
from anatomy.families.windows import records
from anatomy.model.architecture import (
    PRE_NORM,
    Branch,
    Known,
    Stack,
    Traits,
)
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

PARALLEL = (Branch(("norm-attention", "attention")), Branch(("norm-mlp", "mlp"), reads="same"))


def model(config: Config) -> Model:
    """GPT-NeoX and Pythia of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of GPTNeoXConfig in transformers: biases in attention, parallel parts, an untied unembedding, a
    context of 2,048.
    """
    architecture = config.architecture(("GPTNeoXForCausalLM", "GPTNeoXModel"))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    query = config.integer("num_attention_heads")
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=2048)
    tied = config.boolean("tie_word_embeddings", default=False)
    bias = config.boolean("attention_bias", default=True)
    parallel = config.boolean("use_parallel_residual", default=True)
    heads = Heads(query, query, config.divided("hidden_size", width, "num_attention_heads", query))
    every = (range(blocks),)
    # Files of a bare model (GPTNeoXModel) carry no "gpt_neox." before their names.
    prefix = "" if architecture == "GPTNeoXModel" else "gpt_neox."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_in", "embedding/token", vocabulary, width, "W_E")
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every, bias=True)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every, bias=True)
        # Stored head by head: the rows of a head's query, key and value stand together.
        qkv, out = fused_qkv(width, heads), Matrix("W_O", width, width)
        fused = f"{layer}.attention.query_key_value"
        yield from linear(fused, "block/attention/qkv", *qkv, blocks=every, bias=bias, layout="head by head")
        yield from linear(f"{layer}.attention.dense", "block/attention/output", out, blocks=every, bias=bias)
        mlp = f"{layer}.mlp"
        yield from plain_mlp(f"{mlp}.dense_h_to_4h", f"{mlp}.dense_4h_to_h", width, inner, every, bias=True)
        yield from norm(f"{prefix}final_layer_norm", "final-norm", width, bias=True)
        if architecture == "GPTNeoXForCausalLM":
            yield unembedding("embed_out.weight", f"{prefix}embed_in.weight" if tied else None, vocabulary, width)

    return Model(
        model_type="gpt_neox",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(heads, (every, None)),
        stacks=(Stack("decoder", blocks, PARALLEL if parallel else PRE_NORM),),
        traits=Traits("LayerNorm", "rotary", activation(config, "hidden_act", default="gelu")),
        known=(
            Known(r"(gpt_neox\.)?layers\.\d+\.attention\.bias", "causal mask", (1, 1, context, context)),
            Known(r"(gpt_neox\.)?layers\.\d+\.attention\.masked_bias", "fill value of the causal mask", ()),
            Known(r"(gpt_neox\.)?layers\.\d+\.attention\.rotary_emb\.inv_freq", "rotary inverse frequencies"),
        ),
        defaults=config.defaults,
    )
