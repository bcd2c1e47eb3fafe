"""GPT-2 (Radford et al. 2019): learned positions, LayerNorm before each part, fused QKV stored (in, out).

GPT-BigCode (SantaCoder, StarCoder) is GPT-2 with one KV head for all query heads and projections stored (out, in).
"""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, fused_attention, records
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, norm, plain_mlp, table
from anatomy.model.architecture import Known, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

CLASSES = {
    "gpt-sw3": ("GPT2LMHeadModel", "GPT2Model", "GPT2ForSequenceClassification"),
    "gpt2": ("GPT2LMHeadModel", "GPT2Model", "GPT2ForSequenceClassification"),
    "gpt_bigcode": ("GPTBigCodeForCausalLM", "GPTBigCodeModel", "GPTBigCodeForSequenceClassification"),
}


def model(config: Config) -> Model:
    """GPT-2 and GPT-BigCode of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of GPT2Config and GPTBigCodeConfig in transformers: n_inner is 4 x n_embd, the unembedding is
    tied, GPT-BigCode has one KV head.
    """
    family = str(config.values["model_type"])
    architecture = config.architecture(CLASSES[family])
    width = config.integer("n_embd", "hidden_size")
    blocks = config.integer("n_layer", "num_hidden_layers")
    query = config.integer("n_head", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    context = config.integer("n_positions", "max_position_embeddings")
    inner = config.integer("n_inner", default=4 * width, null=4 * width)
    tied = config.boolean("tie_word_embeddings", default=True)
    config.only("add_cross_attention", False, None, why="cross-attention adds tensors")
    one_kv_head = family == "gpt_bigcode" and config.boolean("multi_query", default=True)
    heads = Heads(query, 1 if one_kv_head else query, config.divided("n_embd", width, "n_head", query))
    # The files of GPT-2 itself carry no "transformer.", those of everyone else's classes with a head do.
    prefix = "" if architecture.endswith("Model") else "transformer."
    frame = Frame(config, architecture, width, blocks, vocabulary, context, tied, prefix, "wte")
    every, layer = frame.every, prefix + "h.{block}"
    # OpenAI's Conv1D stores (in, out), the Linear of all others (out, in).
    conv = family != "gpt_bigcode"

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield table(f"{prefix}wpe", "embedding/position", context, width, "W_pos")
        yield from norm(f"{layer}.ln_1", "block/norm-attention", width, blocks=every, bias=True)
        # GPT-BigCode with as many KV heads as query heads stores each head's three together.
        by_head = "" if conv or one_kv_head else "head by head"
        at = f"{layer}.attn"
        yield from fused_attention(
            f"{at}.c_attn", f"{at}.c_proj", width, heads, every, bias=True, layout=by_head, transposed=conv
        )
        yield from norm(f"{layer}.ln_2", "block/norm-mlp", width, blocks=every, bias=True)
        mlp = f"{layer}.mlp"
        yield from plain_mlp(f"{mlp}.c_fc", f"{mlp}.c_proj", width, inner, every, bias=True, transposed=conv)
        yield from norm(f"{prefix}ln_f", "final-norm", width, bias=True)
        yield from frame.head()

    plain = activation(config, "activation_function", default="gelu")
    return frame.model(
        tuple(rows()),
        records(heads, (every, None)),  # all blocks attend alike, without a window
        Traits("LayerNorm", "learned", plain),
        known=(
            Known(r"(transformer\.)?h\.\d+\.attn\.bias", "causal mask", (1, 1, context, context)),
            Known(r"(transformer\.)?h\.\d+\.attn\.masked_bias", "fill value of the causal mask", ()),
        ),
    )
