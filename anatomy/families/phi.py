"""Phi-1, Phi-1.5 and Phi-2: attention and MLP in parallel behind one LayerNorm, a bias even on the unembedding."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    activation,
    attention,
    heads,
    norm,
    plain_mlp,
    table,
    unembedding,
)
from anatomy.families.windows import records
from anatomy.model.architecture import Branch, Stack, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

PARALLEL = (Branch(("norm-block", "attention")), Branch(("mlp",), reads="norm"))
NAMES = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "dense"}


def model(config: Config) -> Model:
    """Phi of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of PhiConfig in transformers: as many KV heads as query heads, an untied unembedding, no QK norm,
    a context of 2,048.
    """
    architecture = config.architecture(("PhiForCausalLM", "PhiModel"))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width)
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=2048)
    tied = config.boolean("tie_word_embeddings", default=False)
    config.only("qk_layernorm", False, None, why="no released Phi has QK norms")
    every = (range(blocks),)
    # Files of a bare model (PhiModel) carry no "model." before their names.
    prefix = "" if architecture.endswith("Model") else "model."
    layer = prefix + "layers.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=True, names=NAMES)
        yield from plain_mlp(f"{layer}.mlp.fc1", f"{layer}.mlp.fc2", width, inner, every, bias=True)
        yield from norm(f"{layer}.input_layernorm", "block/norm-block", width, blocks=every, bias=True)
        yield from norm(f"{prefix}final_layernorm", "final-norm", width, bias=True)
        if architecture == "PhiForCausalLM":
            yield unembedding("lm_head.weight", "model.embed_tokens.weight" if tied else None, vocabulary, width)
            yield Row("lm_head.bias", (vocabulary,), "unembedding", symbol="b_U")

    return Model(
        model_type="phi",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (every, None)),
        stacks=(Stack("decoder", blocks, PARALLEL),),
        traits=Traits("LayerNorm", "rotary", activation(config, "hidden_act", default="gelu")),
        defaults=config.defaults,
    )
