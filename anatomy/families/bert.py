"""BERT (Devlin et al. 2018) and RoBERTa: an encoder that normalises after each addition, with a head by its class."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, attention, encoding
from anatomy.families.layers import activation, linear, norm, plain_mlp, table
from anatomy.families.outputs import unembedding
from anatomy.model.architecture import POST_NORM, Known, Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config, ConfigError

ARCHITECTURES = {
    "bert": ("BertForMaskedLM", "BertModel", "BertForPreTraining"),
    "roberta": ("RobertaForMaskedLM", "RobertaModel"),
}
NAMES = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output.dense"}


def model(config: Config) -> Model:
    """BERT and RoBERTa of any size from their ``config.json``; raises ``ConfigError``.

    Defaults are those of BertConfig and RobertaConfig in transformers: 512 positions, 2 token types, and for RoBERTa
    a padding id of 1. A class of its own head has no pooler, unless that head reads it.
    """
    family = str(config.values["model_type"])
    architecture = config.architecture(ARCHITECTURES[family])
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    heads = config.integer("num_attention_heads")
    sizes = Heads(heads, heads, config.divided("hidden_size", width, "num_attention_heads", heads))
    inner = config.integer("intermediate_size")
    vocabulary = config.integer("vocab_size")
    positions = config.integer("max_position_embeddings", default=512)
    types = config.integer("type_vocab_size", default=2)
    config.only("tie_word_embeddings", True, why="the head's matrix is the token table")
    config.only("position_embedding_type", "absolute", None, why="relative positions add tables")
    config.only("add_cross_attention", False, None, why="cross-attention adds tensors")
    config.only("is_decoder", False, None, why="it is read as an encoder")
    # RoBERTa counts positions from the padding id on, so the first rows of its table are never used.
    offset = config.integer("pad_token_id", default=1, minimum=0) + 1 if family == "roberta" else 0
    if offset >= positions:
        accepted = f"more than {offset}, which positions begin at"
        raise ConfigError(config.source, "max_position_embeddings", str(positions), accepted)
    every = (range(blocks),)
    bare = architecture.endswith("Model")
    prefix = "" if bare else f"{family}."
    layer = prefix + "encoder.layer.{block}"
    # Google's own files, which have a head, keep TensorFlow's names for the scale and the shift of a norm.
    named = ("gamma", "beta") if family == "bert" and not bare else ("weight", "bias")

    def embeddings() -> Iterator[Row]:
        at = f"{prefix}embeddings"
        yield table(f"{at}.word_embeddings", "embedding/token", vocabulary, width, "W_E")
        yield table(f"{at}.position_embeddings", "embedding/position", positions, width, "W_pos")
        yield table(f"{at}.token_type_embeddings", "embedding/token-type", types, width, "W_type")
        yield from norm(f"{at}.LayerNorm", "embedding-norm", width, bias=True, names=named)

    def rows() -> Iterator[Row]:
        yield from embeddings()
        yield from attention(f"{layer}.attention", width, sizes, every, bias=True, names=NAMES)
        after = f"{layer}.attention.output.LayerNorm"
        yield from norm(after, "block/norm-post-attention", width, blocks=every, bias=True, names=named)
        yield from plain_mlp(f"{layer}.intermediate.dense", f"{layer}.output.dense", width, inner, every, bias=True)
        after = f"{layer}.output.LayerNorm"
        yield from norm(after, "block/norm-post-mlp", width, blocks=every, bias=True, names=named)
        if bare or architecture == "BertForPreTraining":
            # What the first token's position says of the whole sequence.
            pool = Matrix("W_pool", width, width)
            yield from linear(f"{prefix}pooler.dense", "pooler", pool, bias=True, multiplies="one")
        if not bare:
            yield from masked_head()
        if architecture == "BertForPreTraining":
            next_sentence = Matrix("W_next", width, 2)
            yield from linear("cls.seq_relationship", "head", next_sentence, bias=True, multiplies="one")

    def masked_head() -> Iterator[Row]:
        at, dense, normed = "cls.predictions", "transform.dense", "transform.LayerNorm"
        if family == "roberta":
            at, dense, normed = "lm_head", "dense", "layer_norm"
        yield Row(f"{at}.bias", (vocabulary,), "unembedding", symbol="b_U")
        yield from linear(f"{at}.{dense}", "unembedding/transform", Matrix("W_T", width, width), bias=True)
        yield from norm(f"{at}.{normed}", "unembedding/transform-norm", width, bias=True, names=named)
        yield unembedding(f"{at}.decoder.weight", f"{prefix}embeddings.word_embeddings.weight", vocabulary, width)
        yield Row(f"{at}.decoder.bias", (vocabulary,), "unembedding", tied_to=f"{at}.bias", symbol="b_U")

    known = [Known(rf"({family}\.)?embeddings\.position_ids", "position ids", (1, positions))]
    if architecture == "BertForMaskedLM":
        known.append(Known(r"bert\.pooler\.dense\.(weight|bias)", "pooler of BertForPreTraining"))
        known.append(Known(r"cls\.seq_relationship\.(weight|bias)", "next-sentence head of BertForPreTraining"))
    return Model(
        model_type=family,
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=positions - offset,
        rows=tuple(rows()),
        attention=encoding(sizes, every),
        stacks=(Stack("encoder", blocks, POST_NORM),),
        traits=Traits("LayerNorm", "learned", activation(config, "hidden_act", default="gelu")),
        known=tuple(known),
        defaults=config.defaults,
    )
