"""Encoders and encoder-decoders: heads by class, two stacks, sources, patches and frames; options and refusals."""

import re
from typing import Any

import pytest

import anatomy
from anatomy.model.blocks import label
from anatomy.reading.config import ConfigError, SequenceLengthError
from anatomy.report.anatomy import default_seq_len, describe
from tests.families.changes import like, shapes


def parts(values: dict[str, Any] | str) -> list[tuple[str | None, str]]:
    """Stack and id of every part but the residual streams."""
    model = anatomy.load(values)
    found = [(part.stack, part.id) for part in describe(model, default_seq_len(model)).parts]
    return [one for one in dict.fromkeys(found) if one[1] != "residual"]


# --- BERT and RoBERTa -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("slug", "architecture", "total", "outside"),
    [
        ("bert-base-uncased", "BertModel", 109_482_240, ["pooler"]),
        ("bert-base-uncased", "BertForMaskedLM", 109_514_298, ["unembedding"]),
        ("bert-base-uncased", "BertForPreTraining", 110_106_428, ["pooler", "head", "unembedding"]),
        ("roberta-base", "RobertaModel", 124_645_632, ["pooler"]),
        ("roberta-base", "RobertaForMaskedLM", 124_697_433, ["unembedding"]),
    ],
)
def test_the_class_decides_the_head(slug: str, architecture: str, total: int, outside: list[str]) -> None:
    values = like(slug, architectures=[architecture])
    assert anatomy.load(values).parameters == total
    blocks = ["attention", "norm-post-attention", "mlp", "norm-post-mlp"]
    assert [one for _, one in parts(values)] == ["embedding", "embedding-norm", *blocks, *outside]


def test_bert_without_a_class_is_the_masked_model_and_says_so() -> None:
    model = anatomy.load(like("bert-base-uncased", "architectures"))
    assert (model.architecture, model.parameters) == ("BertForMaskedLM", 109_514_298)
    assert model.defaults["architectures"] == ["BertForMaskedLM"]


def test_bert_normalises_after_each_addition_and_at_the_end_not_again() -> None:
    (stack,) = anatomy.load("bert-base-uncased").stacks
    assert (stack.id, stack.positions) == ("encoder", "tokens")
    assert [(branch.parts, branch.norm_after) for branch in stack.flow] == [
        (("attention",), "norm-post-attention"),
        (("mlp",), "norm-post-mlp"),
    ]


def test_googles_own_files_name_scale_and_shift_in_their_own_way() -> None:
    assert "bert.embeddings.LayerNorm.gamma" in shapes("bert-base-uncased")
    assert "embeddings.LayerNorm.weight" in shapes(like("bert-base-uncased", architectures=["BertModel"]))
    assert "roberta.embeddings.LayerNorm.weight" in shapes("roberta-base")


def test_heads_multiply_at_every_position_or_at_one() -> None:
    model = anatomy.load(like("bert-base-uncased", architectures=["BertForPreTraining"]))
    products = {term.label: term.value for term in model.flops(128).terms}
    assert products["W_U"] == 2 * 128 * 768 * 30522
    assert products["W_T"] == 2 * 128 * 768 * 768
    assert products["W_pool"] == 2 * 768 * 768
    assert products["W_next"] == 2 * 768 * 2


def test_roberta_begins_counting_positions_after_its_padding() -> None:
    assert shapes("roberta-base")["roberta.embeddings.position_embeddings.weight"] == (514, 768)
    assert anatomy.load("roberta-base").context == 512
    assert anatomy.load(like("roberta-base", "pad_token_id")).context == 512
    assert anatomy.load(like("roberta-base", pad_token_id=0)).context == 513
    assert anatomy.load("bert-base-uncased").context == 512


@pytest.mark.parametrize("slug", ["bert-base-uncased", "roberta-base", "vit-base"])
def test_an_encoder_sees_every_pair_and_keeps_no_cache(slug: str) -> None:
    model = anatomy.load(slug)
    length = default_seq_len(model)
    assert model.flops(length, "causal").per_pass == model.flops(length, "full").per_pass
    assert model.kv_cache_bytes(length) is None
    assert describe(model, length).kv_bytes_per_token is None


# --- ViT --------------------------------------------------------------------------------------------------------------
def test_vit_runs_over_its_patches_and_one_token_more() -> None:
    model = anatomy.load("vit-base")
    assert (model.fixed_lengths, model.context, model.vocabulary) == ({"tokens": 197, "patches": 196}, 197, None)
    for length in (1, 196, 198):
        with pytest.raises(SequenceLengthError):
            model.flops(length)
    products = {term.label: term.value for term in model.flops(197).terms}
    assert products["W_patch"] == 2 * 196 * (3 * 16 * 16) * 768
    assert products["W_C"] == 2 * 768 * 1000


def test_vit_projects_patches_of_any_size_and_number_of_channels() -> None:
    model = anatomy.load(like("vit-base", image_size=384, patch_size=32, num_channels=1))
    assert model.fixed_lengths == {"tokens": 145, "patches": 144}
    found = {row.name: row for row in model.rows}
    patch = found["vit.embeddings.patch_embeddings.projection.weight"]
    assert (patch.shape, patch.matrices[0].inputs) == ((768, 1, 32, 32), 1024)
    assert found["vit.embeddings.position_embeddings"].shape == (1, 145, 768)


def test_vit_counts_the_labels_that_are_named() -> None:
    named = like("vit-base", "num_labels", id2label={"0": "cat", "1": "dog", "2": "neither"})
    assert shapes(named)["classifier.weight"] == (3, 768)
    assert shapes(like("vit-base", "num_labels"))["classifier.weight"] == (2, 768)


def test_a_bare_vit_has_a_pooler_and_no_prefix() -> None:
    bare = anatomy.load("vit-base-in21k")
    assert bare.parameters == 86_389_248
    assert {"pooler.dense.weight", "embeddings.cls_token"} <= set(shapes("vit-base-in21k"))
    assert shapes(like("vit-base-in21k", pooler_output_size=10))["pooler.dense.weight"] == (10, 768)


def test_vit_may_do_without_biases_on_queries_keys_and_values() -> None:
    gone = shapes("vit-base").keys() - shapes(like("vit-base", qkv_bias=False)).keys()
    at = "vit.encoder.layer.{block}.attention.attention."
    assert gone == {f"{at}{name}.bias" for name in ("query", "key", "value")}


# --- T5 ---------------------------------------------------------------------------------------------------------------
def test_only_the_first_block_of_a_stack_has_relative_positions() -> None:
    model = anatomy.load("t5-small")
    tables = [row for row in model.rows if row.part.endswith("/relative-positions")]
    assert [(row.stack, row.shape, label(row.blocks)) for row in tables] == [
        ("encoder", (32, 8), "0"),
        ("decoder", (32, 8), "0"),
    ]
    kinds = [(kind.stack, label(kind.blocks)) for kind in describe(model, 8).block_kinds]
    assert kinds == [("encoder", "0"), ("encoder", "1-5"), ("decoder", "0"), ("decoder", "1-5")]


def test_t5_reads_tied_heads_and_heads_of_their_own() -> None:
    tied, own = anatomy.load("flan-t5-xl"), anatomy.load(like("flan-t5-xl", tie_word_embeddings=True))
    assert tied.parameters - own.parameters == 32128 * 2048
    assert anatomy.load("t5-base").tied_unembedding
    assert not anatomy.load("flan-t5-xl").tied_unembedding
    assert anatomy.load(like("t5-base", architectures=["T5WithLMHeadModel"])).rows == anatomy.load("t5-base").rows
    bare = anatomy.load(like("t5-base", architectures=["T5Model"]))
    assert bare.parameters == anatomy.load("t5-base").parameters
    assert ("decoder", "unembedding") not in parts(like("t5-base", architectures=["T5Model"]))


@pytest.mark.parametrize(
    ("kind", "stored", "activation"),
    [
        ("relu", ["wi", "wo"], "ReLU"),
        ("gelu", ["wi", "wo"], "GELU"),
        ("gated-gelu", ["wi_0", "wi_1", "wo"], "GeGLU"),
        ("gated-silu", ["wi_0", "wi_1", "wo"], "SwiGLU"),
    ],
)
def test_t5_may_have_a_gate(kind: str, stored: list[str], activation: str) -> None:
    model = anatomy.load(like("t5-small", "is_gated_act", feed_forward_proj=kind))
    assert [row.name.split(".")[-2] for row in model.rows if row.part.startswith("encoder/block/mlp")] == stored
    assert model.traits.activation == activation


def test_t5_may_have_a_decoder_of_another_depth_and_heads_of_any_size() -> None:
    model = anatomy.load(like("t5-small", num_decoder_layers=2, d_kv=128))
    assert [(stack.id, stack.blocks) for stack in model.stacks] == [("encoder", 6), ("decoder", 2)]
    assert shapes(like("t5-small", d_kv=128))["encoder.block.{block}.layer.0.SelfAttention.q.weight"] == (1024, 512)
    assert anatomy.load(like("t5-small", "num_decoder_layers")).stacks[1].blocks == 6


def test_relative_positions_set_no_longest_sequence() -> None:
    model = anatomy.load("t5-small")
    assert model.context is None
    assert model.flops(4096).per_pass > 0


# --- two stacks -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("slug", ["t5-small", "flan-t5-xl", "bart-large", "whisper-small"])
def test_cross_attention_reads_the_source(slug: str) -> None:
    model = anatomy.load(slug)
    assert [(stack.id, stack.positions) for stack in model.stacks] == [("encoder", "source"), ("decoder", "tokens")]
    across = [row for row in model.rows if row.part_id == "cross-attention" and row.matrices]
    assert {row.part.rsplit("/", 1)[-1]: row.multiplies for row in across} == {
        "query": "tokens",
        "key": "source",
        "value": "source",
        "output": "tokens",
    }
    assert [(record.stack, record.kind, record.causal) for record in model.attention] == [
        ("encoder", "self", False),
        ("decoder", "self", True),
        ("decoder", "cross", False),
    ]


@pytest.mark.parametrize("slug", ["t5-small", "bart-large"])
def test_both_stacks_read_one_table(slug: str) -> None:
    model = anatomy.load(slug)
    tables = {row.part: row.parameters for row in model.rows if row.part.endswith("embedding/token")}
    held = (model.vocabulary or 0) * model.width
    assert tables == {"embedding/token": held, "encoder/embedding/token": 0, "decoder/embedding/token": 0}
    assert parts(slug)[0] == (None, "embedding")


def test_the_cache_holds_the_source_at_its_own_length() -> None:
    whisper = anatomy.load("whisper-small")
    per_token = 12 * 2 * 12 * 64 * 2
    assert [whisper.kv_cache_bytes(length) for length in (1, 448)] == [per_token * (1 + 1500), per_token * (448 + 1500)]
    assert describe(whisper, 8).kv_bytes_per_token == per_token
    # T5's source is as long as what it writes.
    assert anatomy.load("t5-small").kv_cache_bytes(10) == 6 * 2 * 8 * 64 * 2 * (10 + 10)


# --- BART -------------------------------------------------------------------------------------------------------------
def test_a_bare_bart_has_neither_head_nor_prefix() -> None:
    assert {"shared.weight", "decoder.layernorm_embedding.bias"} <= set(shapes("bart-base"))
    assert ("decoder", "unembedding") not in parts("bart-base")
    whole = anatomy.load(like("bart-base", architectures=["BartForConditionalGeneration"]))
    assert whole.parameters == anatomy.load("bart-base").parameters == 139_420_416
    assert whole.flops(8).per_pass - anatomy.load("bart-base").flops(8).per_pass == 2 * 8 * 768 * 50265


def test_barts_position_tables_begin_with_two_unused_rows() -> None:
    model = anatomy.load("bart-large")
    assert shapes("bart-large")["model.encoder.embed_positions.weight"] == (1026, 1024)
    assert model.context == 1024
    assert any(re.fullmatch(one.pattern, "final_logits_bias") and one.shape == (1, 50265) for one in model.known)


def test_barts_stacks_may_differ() -> None:
    model = anatomy.load(like("bart-base", decoder_layers=2, decoder_ffn_dim=64, decoder_attention_heads=8))
    assert [(stack.id, stack.blocks) for stack in model.stacks] == [("encoder", 6), ("decoder", 2)]
    assert [(record.stack, record.query_heads) for record in model.attention][1:] == [("decoder", 8), ("decoder", 8)]
    gone = {row.name: row.shape for row in model.rows}
    assert gone["decoder.layers.{block}.fc1.weight"] == (64, 768)


# --- Whisper ----------------------------------------------------------------------------------------------------------
def test_whisper_hears_3000_frames_whatever_it_writes() -> None:
    model = anatomy.load("whisper-small")
    assert model.fixed_lengths == {"source": 1500, "frames": 3000}
    for length in (1, 448):
        products = {term.label: term.value for term in model.flops(length).terms}
        assert products["W_conv1"] == 2 * 3000 * (80 * 3) * 768
        assert products["W_conv2"] == 2 * 1500 * (768 * 3) * 768
    with pytest.raises(SequenceLengthError):
        model.flops(449)


def test_whispers_table_of_sinusoids_is_counted() -> None:
    rows = {row.name: row for row in anatomy.load("whisper-small").rows}
    assert rows["model.encoder.embed_positions.weight"].parameters == 1500 * 768


def test_whispers_keys_have_no_bias() -> None:
    biased = {name for name in shapes("whisper-small") if name.endswith("_proj.bias")}
    assert len(biased) == 3 * 3
    assert not any("k_proj" in name for name in biased)


# --- a model that was only ever described -----------------------------------------------------------------------------
def test_gpt_3_is_counted_from_its_papers_table() -> None:
    model = anatomy.load("gpt-3-175b")
    width, blocks = 12288, 96
    block = 12 * width**2 + 13 * width
    assert model.parameters == blocks * block + (50257 + 2048 + 2) * width == 174_604_259_328
    assert model.entry
    assert (model.entry.released_total, model.entry.repository) == (None, None)
    assert model.entry.note.startswith("No released checkpoint")


# --- defaults and refusals --------------------------------------------------------------------------------------------
DEFAULTS = [
    (like("bert-base-uncased", "max_position_embeddings", "type_vocab_size"), 109_514_298),
    (like("roberta-base", "max_position_embeddings", "pad_token_id"), 124_697_433 - 2 * 768),
    (like("vit-base", "image_size", "patch_size", "num_channels", "qkv_bias"), 86_567_656),
    (like("t5-base", "d_kv", "relative_attention_num_buckets"), 222_903_552),
    (like("bart-large", "max_position_embeddings"), 406_291_456),
    (like("whisper-small", "num_mel_bins", "max_source_positions", "max_target_positions"), 241_734_912),
]


@pytest.mark.parametrize(
    ("values", "total"), DEFAULTS, ids=lambda one: one["model_type"] if isinstance(one, dict) else ""
)
def test_what_is_left_out_takes_the_default_of_the_configuration_class(values: dict[str, Any], total: int) -> None:
    model = anatomy.load(values)
    assert model.parameters == total
    assert model.defaults


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "BERT: another class": (
        like("bert-base-uncased", architectures=["BertForTokenSorting"]),
        'architectures is "BertForTokenSorting"; accepted: BertForMaskedLM, BertModel, BertForPreTraining',
    ),
    "BERT: RoBERTa's class": (
        like("bert-base-uncased", architectures=["RobertaForMaskedLM"]),
        'architectures is "RobertaForMaskedLM"; accepted: BertForMaskedLM',
    ),
    "BERT: relative positions": (
        like("bert-base-uncased", position_embedding_type="relative_key"),
        'position_embedding_type is "relative_key"; accepted: "absolute" or null (relative positions add tables)',
    ),
    "BERT: a decoder": (like("bert-base-uncased", is_decoder=True), "is_decoder is true; accepted: false or null"),
    "BERT: cross-attention": (like("bert-base-uncased", add_cross_attention=True), "add_cross_attention is true"),
    "BERT: untied": (like("bert-base-uncased", tie_word_embeddings=False), "tie_word_embeddings is false"),
    "BERT: heads that do not divide": (
        like("bert-base-uncased", num_attention_heads=7),
        "num_attention_heads is 7, which does not divide hidden_size 768",
    ),
    "RoBERTa: no position left": (
        like("roberta-base", max_position_embeddings=2),
        "max_position_embeddings is 2; accepted: more than 2, which positions begin at",
    ),
    "ViT: patches that do not fill the image": (
        like("vit-base", image_size=225),
        "patch_size is 16, which does not divide image_size 225",
    ),
    "ViT: an image that is no square": (like("vit-base", image_size=[224, 224]), "image_size is a list of 2 items"),
    "ViT: labels and their number": (
        like("vit-base", id2label={"0": "cat"}, num_labels=2),
        "num_labels is 2; accepted: null or 1 (as many as id2label names)",
    ),
    "T5: an unknown kind of MLP": (
        like("t5-small", feed_forward_proj="gated"),
        'feed_forward_proj is "gated"; accepted: gated-gelu, gated-relu, gated-silu, gelu, gelu_new, relu, silu',
    ),
    "T5: only its encoder": (
        like("t5-small", architectures=["T5EncoderModel"]),
        'architectures is "T5EncoderModel"; accepted: T5ForConditionalGeneration, T5WithLMHeadModel, T5Model',
    ),
    "T5: a gate, and none": (like("t5-small", is_gated_act=True), "is_gated_act is true; accepted: null or false"),
    "T5: no gate, and one": (like("flan-t5-xl", is_gated_act=False), "is_gated_act is false; accepted: null or true"),
    "T5: a head that only the file tells of": (
        like("t5-v1.1-small", tie_word_embeddings=True, scale_decoder_outputs=False),
        "scale_decoder_outputs is false beside a tied head, as transformers 5 saves both kinds of head; accepted: tie_",
    ),
    "BERT: pruned heads": (
        like("bert-base-uncased", pruned_heads={"0": [1, 2]}),
        "pruned_heads is an object of 1 keys; accepted: null or an object of 0 keys (pruned heads",
    ),
    "T5: two depths": (like("t5-small", num_hidden_layers=5), "num_hidden_layers is 5; accepted: the same value as"),
    "BART: norms before": (like("bart-large", normalize_before=True), "normalize_before is true"),
    "BART: a last norm": (like("bart-large", add_final_layer_norm=True), "add_final_layer_norm is true"),
    "BART: a trained bias of the logits": (like("bart-large", add_bias_logits=True), "add_bias_logits is true"),
    "BART: untied": (like("bart-large", tie_word_embeddings=False), "tie_word_embeddings is false"),
    "BART: no width of the decoder's MLP": (like("bart-large", "decoder_ffn_dim"), "decoder_ffn_dim is missing"),
    "Whisper: untied": (like("whisper-tiny", tie_word_embeddings=False), "tie_word_embeddings is false"),
    "Whisper: a classifier": (
        like("whisper-tiny", architectures=["WhisperForAudioClassification"]),
        'architectures is "WhisperForAudioClassification"; accepted: WhisperForConditionalGeneration',
    ),
    "Whisper: heads that do not divide": (
        like("whisper-tiny", encoder_attention_heads=5),
        "encoder_attention_heads is 5, which does not divide d_model 384",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_for_certain_is_refused(case: str) -> None:
    values, said = REFUSED[case]
    with pytest.raises(ConfigError, match=re.escape(said)):
        anatomy.load(values)
