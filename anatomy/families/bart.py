"""BART (Lewis et al. 2019): an encoder and a decoder that normalise after each addition, over one token table."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, attention, crossing
from anatomy.families.layers import activation, norm, plain_mlp, table
from anatomy.families.outputs import unembedding
from anatomy.model.architecture import POST_NORM, POST_NORM_CROSS, Known, Stack, Traits
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config

ARCHITECTURES = ("BartForConditionalGeneration", "BartModel")
NAMES = {"key": "k_proj", "value": "v_proj", "query": "q_proj", "output": "out_proj"}
# The position tables begin with two rows that are never used.
OFFSET = 2


def model(config: Config) -> Model:
    """BART of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of BartConfig in transformers: 1,024 positions. Every token table and the head are one tensor.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("d_model", "hidden_size")
    vocabulary = config.integer("vocab_size")
    positions = config.integer("max_position_embeddings", default=1024)
    config.only("tie_word_embeddings", True, why="one table serves both stacks and the head")
    config.only("normalize_before", False, None, why="BART normalises after each addition")
    config.only("add_final_layer_norm", False, None, why="a last norm adds tensors")
    config.only("add_bias_logits", False, None, why="a trained bias of the logits adds a tensor")
    depth, attending = sides(config, width)
    headed = architecture == "BartForConditionalGeneration"
    prefix = "model." if headed else ""
    shared = f"{prefix}shared.weight"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}shared", "embedding/token", vocabulary, width, "W_E")
        for stack in depth:
            at, part = f"{prefix}{stack}", f"{stack}/embedding"
            yield Row(f"{at}.embed_tokens.weight", (vocabulary, width), f"{part}/token", tied_to=shared, symbol="W_E")
            yield table(f"{at}.embed_positions", f"{part}/position", positions + OFFSET, width, "W_pos")
            inner = config.integer(f"{stack}_ffn_dim")
            yield from block(at, stack, depth[stack], width, attending[stack], inner, norms_after=True)
            yield from norm(f"{at}.layernorm_embedding", f"{stack}/embedding-norm", width, bias=True)
        if headed:
            yield unembedding("lm_head.weight", shared, vocabulary, width, "decoder/unembedding")

    return Model(
        model_type="bart",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=positions,
        rows=tuple(rows()),
        attention=crossing(depth, attending),
        stacks=(
            Stack("encoder", depth["encoder"], POST_NORM, "source"),
            Stack("decoder", depth["decoder"], POST_NORM_CROSS),
        ),
        traits=Traits("LayerNorm", "learned", activation(config, "activation_function", default="gelu")),
        known=(Known(r"final_logits_bias", "bias of the logits, zero and not trained", (1, vocabulary)),),
        defaults=config.defaults,
    )


def sides(config: Config, width: int) -> tuple[dict[str, int], dict[str, Heads]]:
    """How many blocks and which heads the encoder and the decoder have, in that order."""
    depth: dict[str, int] = {}
    attending: dict[str, Heads] = {}
    for stack in ("encoder", "decoder"):
        # The names that other classes have mean the encoder.
        common = ("num_hidden_layers", "num_attention_heads") if stack == "encoder" else ()
        depth[stack] = config.integer(f"{stack}_layers", *common[:1])
        heads = config.integer(f"{stack}_attention_heads", *common[1:])
        size = config.divided("d_model", width, f"{stack}_attention_heads", heads)
        attending[stack] = Heads(heads, heads, size)
    return depth, attending


def block(
    name: str,
    stack: str,
    blocks: int,
    width: int,
    sizes: Heads,
    inner: int,
    *,
    norms_after: bool,
    key_bias: bool = True,
) -> Iterator[Row]:
    """The rows of a stack's blocks, which BART and Whisper name alike; norms after each addition or before parts."""
    every = (range(blocks),)
    over = "source" if stack == "encoder" else "tokens"
    at, part = name + ".layers.{block}", f"{stack}/block"
    side = f"{part}/norm-post" if norms_after else f"{part}/norm"
    yield from attention(
        f"{at}.self_attn", width, sizes, every, bias=True, key_bias=key_bias,
        names=NAMES, part=f"{part}/attention", queries=over, keys=over,
    )  # fmt: skip
    yield from norm(f"{at}.self_attn_layer_norm", f"{side}-attention", width, blocks=every, bias=True)
    if stack == "decoder":
        yield from attention(
            f"{at}.encoder_attn", width, sizes, every, bias=True, key_bias=key_bias,
            names=NAMES, part=f"{part}/cross-attention", keys="source",
        )  # fmt: skip
        yield from norm(f"{at}.encoder_attn_layer_norm", f"{side}-cross-attention", width, blocks=every, bias=True)
    yield from plain_mlp(f"{at}.fc1", f"{at}.fc2", width, inner, every, bias=True, part=f"{part}/mlp", multiplies=over)
    yield from norm(f"{at}.final_layer_norm", f"{side}-mlp", width, blocks=every, bias=True)
