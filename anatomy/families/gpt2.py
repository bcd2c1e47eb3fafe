"""GPT-2 (Radford et al. 2019): learned positions, LayerNorm before each part, fused QKV stored (in, out)."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.config import Config
from anatomy.families.layers import linear, norm, table, tied_unembedding
from anatomy.tensors import Attention, Known, Matrix, Model, Row, Stack, Traits

ARCHITECTURES = ("GPT2LMHeadModel", "GPT2Model")


def model(config: Config) -> Model:
    """GPT-2 of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of GPT2Config in transformers: n_inner is 4 x n_embd, the unembedding is tied.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("n_embd", "hidden_size")
    blocks = config.integer("n_layer", "num_hidden_layers")
    heads = config.integer("n_head", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    context = config.integer("n_positions", "max_position_embeddings")
    inner = config.integer("n_inner", default=4 * width)
    tied = config.boolean("tie_word_embeddings", default=True)
    config.only("add_cross_attention", False, None, why="cross-attention adds tensors")
    head_size = config.divided("n_embd", width, "n_head", heads)
    every = (range(blocks),)

    def rows() -> Iterator[Row]:
        yield table("wte", "embedding/token", vocabulary, width, "W_E")
        yield table("wpe", "embedding/position", context, width, "W_pos")
        yield from norm("h.{block}.ln_1", "block/norm-attention", width, blocks=every, bias=True)
        query, key, value = (Matrix(symbol, width, width) for symbol in ("W_Q", "W_K", "W_V"))
        fused = "h.{block}.attn.c_attn"
        yield from linear(fused, "block/attention/qkv", query, key, value, blocks=every, bias=True, transposed=True)
        output = Matrix("W_O", width, width)
        yield from linear(
            "h.{block}.attn.c_proj", "block/attention/output", output, blocks=every, bias=True, transposed=True
        )
        yield from norm("h.{block}.ln_2", "block/norm-mlp", width, blocks=every, bias=True)
        up, down = Matrix("W_up", width, inner), Matrix("W_down", inner, width)
        yield from linear("h.{block}.mlp.c_fc", "block/mlp/up", up, blocks=every, bias=True, transposed=True)
        yield from linear("h.{block}.mlp.c_proj", "block/mlp/down", down, blocks=every, bias=True, transposed=True)
        yield from norm("ln_f", "final-norm", width, bias=True)
        if architecture == "GPT2LMHeadModel":
            if tied:
                yield tied_unembedding("lm_head.weight", "wte.weight", vocabulary, width)
            else:
                yield from linear("lm_head", "unembedding", Matrix("W_U", width, vocabulary))

    return Model(
        model_type="gpt2",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=(Attention("decoder", every, heads, heads, head_size, head_size),),
        stacks=(Stack("decoder", blocks),),
        traits=Traits(norm="LayerNorm", positions="learned", activation="GELU"),
        known=(
            Known(r"h\.\d+\.attn\.bias", "causal mask", (1, 1, context, context)),
            Known(r"h\.\d+\.attn\.masked_bias", "fill value of the causal mask", ()),
        ),
        defaults=config.defaults,
    )
