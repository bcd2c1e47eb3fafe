"""BART (Lewis et al. 2019) and its kin: an encoder and a decoder over one token table, norms behind or before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from anatomy.families.attention import Heads, attention, crossing
from anatomy.families.layers import activation, linear, norm, plain_mlp, table
from anatomy.families.outputs import classes, labels, unembedding
from anatomy.model.architecture import POST_NORM, POST_NORM_CROSS, PRE_NORM, PRE_NORM_CROSS, Known, Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config


class Kin(NamedTuple):
    """What one kin of BART has of its own: its classes, its default of positions, its norms.

    ``offset`` is how many rows of the position tables are never used; ``learned``: positions are parameters, else
    nothing is stored; ``entered``: the embeddings are normalised; ``before``: norms come before each part, and one ends
    each stack.
    """

    classes: tuple[str, ...]
    context: int = 1024
    offset: int = 2
    learned: bool = True
    entered: bool = True
    before: bool = False
    labels: int = 2


_PLAIN = ("ForConditionalGeneration", "Model")
_CLASSIFIED = (*_PLAIN, "ForSequenceClassification")
# Defaults: BartConfig, BlenderbotConfig, ... of transformers.
KIN = {
    "bart": Kin(classes("Bart", _CLASSIFIED), labels=3),
    "blenderbot": Kin(classes("Blenderbot", _PLAIN), 128, 0, entered=False, before=True),
    "blenderbot-small": Kin(classes("BlenderbotSmall", _PLAIN), 512, 0),
    "m2m_100": Kin(classes("M2M100", _PLAIN), learned=False, entered=False, before=True),
    "mbart": Kin(classes("MBart", _CLASSIFIED), before=True),
    "mvp": Kin(classes("Mvp", _CLASSIFIED)),
    "pegasus": Kin(classes("Pegasus", _PLAIN), offset=0, entered=False, before=True),
    "plbart": Kin(classes("PLBart", _CLASSIFIED)),
}
NAMES = {"key": "k_proj", "value": "v_proj", "query": "q_proj", "output": "out_proj"}


def model(config: Config) -> Model:
    """BART, mBART, M2M-100, Pegasus and the others of the table, of any size; raises ``ConfigError``.

    Every token table and the head are one tensor.
    """
    family = str(config.values["model_type"])
    kin = KIN[family]
    architecture = config.architecture(kin.classes)
    width = config.integer("d_model", "hidden_size")
    vocabulary = config.integer("vocab_size")
    positions = config.integer("max_position_embeddings", default=kin.context)
    config.only("tie_word_embeddings", True, why="one table serves both stacks and the head")
    if not kin.before:
        config.only("normalize_before", False, None, why="BART normalises after each addition")
        config.only("add_final_layer_norm", False, None, why="a last norm adds tensors")
    config.only("add_bias_logits", False, None, why="a trained bias of the logits adds a tensor")
    config.only("use_prompt", False, None, why="prompts add tensors")
    config.only("share_encoder_decoder_embeddings", True, why="one table serves both stacks")
    depth, attending = sides(config, width)
    headed = architecture.endswith("ForConditionalGeneration")
    prefix = "" if architecture.endswith("Model") else "model."
    shared = f"{prefix}shared.weight"

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}shared", "embedding/token", vocabulary, width, "W_E")
        for stack in depth:
            at, part = f"{prefix}{stack}", f"{stack}/embedding"
            yield Row(f"{at}.embed_tokens.weight", (vocabulary, width), f"{part}/token", tied_to=shared, symbol="W_E")
            if kin.learned:
                yield table(f"{at}.embed_positions", f"{part}/position", positions + kin.offset, width, "W_pos")
            inner = config.integer(f"{stack}_ffn_dim")
            yield from block(at, stack, depth[stack], width, attending[stack], inner, norms_after=not kin.before)
            if kin.entered:
                yield from norm(f"{at}.layernorm_embedding", f"{stack}/embedding-norm", width, bias=True)
            if kin.before:
                yield from norm(f"{at}.layer_norm", f"{stack}/final-norm", width, bias=True)
        if headed:
            yield unembedding("lm_head.weight", shared, vocabulary, width, "decoder/unembedding")
        elif architecture.endswith("ForSequenceClassification"):
            at = "classification_head"
            dense, out = Matrix("W_D", width, width), Matrix("W_C", width, labels(config, kin.labels))
            yield from linear(f"{at}.dense", "decoder/head/dense", dense, bias=True, multiplies="one")
            yield from linear(f"{at}.out_proj", "decoder/head/out", out, bias=True, multiplies="one")

    flows = (PRE_NORM, PRE_NORM_CROSS) if kin.before else (POST_NORM, POST_NORM_CROSS)
    return Model(
        model_type=family,
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=positions,
        rows=tuple(rows()),
        attention=crossing(depth, attending),
        stacks=(Stack("encoder", depth["encoder"], flows[0], "source"), Stack("decoder", depth["decoder"], flows[1])),
        traits=Traits(
            "LayerNorm",
            "learned" if kin.learned else "sinusoidal",
            activation(config, "activation_function", default="relu" if family == "m2m_100" else "gelu"),
        ),
        known=(
            Known(r"final_logits_bias", "bias of the logits, zero and not trained", (1, vocabulary)),
            *(() if kin.learned else (Known(r"(model\.)?(en|de)coder\.embed_positions\.weights?", "sinusoids"),)),
        ),
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
