"""Dense decoders: their options, defaults and refusals, and what a kin of a catalogue model would hold."""

from typing import Any

import pytest

import anatomy
from anatomy.model.blocks import count
from anatomy.reading.config import ConfigError
from anatomy.report.anatomy import describe
from tests.families.changes import inside, like, shapes

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "GPT-J: a head for questions": (
        like("gpt-j-6b", architectures=["GPTJForQuestionAnswering"]),
        'architectures is "GPTJForQuestionAnswering"; accepted: GPTJForCausalLM, GPTJModel',
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
        like("gemma-2-2b", use_bidirectional_attention=True),
        "use_bidirectional_attention is true; accepted: false or null (attention that sees later tokens)",
    ),
    "Gemma: a long period": (
        like("gemma-3-1b", sliding_window_pattern=65),
        "sliding_window_pattern is 65; accepted: an integer from 1 to 64",
    ),
    "Gemma 3: no text part": (
        {key: value for key, value in inside("gemma-3-4b", "text_config").items() if key != "text_config"},
        "text_config is missing; accepted: an object",
    ),
    "Gemma 3: another text part": (
        inside("gemma-3-4b", "text_config", model_type="gemma2"),
        'text_config: model_type is "gemma2"; accepted: "gemma3_text" or null',
    ),
    "Gemma 3: the class of the text part": (
        {**inside("gemma-3-4b", "text_config"), "architectures": ["Gemma3ForCausalLM"]},
        'architectures is "Gemma3ForCausalLM"; accepted: Gemma3ForConditionalGeneration',
    ),
    "Gemma 3: tied inside, untied outside": (
        {**inside("gemma-3-4b", "text_config", tie_word_embeddings=True), "tie_word_embeddings": False},
        "text_config: tie_word_embeddings is true; accepted: null or false (as outside text_config)",
    ),
    "Gemma 3: untied inside, nothing outside": (
        inside("gemma-3-4b", "text_config", tie_word_embeddings=False),
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


def test_mpt_may_say_that_its_mlp_is_as_wide_as_ever() -> None:
    for said in ({"ffn_hidden_size": 16384}, {"ffn_hidden_size": None}, {}):
        assert anatomy.load(like("mpt-7b", ffn_config=said)).rows == anatomy.load("mpt-7b").rows


def test_null_kv_heads_are_as_many_as_query_heads() -> None:
    model = anatomy.load(like("mistral-7b-v0.1", num_key_value_heads=None))
    assert model.attention[0].kv_heads == 32
    assert model.defaults["num_key_value_heads"] == 32


def test_llama_has_them_where_it_says_so() -> None:
    plain, biased = anatomy.load("llama-3-8b"), anatomy.load(like("llama-3-8b", attention_bias=True, mlp_bias=True))
    assert biased.parameters - plain.parameters == 32 * (4096 + 2 * 1024 + 4096 + 2 * 14336 + 4096)
    assert biased.flops(8).per_pass == plain.flops(8).per_pass


def test_qwen2_has_them_on_q_k_and_v_only() -> None:
    assert sum(row.parameters for row in anatomy.load("qwen2.5-7b").rows if row.name.endswith("bias")) == 28 * (
        3584 + 2 * 512
    )


def test_gpt_neox_can_go_without_in_attention() -> None:
    plain = anatomy.load(like("pythia-160m", attention_bias=False))
    assert anatomy.load("pythia-160m").parameters - plain.parameters == 12 * 4 * 768


def test_opt_can_go_without_and_with_norms_that_hold_nothing() -> None:
    plain = anatomy.load(like("opt-125m", enable_bias=False, layer_norm_elementwise_affine=False))
    assert not any("bias" in row.name or "norm" in row.name for row in plain.rows)


def test_falcon_and_starcoder2_have_them_on_every_projection() -> None:
    falcon = anatomy.load(like("falcon-7b", bias=True)).parameters - anatomy.load("falcon-7b").parameters
    assert falcon == 32 * (4672 + 4544 + 4 * 4544 + 4544)
    star = anatomy.load("starcoder2-3b").parameters - anatomy.load(like("starcoder2-3b", use_bias=False)).parameters
    assert star == 30 * (3072 + 2 * 256 + 3072 + 12288 + 3072)


def test_opt_of_any_width_of_its_embeddings() -> None:
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
def test_a_thousand_million_blocks_are_as_cheap_as_a_dozen(slug: str) -> None:
    model = anatomy.load(slug)
    depth = next(key for key in ("n_layer", "n_layers", "num_hidden_layers") if key in anatomy.entries()[slug].config)
    shallow = model.stacks[0].blocks
    per_block = (model.parameters - anatomy.load(like(slug, **{depth: 1})).parameters) // (shallow - 1)
    deep = anatomy.load(like(slug, **{depth: 10**9}))
    assert deep.parameters == model.parameters + (10**9 - shallow) * per_block
    shown = describe(deep, 8)
    assert sum(count(kind.blocks) for kind in shown.block_kinds) == 10**9
    assert sum(part.parameters for part in shown.parts) == deep.parameters
    assert sum(part.flops for part in shown.parts) == deep.flops(8).per_pass


def test_stablelm_stores_a_norm_for_every_head() -> None:
    names = [one.name for one in anatomy.load("stablelm-2-12b").tensors() if "k_layernorm" in one.name]
    assert names[:2] == [f"model.layers.0.self_attn.k_layernorm.norms.{head}.weight" for head in (0, 1)]
    assert len(names) == 40 * 8
    single = like("stablelm-2-12b", num_attention_heads=1, num_key_value_heads=1)
    assert "model.layers.0.self_attn.q_layernorm.norms.0.weight" in {one.name for one in anatomy.load(single).tensors()}


def test_heads_of_their_own_size() -> None:
    model = anatomy.load(like("mistral-nemo-12b", head_dim=160))
    assert shapes(model)["model.layers.{block}.self_attn.q_proj.weight"] == (32 * 160, 5120)
    assert model.attention[0].qk_size == 160
