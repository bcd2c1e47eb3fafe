"""Mixtures of experts: which blocks are routed, what one token uses, options and refusals."""

import re
from fractions import Fraction
from typing import Any

import pytest

import anatomy
from anatomy.model.blocks import count, label
from anatomy.reading.config import ConfigError
from anatomy.report.anatomy import describe
from tests.families.changes import inside, like, shapes, text


def blocks_of(values: dict[str, Any] | str, part: str) -> str:
    """Which blocks hold a part."""
    found = {label(row.blocks) for row in anatomy.load(values).rows if row.part_id == part}
    assert len(found) <= 1
    return found.pop() if found else ""


def kinds(values: dict[str, Any] | str) -> dict[str, list[str]]:
    """The parts of each kind of blocks, without the norms."""
    model = anatomy.load(values)
    return {
        label(kind.blocks): [part.id for part in kind.parts if "norm" not in part.id]
        for kind in describe(model, 1).block_kinds
    }


def names(values: dict[str, Any] | str) -> set[str]:
    return set(shapes(values))


DENSE, ROUTED = ["attention", "mlp"], ["attention", "router", "experts"]
SHARED = [*ROUTED, "shared-expert"]


# --- what one token uses ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("slug", "active"),
    [
        ("mixtral-8x7b", 12_879_925_248),
        ("dbrx", 36_469_708_800),
        ("deepseek-v3", 37_552_282_624),
        ("kimi-k2", 32_861_477_888),
        ("qwen3-30b-a3b", 3_353_032_704),
        ("llama-4-scout", 17_172_894_720),
    ],
)
def test_a_token_uses_all_but_the_experts_it_is_not_routed_to(slug: str, active: int) -> None:
    model = anatomy.load(slug)
    assert model.active_parameters == active
    experts, used = model.traits.experts, model.traits.experts_per_token
    assert experts
    assert used
    held = sum(row.parameters for row in model.rows if row.part_id == "experts")
    assert model.parameters - held * (experts - used) // experts == active


def test_gpt_oss_publishes_its_active_size_without_the_token_table() -> None:
    small, large = anatomy.load("gpt-oss-20b"), anatomy.load("gpt-oss-120b")
    assert small.active_parameters_without_token_table == 3_608_307_264  # "3.6B"
    assert large.active_parameters_without_token_table // 10**8 == 51  # "5.1B"


def test_using_every_expert_is_being_dense() -> None:
    model = anatomy.load(like("mixtral-8x7b", num_experts_per_tok=8))
    assert model.active_parameters == model.parameters == 46_702_792_704


def test_routed_experts_are_multiplied_by_the_tokens_that_use_them() -> None:
    model = anatomy.load("llama-4-scout")
    assert model.flops(8).per_token == 32_283_688_960  # one of 16 experts; with all 16 it would be 213,477,621,760
    parts = {term.part: term.value for term in model.flops(8).terms if term.label == "W_gate"}
    assert parts["block/experts/gate-up"] == 2 * 8 * 5120 * 8192 * 48


def test_a_single_expert_stored_by_itself_is_numbered_too() -> None:
    model = anatomy.load(like("mixtral-8x7b", num_local_experts=1, num_experts_per_tok=1))
    found = [one.name for one in model.tensors() if "experts" in one.name]
    assert found[0] == "model.layers.0.block_sparse_moe.experts.0.w1.weight"


def test_experts_are_one_copy_where_they_are_stacked_and_many_where_they_are_not() -> None:
    apart = {row.copies for row in anatomy.load("mixtral-8x7b").rows if row.part_id == "experts"}
    stacked = {row.copies for slug in ("dbrx", "gpt-oss-20b", "llama-4-scout") for row in anatomy.load(slug).rows}
    assert (apart, stacked) == ({8}, {1})
    for slug, share in (("mixtral-8x7b", Fraction(1, 4)), ("dbrx", Fraction(1, 4)), ("gpt-oss-120b", Fraction(1, 32))):
        assert {row.share for row in anatomy.load(slug).rows if row.part_id == "experts"} == {share}


# --- which blocks are routed ------------------------------------------------------------------------------------------
def test_the_first_blocks_are_dense() -> None:
    assert kinds("deepseek-v3") == {"0-2": DENSE, "3-60": SHARED}
    assert kinds("kimi-k2") == {"0": DENSE, "1-60": SHARED}
    assert kinds("deepseek-v2-lite") == {"0": DENSE, "1-26": SHARED}
    assert kinds("glm-4.5") == {"0-2": DENSE, "3-91": SHARED}


def test_blocks_are_routed_from_the_first_on_where_none_is_dense() -> None:
    values = like("deepseek-v3", first_k_dense_replace=0)
    assert kinds(values) == {"0-60": SHARED}
    # The dense width is not even read.
    assert anatomy.load({**values, "intermediate_size": None}).parameters == anatomy.load(values).parameters


@pytest.mark.parametrize("first", [61, 62, 10**12])
def test_a_model_whose_blocks_are_all_dense_has_no_experts(first: int) -> None:
    model = anatomy.load(like("deepseek-v3", first_k_dense_replace=first))
    assert (model.traits.experts, model.traits.experts_per_token) == (None, None)
    assert "experts" not in model.groups()
    assert model.active_parameters == model.parameters


def test_every_so_many_blocks_are_routed() -> None:
    assert kinds(like("qwen3-30b-a3b", decoder_sparse_step=4)) == {
        "0-2,4-6,8-10,12-14,16-18,20-22,24-26,28-30,32-34,36-38,40-42,44-46": DENSE,
        "3-47 step 4": ROUTED,
    }
    assert kinds(like("qwen3-30b-a3b", decoder_sparse_step=2)) == {"0-46 step 2": DENSE, "1-47 step 2": ROUTED}


def test_listed_blocks_are_dense() -> None:
    assert kinds(like("qwen3-30b-a3b", mlp_only_layers=[0, 47])) == {"0,47": DENSE, "1-46": ROUTED}
    both = like("qwen2-57b-a14b", decoder_sparse_step=2, mlp_only_layers=[1, 3])
    assert blocks_of(both, "experts") == "5-27 step 2"
    assert blocks_of(both, "mlp") == "0-4,6,8,10,12,14,16,18,20,22,24,26"
    everything = like("qwen3-30b-a3b", mlp_only_layers=list(range(48)))
    assert kinds(everything) == {"0-47": DENSE}


def test_maverick_routes_every_other_block_and_scout_all() -> None:
    assert blocks_of("llama-4-maverick", "experts") == blocks_of("llama-4-maverick", "shared-expert") == "1-47 step 2"
    assert blocks_of("llama-4-maverick", "mlp") == "0-46 step 2"
    assert kinds("llama-4-maverick") == {"0-46 step 2": DENSE, "1-45 step 4": SHARED, "3-47 step 4": SHARED}
    assert blocks_of("llama-4-scout", "experts") == "0-47"
    listed = text("llama-4-scout", moe_layers=[7, 3])
    assert blocks_of(listed, "experts") == "3,7"
    assert "language_model.model.norm.weight" in names("llama-4-scout")
    assert "model.norm.weight" in names(listed)


@pytest.mark.parametrize(
    "values",
    [
        like("deepseek-v3", moe_layer_freq=1),
        like("qwen3-30b-a3b", decoder_sparse_step=1000),
        like("gpt-oss-120b", "layer_types"),
        inside("llama-4-maverick", "text_config"),
    ],
    ids=lambda values: values["model_type"],
)
def test_a_billion_blocks_cost_no_more_than_a_few(values: dict[str, Any]) -> None:
    deep = {**values, "num_hidden_layers": 10**9}
    if "text_config" in deep:
        deep["text_config"] = {**deep["text_config"], "num_hidden_layers": 10**9}
    # Counting block by block would not end here; benchmarks/counting.py has the ratio.
    model = anatomy.load(deep)
    shown = describe(model, 8)
    assert sum(count(kind.blocks) for kind in shown.block_kinds) == 10**9
    assert sum(part.parameters for part in shown.parts) == model.parameters


def test_shared_experts_are_one_mlp_of_their_joint_width() -> None:
    down = {row.name: row.shape for row in anatomy.load("deepseek-v2").rows if row.part == "block/shared-expert/down"}
    assert down == {"model.layers.{block}.mlp.shared_experts.down_proj.weight": (5120, 2 * 1536)}
    for none in (0, None):
        assert blocks_of(like("deepseek-v3", n_shared_experts=none), "shared-expert") == ""


# --- names ------------------------------------------------------------------------------------------------------------
def test_correction_biases_are_listed_and_not_counted() -> None:
    for slug, experts in (("deepseek-v3", 256), ("kimi-k2", 384), ("glm-4.5-air", 128)):
        (row,) = [row for row in anatomy.load(slug).rows if row.buffer]
        assert row.name.endswith(".mlp.gate.e_score_correction_bias")
        assert (row.shape, row.parameters, row.part_id) == ((experts,), 0, "router")
        assert any(one.row is row for one in anatomy.load(slug).tensors())
    assert not any(row.buffer for row in anatomy.load("deepseek-v2").rows)


@pytest.mark.parametrize(
    ("slug", "name"),
    [
        ("deepseek-v3", "model.layers.3.mlp.experts.0.up_proj.weight_scale_inv"),
        ("deepseek-v3", "model.layers.61.eh_proj.weight"),
        ("kimi-k2", "model.layers.0.self_attn.rotary_emb.inv_freq"),
        ("glm-4.5", "model.layers.92.shared_head.norm.weight"),
        ("gpt-oss-20b", "model.layers.0.mlp.experts.gate_up_proj_blocks"),
        ("gpt-oss-20b", "model.layers.23.mlp.experts.down_proj_scales"),
        ("llama-4-scout", "vision_model.model.layers.0.mlp.fc1.weight"),
        ("llama-4-scout", "multi_modal_projector.linear_1.weight"),
    ],
)
def test_what_else_a_file_may_hold_is_known_by_name(slug: str, name: str) -> None:
    assert any(re.fullmatch(one.pattern, name) and one.why for one in anatomy.load(slug).known)
    assert not any(re.fullmatch(one.pattern, "model.layers.0.mlp.up_proj.weight") for one in anatomy.load(slug).known)


BARE = [
    ("mixtral-8x7b", "MixtralModel"),
    ("qwen2-57b-a14b", "Qwen2MoeModel"),
    ("qwen3-30b-a3b", "Qwen3MoeModel"),
    ("deepseek-v2", "DeepseekV2Model"),
    ("deepseek-v3", "DeepseekV3Model"),
    ("glm-4.5", "Glm4MoeModel"),
    ("gpt-oss-20b", "GptOssModel"),
]


@pytest.mark.parametrize(("slug", "architecture"), BARE)
def test_a_bare_class_has_no_head_and_no_prefix(slug: str, architecture: str) -> None:
    whole, bare = anatomy.load(slug), anatomy.load(like(slug, architectures=[architecture]))
    assert whole.parameters - bare.parameters == (whole.vocabulary or 0) * whole.width
    found = {row.name for row in bare.rows}
    assert {"embed_tokens.weight", "norm.weight"} <= found
    assert not any(name.startswith(("model.", "lm_head")) for name in found)


@pytest.mark.parametrize("slug", ["mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3", "glm-4.5", "gpt-oss-20b"])
def test_a_tied_head_is_stored_once_and_still_multiplies(slug: str) -> None:
    own, tied = anatomy.load(slug), anatomy.load(like(slug, tie_word_embeddings=True))
    assert own.parameters - tied.parameters == (own.vocabulary or 0) * own.width
    assert tied.tied_unembedding
    assert own.flops(8).per_pass == tied.flops(8).per_pass


# --- options and defaults ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("slug", "added"),
    [
        ("qwen3-30b-a3b", {"q_proj": 4096, "k_proj": 512, "v_proj": 512, "o_proj": 2048}),
        ("glm-4.5", {}),  # it has them already: on Q, K and V only
    ],
)
def test_attention_may_have_biases(slug: str, added: dict[str, int]) -> None:
    model = anatomy.load(like(slug, attention_bias=True))
    found = {row.name.split(".")[-2]: row.shape[0] for row in model.rows if row.name.endswith("_proj.bias")}
    assert {name: found[name] for name in added} == added
    assert ("o_proj" in found) == bool(added)


def test_glm_has_qk_norms_only_where_it_says_so() -> None:
    norms = {f"model.layers.{{block}}.self_attn.{name}_norm.weight" for name in "qk"}
    assert norms <= names("glm-4.5")
    assert not norms & names("glm-4.5-air")


def test_qwen2_scales_its_shared_expert_by_a_gate_of_one_number() -> None:
    rows = {row.name: row for row in anatomy.load("qwen2-57b-a14b").rows}
    gate = rows["model.layers.{block}.mlp.shared_expert_gate.weight"]
    assert (gate.shape, gate.group, gate.multiplies) == ((1, 3584), "experts", "tokens")


DEFAULTS = [
    (like("mixtral-8x7b", "num_local_experts", "num_experts_per_tok", "num_key_value_heads"), 46_702_792_704),
    (like("qwen3-30b-a3b", "num_experts", "num_experts_per_tok", "decoder_sparse_step"), 30_532_122_624),
    (like("deepseek-v3", "first_k_dense_replace", "moe_layer_freq", "v_head_dim", "q_lora_rank"), 671_026_404_352),
    (like("gpt-oss-120b", "head_dim", "num_local_experts", "attention_bias", "layer_types"), 116_829_156_672),
    (inside("llama-4-scout", "text_config", "head_dim", "num_local_experts", "no_rope_layers"), 107_769_861_120),
]


@pytest.mark.parametrize(
    ("values", "total"), DEFAULTS, ids=lambda one: one["model_type"] if isinstance(one, dict) else ""
)
def test_what_is_left_out_takes_the_default_of_the_configuration_class(values: dict[str, Any], total: int) -> None:
    model = anatomy.load(values)
    assert model.parameters == total
    assert len(model.defaults) >= 2


def test_a_head_size_of_null_shares_the_width() -> None:
    (record, _) = anatomy.load(like("gpt-oss-20b", head_dim=None)).attention
    assert record.qk_size == 2880 // 64


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "Mixtral: more experts used than there are": (
        like("mixtral-8x7b", num_experts_per_tok=9),
        "num_experts_per_tok is 9; accepted: an integer from 1 to num_local_experts, 8",
    ),
    "Mixtral: two counts of experts": (
        like("mixtral-8x7b", num_experts=16),
        "num_experts is 16; accepted: the same value as num_local_experts, 8",
    ),
    "Mixtral: a head for questions": (
        like("mixtral-8x7b", architectures=["MixtralForQuestionAnswering"]),
        'architectures is "MixtralForQuestionAnswering"; accepted: MixtralForCausalLM, MixtralModel',
    ),
    "Qwen: windows": (like("qwen3-30b-a3b", use_sliding_window=True), "use_sliding_window is true; accepted: false"),
    "Qwen: no dense width for dense blocks": (
        like("qwen3-30b-a3b", "intermediate_size", mlp_only_layers=[0]),
        "intermediate_size is missing",
    ),
    "Qwen: a block that is not there": (
        like("qwen3-30b-a3b", mlp_only_layers=[48]),
        "mlp_only_layers is 48; accepted: a list of block indices from 0 to 47, each once and at most 1,024",
    ),
    "Qwen: a block twice": (like("qwen3-30b-a3b", mlp_only_layers=[1, 1]), "mlp_only_layers is a list of 2 items"),
    "Qwen: a step beyond reason": (
        like("qwen3-30b-a3b", decoder_sparse_step=1001),
        "decoder_sparse_step is 1001; accepted: an integer from 1 to 1,000",
    ),
    "DBRX: tied": (like("dbrx", tie_word_embeddings=True), "tie_word_embeddings is true; accepted: false or null"),
    "DBRX: no experts": (like("dbrx", "ffn_config"), "ffn_config is missing; accepted: an object"),
    "DBRX: experts that are no object": (like("dbrx", ffn_config=4), "ffn_config is 4; accepted: an object"),
    "DBRX: KV heads that do not divide": (
        inside("dbrx", "attn_config", kv_n_heads=7),
        "attn_config: kv_n_heads is 7, which does not divide n_heads 48",
    ),
    "DeepSeek: fewer keys than queries": (
        like("deepseek-v3", num_key_value_heads=8),
        "num_key_value_heads is 8; accepted: 128 or null (latent attention has a key for each query head)",
    ),
    "DeepSeek: routed blocks that only the released code knows": (
        like("deepseek-v3", moe_layer_freq=2),
        "moe_layer_freq is 2; accepted: 1 or null (transformers does not read it, the released code does)",
    ),
    "DeepSeek: no experts per token": (
        like("deepseek-v3", "num_experts_per_tok"),
        "num_experts_per_tok is missing; accepted: an integer from 1",
    ),
    "DeepSeek: biases of the MLP": (like("deepseek-v2", mlp_bias=True), "mlp_bias is true; accepted: false or null"),
    "gpt-oss: too few layer types": (
        like("gpt-oss-20b", layer_types=["full_attention"]),
        "layer_types is a list of 1 items; accepted: a list of 24 items",
    ),
    "Llama 4: no text part": (like("llama-4-scout", "text_config"), "text_config is missing; accepted: an object"),
    "Llama 4: another text part": (
        inside("llama-4-scout", "text_config", model_type="llama"),
        'text_config: model_type is "llama"; accepted: "llama4_text" or null',
    ),
    "Llama 4: tied outside, nothing inside": (
        like("llama-4-scout", tie_word_embeddings=True),
        "config: tie_word_embeddings is true; accepted: null or false (or the same value in text_config too",
    ),
    "Llama 4: marks of neither kind": (
        text("llama-4-scout", no_rope_layers=[True] * 48),
        "no_rope_layers is a list of 48 items; accepted: a list of 48 items (at most 1,024), each 0 or 1",
    ),
    "Llama 4: marks for too few blocks": (
        text("llama-4-scout", no_rope_layers=[1] * 47),
        "no_rope_layers is a list of 47 items; accepted: a list of 48 items",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_for_certain_is_refused(case: str) -> None:
    values, said = REFUSED[case]
    with pytest.raises(ConfigError, match=re.escape(said)):
        anatomy.load(values)


def test_llama_4_is_tied_as_its_text_part_says() -> None:
    both = inside("llama-4-scout", "text_config", tie_word_embeddings=True) | {"tie_word_embeddings": True}
    within = inside("llama-4-scout", "text_config", tie_word_embeddings=True) | {"tie_word_embeddings": None}
    assert anatomy.load(both).tied_unembedding
    assert anatomy.load(within).tied_unembedding
    assert not anatomy.load(like("llama-4-scout", tie_word_embeddings=False)).tied_unembedding
