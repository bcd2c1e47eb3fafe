"""T5 (Raffel et al. 2019), its version 1.1 and Flan-T5: relative positions, RMSNorm before each part, no biases."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, attention, crossing
from anatomy.families.layers import activation, gated_mlp, norm, plain_mlp, table
from anatomy.families.outputs import unembedding
from anatomy.model.architecture import PRE_NORM, PRE_NORM_CROSS, Known, Stack, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config
from anatomy.reading.refusals import AmbiguousError

ARCHITECTURES = ("T5ForConditionalGeneration", "T5WithLMHeadModel", "T5Model")
NAMES = {"query": "q", "key": "k", "value": "v", "output": "o"}
# Feed-forward kinds that released configurations name; "gated-" makes the first matrix two.
KINDS = ("relu", "gelu", "gelu_new", "silu", "gated-relu", "gated-gelu", "gated-silu")


def model(config: Config) -> Model:
    """T5 of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of T5Config in transformers: as many decoder blocks as encoder blocks, 32 buckets of relative
    positions, an MLP of two matrices with ReLU, a tied head. Relative positions set no longest sequence.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("d_model", "hidden_size")
    depth = {"encoder": config.integer("num_layers", "num_hidden_layers")}
    depth["decoder"] = config.integer("num_decoder_layers", default=depth["encoder"], null=depth["encoder"])
    heads = config.integer("num_heads", "num_attention_heads")
    sizes = Heads(heads, heads, config.integer("d_kv", "head_dim", default=64))
    inner = config.integer("d_ff")
    vocabulary = config.integer("vocab_size")
    buckets = config.integer("relative_attention_num_buckets", default=32)
    kind = config.choice("feed_forward_proj", options=KINDS, default="relu")
    config.only("is_gated_act", None, kind.startswith("gated-"), why=f"as feed_forward_proj, {kind}, has it")
    tied = config.boolean("tie_word_embeddings", default=True)
    if tied and config.values.get("scale_decoder_outputs") is False:
        raise undecided(config)

    def block(stack: str) -> Iterator[Row]:
        every = (range(depth[stack]),)
        over = "source" if stack == "encoder" else "tokens"
        at, part = stack + ".block.{block}.layer", f"{stack}/block"
        name = f"{at}.0.SelfAttention"
        yield from attention(name, width, sizes, every, names=NAMES, part=f"{part}/attention", queries=over, keys=over)
        # Only the first block of a stack has the table of relative positions; the others use its scores again.
        yield Row(
            f"{name}.relative_attention_bias.weight", (buckets, heads), f"{part}/attention/relative-positions",
            (range(1),), symbol="b_rel",
        )  # fmt: skip
        yield from norm(f"{at}.0.layer_norm", f"{part}/norm-attention", width, blocks=every)
        last = 1
        if stack == "decoder":
            name, last = f"{at}.1.EncDecAttention", 2
            across = f"{part}/cross-attention"
            yield from attention(name, width, sizes, every, names=NAMES, part=across, keys="source")
            yield from norm(f"{at}.1.layer_norm", f"{part}/norm-cross-attention", width, blocks=every)
        name, mlp = f"{at}.{last}.DenseReluDense", f"{part}/mlp"
        if kind.startswith("gated-"):
            names = ("wi_0", "wi_1", "wo")
            yield from gated_mlp(name, width, inner, every, names=names, part=mlp, multiplies=over)
        else:
            yield from plain_mlp(f"{name}.wi", f"{name}.wo", width, inner, every, bias=False, part=mlp, multiplies=over)
        yield from norm(f"{at}.{last}.layer_norm", f"{part}/norm-mlp", width, blocks=every)

    def rows() -> Iterator[Row]:
        yield table("shared", "embedding/token", vocabulary, width, "W_E")
        for stack in depth:
            yield Row(
                f"{stack}.embed_tokens.weight", (vocabulary, width), f"{stack}/embedding/token",
                tied_to="shared.weight", symbol="W_E",
            )  # fmt: skip
            yield from block(stack)
            yield from norm(f"{stack}.final_layer_norm", f"{stack}/final-norm", width)
        if architecture != "T5Model":
            yield unembedding(
                "lm_head.weight", "shared.weight" if tied else None, vocabulary, width, "decoder/unembedding"
            )

    unused = r"decoder\.block\.0\.layer\.1\.EncDecAttention\.relative_attention_bias\.weight"
    gated, plain = kind.startswith("gated-"), kind.removeprefix("gated-")
    return Model(
        model_type="t5",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=None,
        rows=tuple(rows()),
        attention=crossing(depth, dict.fromkeys(depth, sizes)),
        stacks=(
            Stack("encoder", depth["encoder"], PRE_NORM, "source"),
            Stack("decoder", depth["decoder"], PRE_NORM_CROSS),
        ),
        traits=Traits("RMSNorm", "relative", activation(Config({}), default=plain, gated=gated)),
        known=(Known(unused, "table that no forward pass reads", (buckets, heads)),),
        defaults=config.defaults,
    )


def undecided(config: Config) -> AmbiguousError:
    """Version 1.1 as transformers 5 saves it: "tied" whether or not the file holds a head of its own."""
    accepted = "tie_word_embeddings false where the file holds lm_head.weight, this key true or null where it does not"
    readings = {
        "it holds a head of its own": {**config.values, "tie_word_embeddings": False},
        "its head is the token table": {**config.values, "scale_decoder_outputs": None},
    }
    found = "false beside a tied head, as transformers 5 saves both kinds of head"
    return AmbiguousError(config.source, "scale_decoder_outputs", found, accepted, readings)
