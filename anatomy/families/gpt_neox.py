"""GPT-NeoX and Pythia: attention and MLP in parallel, each behind its own LayerNorm; fused QKV, head by head."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, fused_attention, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, norm, plain_mlp
from anatomy.families.outputs import SEQUENCES, classes
from anatomy.model.architecture import PRE_NORM, TWO_NORMS, Known, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """GPT-NeoX and Pythia of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of GPTNeoXConfig in transformers: biases in attention, parallel parts, an untied unembedding, a
    context of 2,048.
    """
    architecture = config.architecture(classes("GPTNeoX", SEQUENCES))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    query = config.integer("num_attention_heads")
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=2048)
    tied = config.boolean("tie_word_embeddings", default=False)
    bias = config.boolean("attention_bias", default=True)
    flow = TWO_NORMS if config.boolean("use_parallel_residual", default=True) else PRE_NORM
    heads = Heads(query, query, config.divided("hidden_size", width, "num_attention_heads", query))
    # Files of a bare model (GPTNeoXModel) carry no "gpt_neox." before their names.
    prefix = "" if architecture == "GPTNeoXModel" else "gpt_neox."
    frame = Frame(config, architecture, width, blocks, vocabulary, context, tied, prefix, "embed_in")
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from block_norms(layer, width, every, bias=True)
        # Stored head by head: the rows of a head's query, key and value stand together.
        fused, output = f"{layer}.attention.query_key_value", f"{layer}.attention.dense"
        yield from fused_attention(fused, output, width, heads, every, bias=bias, layout="head by head")
        mlp = f"{layer}.mlp"
        yield from plain_mlp(f"{mlp}.dense_h_to_4h", f"{mlp}.dense_4h_to_h", width, inner, every, bias=True)
        yield from norm(f"{prefix}final_layer_norm", "final-norm", width, bias=True)
        yield from frame.head("embed_out")

    plain = activation(config, "hidden_act", default="gelu")
    return frame.model(
        tuple(rows()),
        records(heads, (every, None)),
        Traits("LayerNorm", "rotary", plain),
        flow=flow,
        known=(
            Known(r"(gpt_neox\.)?layers\.\d+\.attention\.bias", "causal mask", (1, 1, context, context)),
            Known(r"(gpt_neox\.)?layers\.\d+\.attention\.masked_bias", "fill value of the causal mask", ()),
            Known(r"(gpt_neox\.)?layers\.\d+\.attention\.rotary_emb\.inv_freq", "rotary inverse frequencies"),
        ),
    )
