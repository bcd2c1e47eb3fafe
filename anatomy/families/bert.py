"""BERT (Devlin et al. 2018), RoBERTa and their kin: encoders with a head by their class, norms behind or before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from anatomy.families.attention import Heads, attention, encoding, records
from anatomy.families.kin import renamed
from anatomy.families.layers import activation, linear, norm, plain_mlp, table
from anatomy.families.outputs import labels, unembedding
from anatomy.model.architecture import POST_NORM, PRE_NORM, Known, Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config, ConfigError

# What the names of classes end in: first those of every encoder, then the heads that do without the token table.
HEADS = (
    "ForMaskedLM", "Model", "ForSequenceClassification", "ForTokenClassification", "ForQuestionAnswering",
    "ForMultipleChoice",
)  # fmt: skip
# Classes whose head reads the pooler.
POOLED = ("Model", "ForPreTraining", "ForMultipleChoice", "ForNextSentencePrediction")


class Encoder(NamedTuple):
    """What one kin of BERT has of its own: its classes' beginning, the prefix of its files, defaults and wiring.

    ``offset``: positions are counted from the padding id on; ``before`` are the names of the norms before attention,
    before the MLP and at the end where norms come first; ``head`` is where the head for masked tokens is stored;
    ``dense``: its head for sequences has a layer of its own in place of the pooler; ``heads`` are its classes' endings;
    ``off`` are the keys that must not be on, and why; ``pooled``: every class has the pooler,
    or without ``pooler`` none; ``keys`` are the spellings of its sizes; ``embedding`` is the default of embedding_size
    where it reads one (None: the width); ``renamed`` are the pieces of BERT's names that its files write otherwise;
    ``before_head`` and ``head_name`` are how the two layers of a dense head are stored.
    """

    stem: str
    prefix: str
    context: int = 512
    types: int = 2
    offset: bool = False
    normed: bool = True
    before: tuple[str, str, str] | None = None
    head: tuple[str, str, str, str] = ("cls.predictions", "transform.dense", "transform.LayerNorm", "decoder")
    dense: bool = False
    heads: tuple[str, ...] = HEADS
    off: Mapping[str, str] = MappingProxyType({})
    pooled: bool = False
    pooler: bool = True
    keys: tuple[str, str, str, str, str] = (
        "hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "hidden_act",
    )  # fmt: skip
    embedding: tuple[int | None] | None = None
    positions: str = "learned"
    renamed: Mapping[str, str] = MappingProxyType({})
    before_head: str = "classifier.dense"
    head_name: str = "classifier.out_proj"

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of its classes, that for masked tokens first."""
        return tuple(self.stem + ending for ending in self.heads)


_LM = ("lm_head", "dense", "layer_norm", "decoder")
_CAUSAL = ("ForMaskedLM", "Model", "ForCausalLM", *HEADS[2:])
_PRE = ("encoder.layer.{block}.attention.LayerNorm", "encoder.layer.{block}.intermediate.LayerNorm", "LayerNorm")
_MEGATRON = ("encoder.layer.{block}.attention.ln", "encoder.layer.{block}.ln", "encoder.ln")
_XL = (
    "encoder.layer.{block}.attention.self_attn_layer_norm",
    "encoder.layer.{block}.LayerNorm",
    "encoder.LayerNorm",
)

_DISTIL = MappingProxyType({
    "encoder.layer.": "transformer.layer.", ".attention.self.query": ".attention.q_lin",
    ".attention.self.key": ".attention.k_lin", ".attention.self.value": ".attention.v_lin",
    ".attention.output.dense": ".attention.out_lin", ".attention.output.LayerNorm": ".sa_layer_norm",
    ".intermediate.dense": ".ffn.lin1", ".output.dense": ".ffn.lin2", ".output.LayerNorm": ".output_layer_norm",
})  # fmt: skip
_MPNET = MappingProxyType({
    ".attention.self.query": ".attention.attn.q", ".attention.self.key": ".attention.attn.k",
    ".attention.self.value": ".attention.attn.v", ".attention.output.dense": ".attention.attn.o",
    ".attention.output.LayerNorm": ".attention.LayerNorm",
})  # fmt: skip

# Defaults: BertConfig, CamembertConfig, ... of transformers.
KIN = {
    "bert": Encoder("Bert", "bert", heads=(*HEADS[:2], "ForPreTraining", "LMHeadModel", *HEADS[2:])),
    "camembert": Encoder("Camembert", "roberta", offset=True, head=_LM, dense=True, heads=_CAUSAL),
    "data2vec-text": Encoder("Data2VecText", "data2vec_text", offset=True, head=_LM, dense=True, heads=_CAUSAL),
    "distilbert": Encoder(
        "DistilBert",
        "distilbert",
        types=0,
        head=("", "vocab_transform", "vocab_layer_norm", "vocab_projector"),
        dense=True,
        pooler=False,
        keys=("dim", "n_layers", "n_heads", "hidden_dim", "activation"),
        renamed=_DISTIL,
        before_head="pre_classifier",
        head_name="classifier",
    ),
    "electra": Encoder(
        "Electra",
        "electra",
        head=("", "generator_predictions.dense", "generator_predictions.LayerNorm", "generator_lm_head"),
        dense=True,
        pooler=False,
        heads=(*HEADS[:2], "ForCausalLM", *HEADS[2:5]),
        embedding=(128,),
    ),
    "ernie": Encoder(
        "Ernie",
        "ernie",
        heads=(*HEADS[:2], "ForPreTraining", "ForCausalLM", *HEADS[2:]),
        off=MappingProxyType({"use_task_id": "task types add a table"}),
    ),
    "ibert": Encoder(
        "IBert",
        "ibert",
        offset=True,
        head=_LM,
        dense=True,
        off=MappingProxyType({"quant_mode": "integer arithmetic adds scales"}),
    ),
    "layoutlm": Encoder("LayoutLM", "layoutlm", heads=HEADS[:4], pooled=True),
    "megatron-bert": Encoder(
        "MegatronBert",
        "bert",
        normed=False,
        before=_MEGATRON,
        heads=(*HEADS[:2], "ForCausalLM", *HEADS[2:]),
    ),
    "mpnet": Encoder("MPNet", "mpnet", types=0, offset=True, head=_LM, dense=True, renamed=_MPNET),
    "roberta": Encoder("Roberta", "roberta", offset=True, head=_LM, dense=True, heads=_CAUSAL),
    "roberta-prelayernorm": Encoder(
        "RobertaPreLayerNorm", "roberta_prelayernorm", offset=True, before=_PRE, head=_LM, dense=True, heads=_CAUSAL
    ),
    "roformer": Encoder(
        "RoFormer",
        "roformer",
        context=1536,
        dense=True,
        pooler=False,
        heads=(*HEADS[:2], "ForCausalLM", *HEADS[2:5]),
        embedding=(None,),
        positions="rotary",
        off=MappingProxyType({"rotary_value": "values that are turned too"}),
    ),
    "xlm-roberta": Encoder("XLMRoberta", "roberta", offset=True, head=_LM, dense=True, heads=_CAUSAL),
    "xlm-roberta-xl": Encoder(
        "XLMRobertaXL",
        "roberta",
        context=514,
        types=1,
        offset=True,
        normed=False,
        before=_XL,
        head=_LM,
        dense=True,
        heads=_CAUSAL,
    ),
}
NAMES = {"query": "self.query", "key": "self.key", "value": "self.value", "output": "output.dense"}


def model(config: Config) -> Model:
    """BERT, RoBERTa and the others of the table, of any size, from their ``config.json``; raises ``ConfigError``.

    A class of its own head has no pooler, unless that head reads it.
    """
    family = str(config.values["model_type"])
    kin = KIN[family]
    architecture = config.architecture(kin.classes)
    ending = architecture.removeprefix(kin.stem)
    width_key, depth_key, heads_key, inner_key, act_key = kin.keys
    width = config.integer(width_key, *(("hidden_size",) if width_key != "hidden_size" else ()))
    blocks = config.integer(depth_key, *(("num_hidden_layers",) if depth_key != "num_hidden_layers" else ()))
    heads = config.integer(heads_key, *(("num_attention_heads",) if heads_key != "num_attention_heads" else ()))
    sizes = Heads(heads, heads, config.divided(width_key, width, heads_key, heads))
    inner = config.integer(inner_key)
    narrow = width
    if kin.embedding:
        narrow = config.integer("embedding_size", default=kin.embedding[0] or width, null=width)
    vocabulary = config.integer("vocab_size")
    positions = config.integer("max_position_embeddings", default=kin.context)
    types = config.integer("type_vocab_size", default=kin.types) if kin.types else 0
    masked = ending in ("ForMaskedLM", "ForPreTraining", "ForCausalLM", "LMHeadModel")
    config.only(
        "tie_word_embeddings", *((True,) if masked else (True, False)), why="the head's matrix is the token table"
    )
    config.only("position_embedding_type", "absolute", None, why="relative positions add tables")
    config.only("add_cross_attention", False, None, why="cross-attention adds tensors")
    causal = ending in ("ForCausalLM", "LMHeadModel") and config.on("is_decoder")
    if not causal:
        config.only("is_decoder", False, None, why="it is read as an encoder")
    for key, why in kin.off.items():
        config.only(key, False, None, why=why)
    # RoBERTa counts positions from the padding id on, so the first rows of its table are never used.
    offset = config.integer("pad_token_id", default=1, minimum=0) + 1 if kin.offset else 0
    if offset >= positions:
        accepted = f"more than {offset}, which positions begin at"
        raise ConfigError(config.source, "max_position_embeddings", str(positions), accepted)
    every = (range(blocks),)
    bare = ending == "Model"
    prefix = "" if bare else f"{kin.prefix}."
    layer = prefix + "encoder.layer.{block}"
    # Google's own files, which have a head, keep TensorFlow's names for the scale and the shift of a norm.
    named = ("gamma", "beta") if family == "bert" and not bare else ("weight", "bias")

    def embeddings() -> Iterator[Row]:
        at = f"{prefix}embeddings"
        yield table(f"{at}.word_embeddings", "embedding/token", vocabulary, narrow, "W_E")
        if kin.positions == "rotary":
            # Sines and cosines, stored and not trained.
            yield table(f"{prefix}encoder.embed_positions", "embedding/position", positions, sizes.size, "W_pos")
        else:
            yield table(f"{at}.position_embeddings", "embedding/position", positions, narrow, "W_pos")
        if family == "layoutlm":
            boxes = config.integer("max_2d_position_embeddings", default=1024)
            for side in ("x", "y", "h", "w"):
                stored = f"{at}.{side}_position_embeddings"
                yield table(stored, "embedding/box-position", boxes, width, f"W_{side}")
        if types:
            yield table(f"{at}.token_type_embeddings", "embedding/token-type", types, narrow, "W_type")
        if kin.normed:
            yield from norm(f"{at}.LayerNorm", "embedding-norm", narrow, bias=True, names=named)
        if narrow != width:
            into = Matrix("W_in", narrow, width)
            yield from linear(f"{prefix}embeddings_project", "embedding/projection-in", into, bias=True)
        if family == "mpnet":
            buckets = config.integer("relative_attention_num_buckets", default=32)
            stored = f"{prefix}encoder.relative_attention_bias.weight"
            yield Row(stored, (buckets, heads), "block/attention/relative-positions", (range(1),), symbol="b_rel")

    def norms() -> Iterator[tuple[str, str]]:
        if kin.before is None:
            yield f"{layer}.attention.output.LayerNorm", "block/norm-post-attention"
            yield f"{layer}.output.LayerNorm", "block/norm-post-mlp"
        else:
            for stored, part in zip(kin.before, ("block/norm-attention", "block/norm-mlp", "final-norm"), strict=True):
                yield prefix + stored, part

    def rows() -> Iterator[Row]:
        yield from embeddings()
        (first, before), *others = norms()
        yield from attention(f"{layer}.attention", width, sizes, every, bias=True, names=NAMES)
        yield from norm(first, before, width, blocks=every, bias=True, names=named)
        yield from plain_mlp(f"{layer}.intermediate.dense", f"{layer}.output.dense", width, inner, every, bias=True)
        for stored, part in others:
            inside = every if part.startswith("block/") else ()
            yield from norm(stored, part, width, blocks=inside, bias=True, names=named)
        reads = ending in POOLED or (ending == "ForSequenceClassification" and not kin.dense)
        if kin.pooled or (kin.pooler and reads):
            # What the first token's position says of the whole sequence.
            pool = Matrix("W_pool", width, width)
            yield from linear(f"{prefix}pooler.dense", "pooler", pool, bias=True, multiplies="one")
        if masked:
            yield from masked_head()
        yield from classifier(config, width, ending, dense=(kin.before_head, kin.head_name) if kin.dense else None)

    def masked_head() -> Iterator[Row]:
        at, dense, normed, decoder = kin.head
        if at:
            yield Row(f"{at}.bias", (vocabulary,), "unembedding", symbol="b_U")
        at = f"{at}." if at else ""
        yield from linear(f"{at}{dense}", "unembedding/transform", Matrix("W_T", width, narrow), bias=True)
        yield from norm(f"{at}{normed}", "unembedding/transform-norm", narrow, bias=True, names=named)
        yield unembedding(f"{at}{decoder}.weight", f"{prefix}embeddings.word_embeddings.weight", vocabulary, narrow)
        tied_to = f"{at}bias" if at else None
        yield Row(f"{at}{decoder}.bias", (vocabulary,), "unembedding", tied_to=tied_to, symbol="b_U")

    known = [Known(rf"({kin.prefix}\.)?embeddings\.position_ids", "position ids", (1, positions))]
    if architecture == "BertForMaskedLM":
        known.append(Known(r"bert\.pooler\.dense\.(weight|bias)", "pooler of BertForPreTraining"))
        known.append(Known(r"cls\.seq_relationship\.(weight|bias)", "next-sentence head of BertForPreTraining"))
    attending = records(sizes, (every, None)) if causal else encoding(sizes, every)
    return Model(
        model_type=family,
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=positions - offset,
        rows=tuple(renamed(row, kin.renamed) for row in rows()),
        attention=attending,
        stacks=(Stack(attending[0].stack, blocks, POST_NORM if kin.before is None else PRE_NORM),),
        traits=Traits("LayerNorm", kin.positions, activation(config, act_key, default="gelu")),
        known=tuple(known),
        defaults=config.defaults,
    )


def classifier(config: Config, width: int, ending: str, *, dense: tuple[str, str] | None) -> Iterator[Row]:
    """The head of an encoder's class for sequences, tokens, questions, multiple choice or the next sentence.

    ``dense`` are the names of the two layers of a class for sequences without a pooler, applied at the first position.
    """
    if ending == "ForSequenceClassification" and dense:
        yield from linear(dense[0], "head/dense", Matrix("W_D", width, width), bias=True, multiplies="one")
        out = Matrix("W_C", width, labels(config))
        yield from linear(dense[1], "head/out", out, bias=True, multiplies="one")
    elif ending == "ForSequenceClassification":
        yield from linear("classifier", "head", Matrix("W_C", width, labels(config)), bias=True, multiplies="one")
    elif ending == "ForTokenClassification":
        yield from linear("classifier", "head", Matrix("W_C", width, labels(config)), bias=True)
    elif ending == "ForQuestionAnswering":
        yield from linear("qa_outputs", "head", Matrix("W_QA", width, labels(config)), bias=True)
    elif ending == "ForMultipleChoice":
        yield from linear("classifier", "head", Matrix("W_C", width, 1), bias=True, multiplies="one")
    elif ending in ("ForPreTraining", "ForNextSentencePrediction"):
        yield from linear("cls.seq_relationship", "head", Matrix("W_next", width, 2), bias=True, multiplies="one")
