"""GPT-J (Wang and Komatsuzaki 2021): attention and MLP in parallel behind one LayerNorm, a bias on the unembedding."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    Heads,
    activation,
    attention,
    norm,
    plain_mlp,
    table,
    unembedding,
)
from anatomy.families.windows import records
from anatomy.model.architecture import (
    Branch,
    Known,
    Stack,
    Traits,
)
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

PARALLEL = (Branch(("norm-block", "attention")), Branch(("mlp",), reads="norm"))
NAMES = {"query": "q_proj", "key": "k_proj", "value": "v_proj", "output": "out_proj"}


def model(config: Config) -> Model:
    """GPT-J of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of GPTJConfig in transformers: n_inner is 4 x n_embd, the unembedding is untied.
    """
    architecture = config.architecture(("GPTJForCausalLM", "GPTJModel"))
    width = config.integer("n_embd", "hidden_size")
    blocks = config.integer("n_layer", "num_hidden_layers")
    query = config.integer("n_head", "num_attention_heads")
    vocabulary = config.integer("vocab_size")
    context = config.integer("n_positions", "max_position_embeddings", default=2048)
    inner = config.integer("n_inner", default=4 * width)
    tied = config.boolean("tie_word_embeddings", default=False)
    heads = Heads(query, query, config.divided("n_embd", width, "n_head", query))
    every = (range(blocks),)
    # Files of a bare model (GPTJModel) carry no "transformer." before their names.
    prefix = "" if architecture == "GPTJModel" else "transformer."
    layer = prefix + "h.{block}"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}wte", "embedding/token", vocabulary, width, "W_E")
        yield from norm(f"{layer}.ln_1", "block/norm-block", width, blocks=every, bias=True)
        yield from attention(f"{layer}.attn", width, heads, every, names=NAMES)
        yield from plain_mlp(f"{layer}.mlp.fc_in", f"{layer}.mlp.fc_out", width, inner, every, bias=True)
        yield from norm(f"{prefix}ln_f", "final-norm", width, bias=True)
        if architecture == "GPTJForCausalLM":
            yield unembedding("lm_head.weight", f"{prefix}wte.weight" if tied else None, vocabulary, width)
            yield Row("lm_head.bias", (vocabulary,), "unembedding", symbol="b_U")

    return Model(
        model_type="gptj",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(heads, (every, None)),
        stacks=(Stack("decoder", blocks, PARALLEL),),
        traits=Traits("LayerNorm", "rotary", activation(config, "activation_function", default="gelu")),
        known=(
            Known(r"(transformer\.)?h\.\d+\.attn\.bias", "causal mask", (1, 1, context, context)),
            Known(r"(transformer\.)?h\.\d+\.attn\.masked_bias", "fill value of the causal mask", ()),
        ),
        defaults=config.defaults,
    )
