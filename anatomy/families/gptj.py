"""GPT-J (Wang and Komatsuzaki 2021): attention and MLP in parallel behind one LayerNorm, a bias on the unembedding."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, attention, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, norm, plain_mlp
from anatomy.families.outputs import SEQUENCES, classes
from anatomy.model.architecture import ONE_NORM, Known, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

NAMES = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}


def model(config: Config) -> Model:
    """GPT-J of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of GPTJConfig in transformers: n_inner is 4 x n_embd, the unembedding is untied.
    """
    architecture = config.architecture(classes("GPTJ", SEQUENCES))
    width = config.integer("n_embd", "hidden_size")
    blocks = config.integer("n_layer", "num_hidden_layers")
    query = config.integer("n_head", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    context = config.integer("n_positions", "max_position_embeddings", default=2048)
    inner = config.integer("n_inner", default=4 * width, null=4 * width)
    tied = config.boolean("tie_word_embeddings", default=False)
    heads = Heads(query, query, config.divided("n_embd", width, "n_head", query))
    # Files of a bare model (GPTJModel) carry no "transformer." before their names.
    prefix = "" if architecture == "GPTJModel" else "transformer."
    frame = Frame(config, architecture, width, blocks, vocabulary, context, tied, prefix, "wte")
    every, layer = frame.every, prefix + "h.{block}"

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from norm(f"{layer}.ln_1", "block/norm-block", width, blocks=every, bias=True)
        yield from attention(f"{layer}.attn", width, heads, every, names=NAMES)
        yield from plain_mlp(f"{layer}.mlp.fc_in", f"{layer}.mlp.fc_out", width, inner, every, bias=True)
        yield from norm(f"{prefix}ln_f", "final-norm", width, bias=True)
        yield from frame.head(bias=True)

    plain = activation(config, "activation_function", default="gelu")
    return frame.model(
        tuple(rows()),
        records(heads, (every, None)),
        Traits("LayerNorm", "rotary", plain),
        flow=ONE_NORM,
        known=(
            Known(r"(transformer\.)?h\.\d+\.attn\.bias", "causal mask", (1, 1, context, context)),
            Known(r"(transformer\.)?h\.\d+\.attn\.masked_bias", "fill value of the causal mask", ()),
        ),
    )
