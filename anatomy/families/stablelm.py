"""StableLM: LayerNorm, rotary positions, a gated MLP; in the 12B model the parts in parallel and a norm per head."""

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
from anatomy.model.architecture import (
    PRE_NORM,
    Branch,
    Stack,
    Traits,
)
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

PARALLEL = (Branch(("norm-block", "attention")), Branch(("mlp",), reads="norm"))
HEADS = ("ForCausalLM", "Model", "ForSequenceClassification", "ForTokenClassification")


def model(config: Config) -> Model:
    """StableLM of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of StableLmConfig in transformers: 32 KV heads, an untied unembedding, no biases and no QK norm,
    the parts one after the other, a context of 4,096.
    """
    architecture = config.architecture(["StableLm" + ending for ending in HEADS])
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 32, own_size=False)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=4096)
    tied = config.boolean("tie_word_embeddings", default=False)
    bias = config.boolean("use_qkv_bias", default=False)
    qk_norm = config.boolean("qk_layernorm", default=False)
    parallel = config.boolean("use_parallel_residual", default=False)
    every = (range(blocks),)
    # Files of a bare model (StableLmModel) carry no "model." before their names.
    prefix = "" if architecture.endswith("Model") else "model."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias, output_bias=False)
        if qk_norm:
            # A LayerNorm without a shift for every head, each stored on its own.
            for letter, count in (("q", sizes.query), ("k", sizes.kv)):
                name = f"{layer}.self_attn.{letter}_layernorm.norms.{{head}}.weight"
                yield Row(
                    name,
                    (sizes.size,),
                    f"block/attention/{letter}-norm",
                    every,
                    copies=count,
                    symbol=f"γ_{letter.upper()}",
                )
        yield from gated_mlp(f"{layer}.mlp", width, inner, every)
        if parallel:
            yield from norm(f"{layer}.input_layernorm", "block/norm-block", width, blocks=every, bias=True)
        else:
            yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every, bias=True)
            yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every, bias=True)
        yield from norm(f"{prefix}norm", "final-norm", width, bias=True)
        yield from head(config, architecture, vocabulary, width, f"{prefix}embed_tokens.weight" if tied else None)

    return Model(
        model_type="stablelm",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (every, None)),
        stacks=(Stack("decoder", blocks, PARALLEL if parallel else PRE_NORM),),
        traits=Traits("LayerNorm", "rotary", activation(config, "hidden_act", default="silu", gated=True)),
        defaults=config.defaults,
    )
