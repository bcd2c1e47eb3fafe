"""Dense decoders: their options, defaults and refusals, and what a kin of a catalogue model would hold."""

from typing import Any

import pytest

import anatomy
from anatomy.model.blocks import contains, count
from anatomy.reading.config import ConfigError
from anatomy.report.anatomy import describe

TWO_NORMS, ONE_NORM = ["norm-attention", "attention", "norm-mlp", "mlp"], ["norm-block", "attention", "mlp"]


def like(slug: str, *without: str, **others: Any) -> dict[str, Any]:
    """The configuration of a catalogue model, with other values, without some keys."""
    values = {**anatomy.entries()[slug].config, **others}
    return {key: value for key, value in values.items() if key not in without}


def inside(slug: str, *without: str, **others: Any) -> dict[str, Any]:
    """The same for the ``text_config`` of a multimodal model."""
    values = dict(anatomy.entries()[slug].config)
    text = {key: value for key, value in {**values["text_config"], **others}.items() if key not in without}
    return {**values, "text_config": text}


def shapes(model: anatomy.LoadedModel) -> dict[str, tuple[int, ...]]:
    return {row.name: row.shape for row in model.rows}


def flow(model: anatomy.LoadedModel) -> list[str]:
    return [part.id for part in describe(model, 1).block_kinds[0].parts]


def reads(model: anatomy.LoadedModel) -> list[str]:
    return [branch.reads for branch in model.stacks[0].flow]


def windows(model: anatomy.LoadedModel) -> dict[int | None, int]:
    """How many blocks have which window."""
    return {record.window: count(record.blocks) for record in model.attention}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "GPT-J: a class without an unembedding's bias": (
        like("gpt-j-6b", architectures=["GPTJForSequenceClassification"]),
        'architectures is "GPTJForSequenceClassification"; accepted: GPTJForCausalLM, GPTJModel',
    ),
    "BLOOM: another MLP": (like("bloom-560m", n_inner=4095), "n_inner is 4095; accepted: null or 4096 (four times"),
    "BLOOM: two widths": (
        like("bloom-560m", hidden_size=512),
        "n_embed is 1024; accepted: the same value as hidden_size",
    ),
    "MPT: another MLP": (
        like("mpt-7b", expansion_ratio=3),
        "expansion_ratio is 3; accepted: null or 4 (MptMLP is four",
    ),
    "MPT: biases": (like("mpt-7b", no_bias=False), "no_bias is false; accepted: null or true (MPT has no biases)"),
    "MPT: another norm": (
        like("mpt-7b", norm_type="rmsnorm"),
        'norm_type is "rmsnorm"; accepted: null or "low_precision',
    ),
    "MPT: one KV head": (
        like("mpt-7b", attn_config={"attn_type": "multiquery_attention"}),
        'attn_config: attn_type is "multiquery_attention"; accepted: null or "multihead_attention" (fewer KV heads)',
    ),
    "MPT: QK norms": (
        like("mpt-7b", attn_config={"qk_ln": True}),
        "attn_config: qk_ln is true; accepted: null or false",
    ),
    "MPT: positions": (
        like("mpt-7b", attn_config={"alibi": False}),
        "attn_config: alibi is false; accepted: null or true",
    ),
    "MPT: no object": (like("mpt-7b", attn_config=[]), "attn_config is a list of 0 items; accepted: an object"),
    "MPT: experts": (
        like("mpt-7b", ffn_config={"ffn_type": "mb_moe"}),
        'ffn_config: ffn_type is "mb_moe"; accepted: null',
    ),
    "MPT: an MLP of a width of its own": (
        like("mpt-7b", ffn_config={"ffn_type": "mptmlp", "ffn_hidden_size": 11008}),
        "ffn_config: ffn_hidden_size is 11008; accepted: null or 16384 (MptMLP is four times as wide)",
    ),
    "Falcon: one after the other in the new form": (
        like("falcon-40b", parallel_attn=False),
        "parallel_attn is false; accepted: true with new_decoder_architecture",
    ),
    "Falcon: two norms in the old form": (
        like("falcon-7b", num_ln_in_parallel_attn=2),
        "num_ln_in_parallel_attn is 2; accepted: an integer from 1 to 1",
    ),
    "Falcon: three norms": (
        like("falcon-40b", num_ln_in_parallel_attn=3),
        "num_ln_in_parallel_attn is 3; accepted: an int",
    ),
    "Falcon: KV heads that do not divide": (
        like("falcon-40b", num_kv_heads=24),
        "num_kv_heads is 24, which does not divide num_attention_heads 128; accepted: a divisor of num_attention_heads",
    ),
    "Falcon: KV heads that nothing reads": (
        like("falcon-rw-1b", num_kv_heads=8),
        "num_kv_heads is 8; accepted: null or 32 (as many as query heads without multi_query)",
    ),
    "Falcon: heads that do not divide": (
        like("falcon-7b", num_attention_heads=70),
        "num_attention_heads is 70, which does not divide hidden_size 4544; accepted: a divisor of hidden_size",
    ),
    "Phi: QK norms": (
        like("phi-2", qk_layernorm=True),
        "qk_layernorm is true; accepted: false or null (no released Phi",
    ),
    "StableLM: heads of their own size": (
        like("stablelm-3b-4e1t", head_dim=128),
        "head_dim is 128; accepted: null or 80 (hidden_size / num_attention_heads)",
    ),
    "StarCoder2: a gated MLP": (
        like("starcoder2-3b", mlp_type="gated"),
        'mlp_type is "gated"; accepted: "default" or null',
    ),
    "StarCoder2: another norm": (
        like("starcoder2-3b", norm_type="rms"),
        'norm_type is "rms"; accepted: "layer_norm" or null',
    ),
    "Gemma: attention to later tokens": (
        like("gemma-3-1b", use_bidirectional_attention=True),
        "use_bidirectional_attention is true; accepted: false or null (attention that sees later tokens)",
    ),
    "Gemma: a long period": (
        like("gemma-3-1b", sliding_window_pattern=65),
        "sliding_window_pattern is 65; accepted: an integer from 1 to 64",
    ),
    "Gemma 3: no text part": (
        {key: value for key, value in inside("gemma-3-4b").items() if key != "text_config"},
        "text_config is missing; accepted: an object",
    ),
    "Gemma 3: another text part": (
        inside("gemma-3-4b", model_type="gemma2"),
        'text_config: model_type is "gemma2"; accepted: "gemma3_text" or null',
    ),
    "Gemma 3: the class of the text part": (
        {**inside("gemma-3-4b"), "architectures": ["Gemma3ForCausalLM"]},
        'architectures is "Gemma3ForCausalLM"; accepted: Gemma3ForConditionalGeneration',
    ),
    "Gemma 3: tied inside, untied outside": (
        {**inside("gemma-3-4b", tie_word_embeddings=True), "tie_word_embeddings": False},
        "text_config: tie_word_embeddings is true; accepted: null or false (as outside text_config)",
    ),
    "Gemma 3: untied inside, nothing outside": (
        inside("gemma-3-4b", tie_word_embeddings=False),
        "text_config: tie_word_embeddings is false; accepted: null or true (or the same value outside text_config too",
    ),
    "SmolLM3: windows": (
        like("smollm3-3b", use_sliding_window=True),
        "use_sliding_window is true; accepted: false or null",
    ),
    "Qwen3: a list of another length": (
        like("qwen3-8b", use_sliding_window=True, sliding_window=9, layer_types=["full_attention"]),
        "layer_types is a list of 1 items; accepted: a list of 36 items (at most 1,024), each one of full_attention, ",
    ),
    "Qwen3: a kind of attention nobody knows": (
        like("qwen3-8b", use_sliding_window=True, layer_types=["full_attention"] * 35 + ["linear_attention"]),
        'layer_types is "linear_attention"; accepted: a list of 36 items',
    ),
    "GPT-2: pruned heads": (
        like("gpt2", pruned_heads={"0": [1]}),
        "pruned_heads is an object of 1 keys; accepted: null or an object of 0 keys (pruned heads",
    ),
    "Llama: names for no class": (
        like("llama-3.2-1b", architectures=["LlamaForSequenceClassification"], id2label={}),
        "id2label is an object of 0 keys; accepted: an object with a name for each class",
    ),
    "Llama: labels that disagree": (
        like("llama-3.2-1b", architectures=["LlamaForSequenceClassification"], id2label={"0": "a"}, num_labels=2),
        "num_labels is 2; accepted: null or 1 (as many as id2label names)",
    ),
    "Granite: a class it does not have": (
        like("granite-3.0-2b", architectures=["GraniteForSequenceClassification"]),
        'architectures is "GraniteForSequenceClassification"; accepted: GraniteForCausalLM, GraniteModel',
    ),
}


@pytest.mark.parametrize(("values", "said"), REFUSED.values(), ids=REFUSED)
def test_an_option_that_is_not_handled_is_refused_by_name(values: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        anatomy.load(values)
    assert str(caught.value).removeprefix("config: ").startswith(said)


# What each family takes for keys that are left out, and the same when it is written out.
DEFAULTS: dict[str, dict[str, Any]] = {
    "bloom-560m": {"tie_word_embeddings": True},
    "command-r": {"tie_word_embeddings": True, "attention_bias": False, "use_qk_norm": False, "head_dim": 128},
    "command-r7b": {"tie_word_embeddings": True, "sliding_window_pattern": 4, "sliding_window": 4096},
    "falcon-7b": {
        "multi_query": True,
        "new_decoder_architecture": False,
        "parallel_attn": True,
        "bias": False,
        "alibi": False,
        "ffn_hidden_size": 18176,
        "max_position_embeddings": 2048,
    },
    "falcon-40b": {"num_ln_in_parallel_attn": 2, "tie_word_embeddings": True},
    "gemma-2b": {"head_dim": 256, "max_position_embeddings": 8192, "tie_word_embeddings": True},
    "gemma-7b": {"num_key_value_heads": 16},
    "gemma-2-2b": {"num_key_value_heads": 4, "sliding_window": 4096, "head_dim": 256},
    "gemma-3-1b": {"sliding_window_pattern": 6, "tie_word_embeddings": True},
    "gpt-j-6b": {"n_inner": 16384, "n_positions": 2048, "tie_word_embeddings": False},
    "gpt-neox-20b": {"attention_bias": True, "use_parallel_residual": True, "max_position_embeddings": 2048},
    "granite-8b-code": {"head_dim": 128},
    "llama-3-8b": {"attention_bias": False, "mlp_bias": False, "head_dim": 128, "tie_word_embeddings": False},
    "llama-2-7b": {"num_key_value_heads": 32, "max_position_embeddings": 2048},
    "mistral-7b-v0.1": {"num_key_value_heads": 8, "sliding_window": 4096, "head_dim": 128},
    "mpt-7b": {"max_seq_len": 2048, "tie_word_embeddings": True, "expansion_ratio": 4, "no_bias": True},
    "olmo-2-7b": {"num_key_value_heads": 32, "attention_bias": False, "tie_word_embeddings": False},
    "olmo-7b": {"num_key_value_heads": 32, "max_position_embeddings": 2048},
    "opt-125m": {
        "word_embed_proj_dim": 768,
        "do_layer_norm_before": True,
        "enable_bias": True,
        "layer_norm_elementwise_affine": True,
    },
    "phi-2": {"num_key_value_heads": 32, "tie_word_embeddings": False, "max_position_embeddings": 2048},
    "phi-3-mini": {"num_key_value_heads": 32, "max_position_embeddings": 4096, "tie_word_embeddings": False},
    "qwen2.5-7b": {"use_sliding_window": False},
    "qwen3-8b": {"head_dim": 128, "attention_bias": False, "use_sliding_window": False},
    "smollm3-3b": {"num_key_value_heads": 4, "tie_word_embeddings": True, "attention_bias": False, "mlp_bias": False},
    "stablelm-3b-4e1t": {"num_key_value_heads": 32, "use_qkv_bias": False, "qk_layernorm": False},
    "starcoder2-3b": {"num_key_value_heads": 2, "use_bias": True, "tie_word_embeddings": True},
    "starcoderbase": {"multi_query": True, "n_inner": 24576, "tie_word_embeddings": True},
}


@pytest.mark.parametrize("slug", DEFAULTS)
def test_a_key_that_is_left_out_takes_the_documented_default(slug: str) -> None:
    written = anatomy.load(like(slug, **DEFAULTS[slug]))
    left_out = anatomy.load(like(slug, *DEFAULTS[slug]))
    assert (left_out.rows, left_out.attention) == (written.rows, written.attention)
    assert left_out.context == written.context
    # MPT has one value for each of these two, so they are no choice that an answer would tell.
    told = {key: value for key, value in DEFAULTS[slug].items() if key not in ("expansion_ratio", "no_bias")}
    assert {key: left_out.defaults.get(key) for key in told} == told


def test_gemma_3_leaves_heads_and_vocabulary_to_its_class() -> None:
    whole = inside("gemma-3-4b")
    assert "vocab_size" not in whole["text_config"]
    written = inside("gemma-3-4b", vocab_size=262208, num_attention_heads=8, num_key_value_heads=4, head_dim=256)
    assert anatomy.load(whole).rows == anatomy.load(written).rows
    assert anatomy.load(whole).defaults["vocab_size"] == 262208


def test_mpt_may_say_that_its_mlp_is_as_wide_as_ever() -> None:
    for said in ({"ffn_hidden_size": 16384}, {"ffn_hidden_size": None}, {}):
        assert anatomy.load(like("mpt-7b", ffn_config=said)).rows == anatomy.load("mpt-7b").rows


@pytest.mark.parametrize("tied", [True, False])
def test_gemma_3_is_tied_as_its_whole_configuration_says(tied: bool) -> None:
    outside = {**inside("gemma-3-4b"), "tie_word_embeddings": tied}
    both = {**inside("gemma-3-4b", tie_word_embeddings=tied), "tie_word_embeddings": tied}
    assert anatomy.load(outside).tied_unembedding is anatomy.load(both).tied_unembedding is tied
    assert anatomy.load(inside("gemma-3-4b", tie_word_embeddings=True)).tied_unembedding


def test_null_kv_heads_are_as_many_as_query_heads() -> None:
    model = anatomy.load(like("mistral-7b-v0.1", num_key_value_heads=None))
    assert model.attention[0].kv_heads == 32
    assert model.defaults["num_key_value_heads"] == 32


class TestHeadsOfAClass:
    """Each class of a family has its own head."""

    def test_a_bare_model_has_none_and_its_names_no_prefix(self) -> None:
        bare, causal = anatomy.load(like("llama-3-8b", architectures=["LlamaModel"])), anatomy.load("llama-3-8b")
        assert bare.parameters == causal.parameters - 128256 * 4096
        assert next(bare.tensors()).name == "embed_tokens.weight"
        assert {row.name for row in bare.rows} == {row.name.removeprefix("model.") for row in causal.rows[:-1]}

    @pytest.mark.parametrize(
        ("slug", "prefix"), [("llama-3.2-1b", "Llama"), ("gemma-2b", "Gemma"), ("phi-3-mini", "Phi3")]
    )
    def test_a_sequence_classifier_reads_one_position(self, slug: str, prefix: str) -> None:
        names = {"0": "bad", "1": "fair", "2": "good"}
        values = like(slug, architectures=[prefix + "ForSequenceClassification"], id2label=names)
        model, body = anatomy.load(values), anatomy.load(like(slug, architectures=[prefix + "Model"]))
        assert shapes(model)["score.weight"] == (3, model.width)
        assert model.parameters == body.parameters + 3 * model.width
        assert model.flops(8).per_pass == body.flops(8).per_pass + 2 * 3 * model.width
        assert model.groups()["unembedding"] == 3 * model.width
        part = describe(model, 8).find("head")
        assert part is not None
        assert part.label == "Classifier"
        assert [one.shape for one in part.activations] == [(1, 3)]

    def test_a_token_classifier_reads_every_position_and_has_a_bias(self) -> None:
        model = anatomy.load(like("qwen3-0.6b", architectures=["Qwen3ForTokenClassification"], num_labels=5))
        body = anatomy.load(like("qwen3-0.6b", architectures=["Qwen3Model"]))
        assert model.parameters == body.parameters + 5 * 1024 + 5
        assert model.flops(8).per_pass == body.flops(8).per_pass + 2 * 8 * 5 * 1024

    def test_two_labels_where_none_are_said(self) -> None:
        model = anatomy.load(like("gpt2", architectures=["GPT2ForSequenceClassification"]))
        assert shapes(model)["score.weight"] == (2, 768)
        assert next(model.tensors()).name == "transformer.wte.weight"
        assert model.defaults["num_labels"] == 2

    @pytest.mark.parametrize(
        "slug", ["gpt2", "llama-3.2-1b", "gemma-2-2b", "command-r", "falcon-7b", "gpt-neox-20b", "phi-2"]
    )
    def test_untying_adds_the_table_once_more_and_changes_no_flops(self, slug: str) -> None:
        model = anatomy.load(slug)
        table = model.vocabulary * model.width if model.vocabulary else 0
        tied = anatomy.load(like(slug, tie_word_embeddings=True))
        untied = anatomy.load(like(slug, tie_word_embeddings=False))
        assert untied.parameters == tied.parameters + table
        assert untied.flops(8).per_pass == tied.flops(8).per_pass
        assert (tied.tied_unembedding, untied.tied_unembedding) == (True, False)


class TestBiases:
    """Options that add biases."""

    def test_llama_has_them_where_it_says_so(self) -> None:
        plain, biased = anatomy.load("llama-3-8b"), anatomy.load(like("llama-3-8b", attention_bias=True, mlp_bias=True))
        assert biased.parameters - plain.parameters == 32 * (4096 + 2 * 1024 + 4096 + 2 * 14336 + 4096)
        assert biased.flops(8).per_pass == plain.flops(8).per_pass

    def test_qwen2_has_them_on_q_k_and_v_only(self) -> None:
        assert sum(row.parameters for row in anatomy.load("qwen2.5-7b").rows if row.name.endswith("bias")) == 28 * (
            3584 + 2 * 512
        )

    def test_gpt_neox_can_go_without_in_attention(self) -> None:
        plain = anatomy.load(like("pythia-160m", attention_bias=False))
        assert anatomy.load("pythia-160m").parameters - plain.parameters == 12 * 4 * 768

    def test_opt_can_go_without_and_with_norms_that_hold_nothing(self) -> None:
        plain = anatomy.load(like("opt-125m", enable_bias=False, layer_norm_elementwise_affine=False))
        assert not any("bias" in row.name or "norm" in row.name for row in plain.rows)

    def test_falcon_and_starcoder2_have_them_on_every_projection(self) -> None:
        falcon = anatomy.load(like("falcon-7b", bias=True)).parameters - anatomy.load("falcon-7b").parameters
        assert falcon == 32 * (4672 + 4544 + 4 * 4544 + 4544)
        star = anatomy.load("starcoder2-3b").parameters - anatomy.load(like("starcoder2-3b", use_bias=False)).parameters
        assert star == 30 * (3072 + 2 * 256 + 3072 + 12288 + 3072)


class TestFlow:
    """How the parts of a block are wired."""

    @pytest.mark.parametrize(
        ("slug", "parts", "from_where"),
        [
            ("gpt2", TWO_NORMS, ["stream", "stream"]),
            ("falcon-rw-1b", TWO_NORMS, ["stream", "stream"]),
            ("falcon-7b", ONE_NORM, ["stream", "norm"]),
            ("falcon-40b", TWO_NORMS, ["stream", "same"]),
            ("falcon-11b", ONE_NORM, ["stream", "norm"]),
            ("gpt-neox-20b", TWO_NORMS, ["stream", "same"]),
            ("gpt-j-6b", ONE_NORM, ["stream", "norm"]),
            ("phi-2", ONE_NORM, ["stream", "norm"]),
            ("command-r", ONE_NORM, ["stream", "norm"]),
            ("stablelm-2-12b", ONE_NORM, ["stream", "norm"]),
            ("stablelm-3b-4e1t", TWO_NORMS, ["stream", "stream"]),
            ("olmo-7b", TWO_NORMS, ["stream", "stream"]),
            ("olmo-2-7b", ["attention", "norm-post-attention", "mlp", "norm-post-mlp"], ["stream", "stream"]),
            (
                "gemma-2-2b",
                ["norm-attention", "attention", "norm-post-attention", "norm-mlp", "mlp", "norm-post-mlp"],
                ["stream", "stream"],
            ),
        ],
    )
    def test_parts_follow_each_other_or_stand_in_parallel(
        self, slug: str, parts: list[str], from_where: list[str]
    ) -> None:
        model = anatomy.load(slug)
        assert flow(model) == parts
        assert reads(model) == from_where

    def test_opt_350m_normalises_after_the_addition(self) -> None:
        model = anatomy.load("opt-350m")
        assert [branch.norm_after for branch in model.stacks[0].flow] == ["norm-post-attention", "norm-post-mlp"]
        assert "decoder.final_layer_norm.weight" not in shapes(model)

    def test_pythia_can_put_its_parts_one_after_the_other(self) -> None:
        model = anatomy.load(like("pythia-160m", use_parallel_residual=False))
        assert reads(model) == ["stream", "stream"]
        assert model.rows == anatomy.load("pythia-160m").rows


class TestFusedProjections:
    """A fused tensor carries its logical matrices, whatever the order of its rows."""

    @pytest.mark.parametrize(
        ("slug", "name", "matrices"),
        [
            ("gpt2", "h.{block}.attn.c_attn.weight", [(768, 768)] * 3),
            (
                "falcon-7b",
                "transformer.h.{block}.self_attention.query_key_value.weight",
                [(4544, 4544), (4544, 64), (4544, 64)],
            ),
            (
                "falcon-40b",
                "transformer.h.{block}.self_attention.query_key_value.weight",
                [(8192, 8192), (8192, 512), (8192, 512)],
            ),
            (
                "phi-3-medium",
                "model.layers.{block}.self_attn.qkv_proj.weight",
                [(5120, 5120), (5120, 1280), (5120, 1280)],
            ),
            ("phi-3-mini", "model.layers.{block}.mlp.gate_up_proj.weight", [(3072, 8192), (3072, 8192)]),
            ("starcoderbase", "transformer.h.{block}.attn.c_attn.weight", [(6144, 6144), (6144, 128), (6144, 128)]),
            ("mpt-7b", "transformer.blocks.{block}.attn.Wqkv.weight", [(4096, 4096)] * 3),
        ],
    )
    def test_it_holds(self, slug: str, name: str, matrices: list[tuple[int, int]]) -> None:
        (row,) = (row for row in anatomy.load(slug).rows if row.name == name)
        assert [(matrix.inputs, matrix.outputs) for matrix in row.matrices] == matrices

    def test_multi_query_can_be_switched_off(self) -> None:
        many = anatomy.load(like("starcoderbase-1b", multi_query=False))
        assert many.attention[0].kv_heads == 16
        assert many.parameters - anatomy.load("starcoderbase-1b").parameters == 24 * 2 * (2048 - 128) * (2048 + 1)
        falcon = anatomy.load(like("falcon-7b", multi_query=False))
        assert falcon.parameters - anatomy.load("falcon-7b").parameters == 32 * 2 * (4544 - 64) * 4544


class TestWindows:
    """Which blocks attend through a sliding window."""

    @pytest.mark.parametrize(
        ("slug", "found"),
        [
            ("mistral-7b-v0.1", {4096: 32}),
            ("mistral-nemo-12b", {None: 40}),
            ("gemma-7b", {None: 28}),
            ("gemma-2-9b", {4096: 21, None: 21}),
            ("gemma-3-1b", {512: 22, None: 4}),
            ("gemma-3-27b", {1024: 52, None: 10}),
            ("command-r7b", {4096: 24, None: 8}),
            ("phi-3-mini", {2047: 32}),
            ("phi-4", {None: 40}),
            ("starcoder2-7b", {4096: 32}),
            ("qwen2.5-7b", {None: 28}),
            ("smollm3-3b", {None: 36}),
        ],
    )
    def test_blocks_have(self, slug: str, found: dict[int | None, int]) -> None:
        assert windows(anatomy.load(slug)) == found

    def test_gemma_2_begins_with_a_local_block_and_gemma_3_with_five(self) -> None:
        for slug, full in (("gemma-2-2b", (1, 3, 5)), ("gemma-3-1b", (5, 11, 17)), ("command-r7b", (3, 7, 11))):
            (record,) = (one for one in anatomy.load(slug).attention if one.window is None)
            assert [block for block in range(18) if contains(record.blocks, block)][:3] == list(full)

    def test_a_list_of_kinds_says_it_block_by_block(self) -> None:
        kinds = ["full_attention"] * 20 + ["sliding_attention"] * 6
        for slug in ("gemma-2-2b", "gemma-3-1b"):
            assert windows(anatomy.load(like(slug, layer_types=kinds, sliding_window=64))) == {64: 6, None: 20}

    @pytest.mark.parametrize("slug", ["qwen2.5-7b", "qwen3-8b"])
    def test_qwen_has_windows_from_a_block_on_where_they_are_used(self, slug: str) -> None:
        blocks = anatomy.load(slug).stacks[0].blocks
        used = like(slug, "layer_types", use_sliding_window=True, sliding_window=512, max_window_layers=10)
        assert windows(anatomy.load(used)) == {None: 10, 512: blocks - 10}
        assert windows(anatomy.load({**used, "max_window_layers": 0})) == {512: blocks}
        assert windows(anatomy.load({**used, "max_window_layers": 10**9})) == {None: blocks}
        kinds = ["sliding_attention", "full_attention"] * (blocks // 2)
        assert windows(anatomy.load({**used, "layer_types": kinds})) == {None: blocks // 2, 512: blocks // 2}

    def test_a_window_changes_the_cache_and_the_causal_square_only(self) -> None:
        near, far = anatomy.load("gemma-2-2b"), anatomy.load(like("gemma-2-2b", sliding_window=None))
        assert near.rows == far.rows
        assert near.flops(8192).per_pass == far.flops(8192).per_pass
        per_token = 2 * 4 * 256 * 2
        assert near.kv_cache_bytes(8192) == 13 * per_token * (4096 + 8192)
        assert far.kv_cache_bytes(8192) == 26 * per_token * 8192
        # 13 blocks of 8 heads of size 256 see, of each query beyond the window, only the nearest 4,096 keys.
        unseen = 13 * 8 * 2 * 2 * 256 * sum(range(1, 8192 - 4096 + 1))
        assert far.flops(8192, "causal").per_pass - near.flops(8192, "causal").per_pass == unseen


class TestSizes:
    """Other sizes of a family, by formulas that only this test knows."""

    def test_opt_of_any_width_of_its_embeddings(self) -> None:
        for narrow in (1, 512, 1024, 4096):
            model = anatomy.load(like("opt-350m", word_embed_proj_dim=narrow))
            projections = 0 if narrow == 1024 else 2 * narrow * 1024
            tables = 50272 * narrow + 2050 * 1024
            assert model.groups()["embeddings"] == tables + projections
            assert model.parameters == tables + projections + 24 * (12 * 1024**2 + 13 * 1024)
            assert model.flops(4).per_pass == 8 * (24 * (12 * 1024**2 + 2 * 4 * 1024) + 50272 * narrow + projections)

    @pytest.mark.parametrize(
        "slug",
        ["gpt2", "llama-3-8b", "gemma-2-2b", "gemma-3-1b", "command-r7b", "falcon-40b", "stablelm-2-12b", "mpt-7b"],
    )
    def test_a_thousand_million_blocks_are_as_cheap_as_a_dozen(self, slug: str) -> None:
        model = anatomy.load(slug)
        depth = next(
            key for key in ("n_layer", "n_layers", "num_hidden_layers") if key in anatomy.entries()[slug].config
        )
        shallow = model.stacks[0].blocks
        per_block = (model.parameters - anatomy.load(like(slug, **{depth: 1})).parameters) // (shallow - 1)
        deep = anatomy.load(like(slug, **{depth: 10**9}))
        assert deep.parameters == model.parameters + (10**9 - shallow) * per_block
        shown = describe(deep, 8)
        assert sum(count(kind.blocks) for kind in shown.block_kinds) == 10**9
        assert sum(part.parameters for part in shown.parts) == deep.parameters
        assert sum(part.flops for part in shown.parts) == deep.flops(8).per_pass

    def test_stablelm_stores_a_norm_for_every_head(self) -> None:
        names = [one.name for one in anatomy.load("stablelm-2-12b").tensors() if "k_layernorm" in one.name]
        assert names[:2] == [f"model.layers.0.self_attn.k_layernorm.norms.{head}.weight" for head in (0, 1)]
        assert len(names) == 40 * 8
        single = like("stablelm-2-12b", num_attention_heads=1, num_key_value_heads=1)
        assert "model.layers.0.self_attn.q_layernorm.norms.0.weight" in {
            one.name for one in anatomy.load(single).tensors()
        }

    def test_heads_of_their_own_size(self) -> None:
        model = anatomy.load(like("mistral-nemo-12b", head_dim=160))
        assert shapes(model)["model.layers.{block}.self_attn.q_proj.weight"] == (32 * 160, 5120)
        assert model.attention[0].qk_size == 160


class TestTextParts:
    """Language models inside configurations that also see images."""

    def test_the_text_part_is_counted_under_its_longer_names(self) -> None:
        whole = anatomy.load("gemma-3-4b")
        text = {**inside("gemma-3-4b")["text_config"], "architectures": ["Gemma3ForCausalLM"]}
        alone = anatomy.load(text)
        assert whole.parameters == alone.parameters
        assert [row.name for row in whole.rows] == [f"language_model.{row.name}" for row in alone.rows]
        assert whole.architecture == "Gemma3ForConditionalGeneration"
        assert (whole.model_type, alone.model_type) == ("gemma3", "gemma3_text")

    def test_mistral_inside_another_configuration(self) -> None:
        # mistralai/Mistral-Small-3.1-24B-Instruct-2503; its text part is Mistral-Small-3.1's 24B language model.
        text = {
            "model_type": "mistral",
            "head_dim": 128,
            "hidden_size": 5120,
            "intermediate_size": 32768,
            "max_position_embeddings": 131072,
            "num_attention_heads": 32,
            "num_hidden_layers": 40,
            "num_key_value_heads": 8,
            "sliding_window": None,
            "vocab_size": 131072,
        }
        values = {
            "model_type": "mistral3",
            "architectures": ["Mistral3ForConditionalGeneration"],
            "text_config": text,
            "vision_config": {"model_type": "pixtral", "hidden_size": 1024},
        }
        model = anatomy.load(values)
        attention = 5120 * (2 * 4096 + 2 * 1024)
        assert model.parameters == 2 * 131072 * 5120 + 40 * (attention + 3 * 5120 * 32768 + 2 * 5120) + 5120
        assert model.parameters == 23572403200
        assert next(model.tensors()).name == "language_model.model.embed_tokens.weight"
        tied = anatomy.load({**values, "tie_word_embeddings": True})
        assert tied.parameters == model.parameters - 131072 * 5120
        assert {row.tied_to for row in tied.rows} == {None, "language_model.model.embed_tokens.weight"}
