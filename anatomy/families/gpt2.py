"""GPT-2 (Radford et al. 2019): learned positions, LayerNorm before each part, fused QKV stored (in, out).

GPT-BigCode (SantaCoder, StarCoder) is GPT-2 with one KV head for all query heads and projections stored (out, in).
"""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    Heads,
    activation,
    fused_qkv,
    linear,
    norm,
    table,
    unembedding,
)
from anatomy.families.outputs import labels
from anatomy.families.windows import records
from anatomy.model.architecture import Known, Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

CLASSES = {
    "gpt2": ("GPT2LMHeadModel", "GPT2Model", "GPT2ForSequenceClassification"),
    "gpt_bigcode": ("GPTBigCodeForCausalLM", "GPTBigCodeModel", "GPTBigCodeForSequenceClassification"),
}


def model(config: Config) -> Model:
    """GPT-2 and GPT-BigCode of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of GPT2Config and GPTBigCodeConfig in transformers: n_inner is 4 x n_embd, the unembedding is
    tied, GPT-BigCode has one KV head.
    """
    family = str(config.values["model_type"])
    causal, _, classifier = CLASSES[family]
    architecture = config.architecture(CLASSES[family])
    width = config.integer("n_embd", "hidden_size")
    blocks = config.integer("n_layer", "num_hidden_layers")
    query = config.integer("n_head", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    context = config.integer("n_positions", "max_position_embeddings")
    inner = config.integer("n_inner", default=4 * width)
    tied = config.boolean("tie_word_embeddings", default=True)
    config.only("add_cross_attention", False, None, why="cross-attention adds tensors")
    one_kv_head = family == "gpt_bigcode" and config.boolean("multi_query", default=True)
    heads = Heads(query, 1 if one_kv_head else query, config.divided("n_embd", width, "n_head", query))
    every = (range(blocks),)
    # The files of GPT-2 itself carry no "transformer.", those of everyone else's classes with a head do.
    prefix = "transformer." if architecture == classifier or (family, architecture) == ("gpt_bigcode", causal) else ""
    layer = prefix + "h.{block}"
    conv = family == "gpt2"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}wte", "embedding/token", vocabulary, width, "W_E")
        yield table(f"{prefix}wpe", "embedding/position", context, width, "W_pos")
        yield from norm(f"{layer}.ln_1", "block/norm-attention", width, blocks=every, bias=True)
        qkv, out = fused_qkv(width, heads), Matrix("W_O", width, width)
        # GPT-BigCode with as many KV heads as query heads stores each head's three together.
        by_head = "" if conv or one_kv_head else "head by head"
        name = f"{layer}.attn.c_attn"
        yield from linear(name, "block/attention/qkv", *qkv, blocks=every, bias=True, transposed=conv, layout=by_head)
        output = f"{layer}.attn.c_proj"
        yield from linear(output, "block/attention/output", out, blocks=every, bias=True, transposed=conv)
        yield from norm(f"{layer}.ln_2", "block/norm-mlp", width, blocks=every, bias=True)
        up, down = Matrix("W_up", width, inner), Matrix("W_down", inner, width)
        yield from linear(f"{layer}.mlp.c_fc", "block/mlp/up", up, blocks=every, bias=True, transposed=conv)
        yield from linear(f"{layer}.mlp.c_proj", "block/mlp/down", down, blocks=every, bias=True, transposed=conv)
        yield from norm(f"{prefix}ln_f", "final-norm", width, bias=True)
        if architecture == causal:
            yield unembedding("lm_head.weight", f"{prefix}wte.weight" if tied else None, vocabulary, width)
        elif architecture == classifier:
            yield from linear("score", "head", Matrix("W_C", width, labels(config)), multiplies="one")

    return Model(
        model_type=family,
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(heads, (every, None)),
        stacks=(Stack("decoder", blocks),),
        traits=Traits("LayerNorm", "learned", activation(config, "activation_function", default="gelu")),
        known=(
            Known(r"(transformer\.)?h\.\d+\.attn\.bias", "causal mask", (1, 1, context, context)),
            Known(r"(transformer\.)?h\.\d+\.attn\.masked_bias", "fill value of the causal mask", ()),
        ),
        defaults=config.defaults,
    )
