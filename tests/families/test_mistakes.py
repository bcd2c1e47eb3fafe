"""The kinds of mistakes that public calculators make in counting, one test each: what is right here, to the last unit.

Each kind is real and was seen in a tool in use. Where it helps, the wrong number stands beside the right one.
"""

from typing import Any

import pytest

import anatomy
from anatomy.model.blocks import label
from anatomy.model.rows import Matrix, Row
from anatomy.reading.config import ConfigError
from anatomy.report.anatomy import describe
from anatomy.words.formatting import size_in_bytes


def config(slug: str, **changes: Any) -> dict[str, Any]:
    return {**anatomy.entries()[slug].config, **changes}


def row(slug: str, name: str) -> Row:
    return next(one for one in anatomy.load(slug).rows if one.name == name)


def matrix(slug: str, symbol: str) -> Matrix:
    return next(one for row in anatomy.load(slug).rows for one in row.matrices if one.symbol == symbol)


def norms(slug: str) -> int:
    return anatomy.load(slug).groups()["norms"]


def test_01_a_gated_mlp_has_three_matrices() -> None:
    model = anatomy.load("llama-2-7b")
    assert model.parameters == 6738415616
    assert model.groups()["mlp"] == 3 * 4096 * 11008 * 32 == 4328521728
    assert model.parameters - 4096 * 11008 * 32 == 5295575040  # with two
    large = anatomy.load(config("qwen2.5-7b", hidden_size=8192, intermediate_size=29568, num_hidden_layers=80,
                                num_attention_heads=64, num_key_value_heads=8))  # fmt: skip
    assert large.parameters == 72706203648


def test_02_tables_biases_and_both_norms_of_every_block_are_counted() -> None:
    gpt2, llama = anatomy.load("gpt2"), anatomy.load("llama-2-7b")
    assert gpt2.groups()["embeddings"] == 50257 * 768 + 1024 * 768
    assert norms("gpt2") == (12 * 2 + 1) * (768 + 768) == 38400
    biases = sum(one.parameters for one in gpt2.rows if one.name.endswith(".bias") and one.group != "norms")
    assert biases == 12 * (3 * 768 + 768 + 3072 + 768) == 82944
    assert norms("llama-2-7b") == (32 * 2 + 1) * 4096 == 266240  # a scale alone: RMSNorm has no shift
    assert not [one.name for one in llama.rows if one.name.endswith(".bias")]


def test_03_a_tied_table_is_counted_once_and_multiplied() -> None:
    tied, table = anatomy.load("gpt2"), 50257 * 768
    untied = anatomy.load(config("gpt2", tie_word_embeddings=False))
    assert (tied.parameters, untied.parameters) == (124439808, 124439808 + table)
    assert tied.parameters_without_embeddings == untied.parameters_without_embeddings == 85056000
    for model in (tied, untied):
        unembedding = describe(model).find("unembedding")
        assert unembedding is not None
        assert unembedding.flops == 2 * 8 * table


def test_04_a_head_is_as_large_as_the_configuration_says() -> None:
    sizes = {slug: (matrix(slug, "W_Q").inputs, matrix(slug, "W_Q").outputs) for slug in
             ("gemma-7b", "qwen3-0.6b", "mistral-nemo-12b")}  # fmt: skip
    assert sizes == {"gemma-7b": (3072, 4096), "qwen3-0.6b": (1024, 2048), "mistral-nemo-12b": (5120, 4096)}
    assert anatomy.load("mistral-nemo-12b").kv_cache_bytes(1) == 2 * 8 * 128 * 40 * 2 == 163840  # not 8 x 160


def test_05_the_width_of_the_mlp_is_read() -> None:
    assert matrix("llama-2-7b", "W_up").outputs == 11008  # neither 4 x 4096 nor 8/3 of it
    assert matrix("llama-3-8b", "W_up").outputs == 14336
    assert matrix("qwen2.5-0.5b", "W_up").outputs == 4864
    wider = anatomy.load(config("llama-2-7b", intermediate_size=11009))
    assert wider.parameters - anatomy.load("llama-2-7b").parameters == 3 * 4096 * 32
    with pytest.raises(ConfigError, match="intermediate_size is missing"):
        anatomy.load({key: value for key, value in config("llama-2-7b").items() if key != "intermediate_size"})


def test_06_experts_have_a_width_of_their_own_and_few_of_them_are_active() -> None:
    mixtral = anatomy.load("mixtral-8x7b")
    assert (mixtral.parameters, mixtral.active_parameters) == (46702792704, 12879925248)  # no 56 billion
    assert mixtral.groups()["router"] == 32 * 8 * 4096 == 1048576
    qwen = anatomy.load("qwen3-30b-a3b")
    assert matrix("qwen3-30b-a3b", "W_up").outputs == 768
    assert qwen.groups()["experts"] == 48 * 128 * 3 * 2048 * 768
    assert anatomy.load(config("qwen3-30b-a3b", intermediate_size=1)).parameters == qwen.parameters


def test_07_latent_attention_has_its_projections_norms_and_rotary_key() -> None:
    model = anatomy.load("deepseek-v3")
    queries = 7168 * 1536 + 1536 + 1536 * 128 * (128 + 64)
    keys = 7168 * (512 + 64) + 512 + 512 * 128 * (128 + 128)
    attention = describe(model).find("attention")
    assert attention is not None
    assert attention.parameters_per_block == queries + keys + 128 * 128 * 7168 == 187107328
    kinds = [(label(kind.blocks), [part.id for part in kind.parts if "norm" not in part.id])
             for kind in describe(model).block_kinds]  # fmt: skip
    assert kinds == [("0-2", ["attention", "mlp"]), ("3-60", ["attention", "router", "experts", "shared-expert"])]
    assert model.parameters == 671026404352


def test_08_tables_and_biases_that_only_some_have() -> None:
    assert row("opt-125m", "decoder.embed_positions.weight").shape == (2050, 768)  # two more than positions
    assert row("pythia-160m", "gpt_neox.embed_in.weight").shape == (50304, 768)  # the tokenizer knows 50,277
    assert anatomy.load("bloom-560m").fold(lambda one: one.part_id)["embedding-norm"] == 2 * 1024
    assert row("gpt-j-6b", "lm_head.bias").parameters == 50400
    assert row("phi-2", "lm_head.bias").parameters == 51200
    bert = anatomy.load(config("bert-base-uncased", architectures=["BertModel"]))
    assert bert.parameters == 109482240
    assert bert.tree()["embedding/token-type"] == 2 * 768
    assert bert.tree()["pooler"] == 768 * 768 + 768
    relative = [one for one in anatomy.load("t5-small").rows if one.name.endswith("relative_attention_bias.weight")]
    assert [(one.shape, one.blocks) for one in relative] == [((32, 8), (range(1),))] * 2


def test_09_kv_heads_by_whatever_key() -> None:
    assert matrix("starcoderbase", "W_K").outputs == 128  # multi_query
    assert matrix("falcon-7b", "W_K").outputs == 64  # multi_query, though num_kv_heads says 71
    assert matrix("falcon-40b", "W_K").outputs == 8 * 64  # new_decoder_architecture with num_kv_heads
    assert anatomy.load("falcon-40b").parameters == 41303293952
    assert matrix("dbrx", "W_K").outputs == 8 * 128  # attn_config.kv_n_heads


def test_10_old_and_nested_keys_are_understood_and_never_defaulted() -> None:
    new = {"n_embd": "hidden_size", "n_layer": "num_hidden_layers", "n_head": "num_attention_heads",
           "n_positions": "max_position_embeddings"}  # fmt: skip
    renamed = {new.get(key, key): value for key, value in config("gpt2").items()}
    assert anatomy.load(renamed).parameters == 124439808
    text = {key: value for key, value in config("mistral-7b-v0.1").items() if key != "architectures"}
    assert anatomy.load({"model_type": "mistral3", "text_config": text}).parameters == 7241732096
    for key in ("n_embd", "n_layer", "n_head", "vocab_size"):
        with pytest.raises(ConfigError, match=f"{key} is missing"):
            anatomy.load({one: value for one, value in config("gpt2").items() if one != key})


def test_11_a_quantised_file_holds_the_same_parameters() -> None:
    for quantised in ({"quant_method": "gptq", "bits": 4}, {"quant_method": "fp8", "weight_block_size": [128, 128]}):
        assert anatomy.load(config("llama-3-8b", quantization_config=quantised)).parameters == 8030261248  # no 2B
    assert anatomy.load("gpt-oss-20b").parameters == 20914757184  # MXFP4 packs two to a byte


def test_12_names_are_no_sizes() -> None:
    sizes = {slug: anatomy.load(slug).parameters for slug in
             ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "gemma-7b")}  # fmt: skip
    assert sizes == {
        "gpt2": 124439808,  # once called 117M
        "gpt2-medium": 354823168,  # 345M
        "gpt2-large": 774030080,  # 762M
        "gpt2-xl": 1557611200,  # 1542M
        "gemma-7b": 8537680896,
    }


def test_13_sinks_qk_norms_and_sandwich_norms_are_counted() -> None:
    assert anatomy.load("gpt-oss-20b").tree()["block/attention/sinks"] == 24 * 64
    biases = 64 * 64 + 2 * 8 * 64 + 2880
    held = [one for one in anatomy.load("gpt-oss-20b").rows if ".self_attn." in one.name and one.name.endswith("bias")]
    assert sum(one.parameters for one in held) == 24 * biases
    assert norms("qwen3-8b") == 36 * (2 * 4096 + 2 * 128) + 4096
    assert norms("gemma-2-2b") == 26 * 4 * 2304 + 2304
    assert norms("gemma-3-1b") == 26 * (4 * 1152 + 2 * 256) + 1152
    assert norms("olmo-2-7b") == 32 * (2 * 4096 + 2 * 4096) + 4096  # over all heads together


def test_14_a_fused_projection_says_how_its_rows_lie() -> None:
    flat = {"gpt2": "h.{block}.attn.c_attn.weight", "mpt-7b": "transformer.blocks.{block}.attn.Wqkv.weight"}
    by_head = {
        "gpt-neox-20b": "gpt_neox.layers.{block}.attention.query_key_value.weight",
        "bloom-560m": "h.{block}.self_attention.query_key_value.weight",
        "falcon-rw-1b": "transformer.h.{block}.self_attention.query_key_value.weight",
    }
    for names, layout in ((flat, ""), (by_head, "head by head")):
        for slug, name in names.items():
            fused = row(slug, name)
            assert [one.symbol for one in fused.matrices] == ["W_Q", "W_K", "W_V"], slug
            assert fused.layout == layout, slug
            for bias in anatomy.load(slug).rows:
                if bias.name == name.replace(".weight", ".bias"):
                    assert bias.layout == layout, slug
    assert row("falcon-7b", by_head["falcon-rw-1b"]).layout == ""  # one group: all queries, the key, the value
    assert row("falcon-40b", by_head["falcon-rw-1b"]).layout == "group by group"
    own_heads = anatomy.load(config("starcoderbase", multi_query=False))
    assert {one.layout for one in own_heads.rows if len(one.matrices) == 3} == {"head by head"}
    assert {one.layout for one in anatomy.load("starcoderbase").rows} == {""}


def test_15_the_cache_takes_kv_heads_and_the_scores_query_heads() -> None:
    model = anatomy.load("llama-3-70b")
    assert model.kv_cache_bytes(1) == 2 * 8 * 128 * 80 * 2 == 327680  # not 2,621,440
    products = 2 * 8 * 8 * 64 * 128 * 80
    square = sum(term.value for term in model.flops(8).terms if term.label in ("scores", "weighted values"))
    assert square == 2 * products


def test_16_the_cache_holds_keys_and_values_windows_and_latents() -> None:
    assert anatomy.load("llama-2-7b").kv_cache_bytes(1) == 2 * 32 * 128 * 32 * 2 == 524288
    per_block = 2 * 1 * 256 * 2  # Gemma 3 1B: one KV head of 256, 22 blocks with a window of 512, 4 without
    assert anatomy.load("gemma-3-1b").kv_cache_bytes(8192) == per_block * (22 * 512 + 4 * 8192) == 45088768
    assert anatomy.load("gemma-3-1b").kv_cache_bytes(100) == per_block * 26 * 100
    assert anatomy.load("deepseek-v3").kv_cache_bytes(1) == (512 + 64) * 61 * 2 == 70272


def test_17_per_token_is_the_pass_divided_by_t_and_a_multiply_add_is_two() -> None:
    flops = anatomy.load("llama-2-7b").flops(128)
    matrices = 6738415616 - 32000 * 4096 - 266240
    assert flops.per_token == 2 * matrices + 32 * 2 * 2 * 128 * 4096 == 13281263616
    assert flops.per_pass == 128 * flops.per_token == 1700001742848


def test_18_a_look_up_costs_nothing() -> None:
    for slug in ("gpt2", "llama-3-8b", "bert-base-uncased"):
        model = anatomy.load(slug)
        assert not [term for term in model.flops(8).terms if term.part.startswith("embedding")]
    more = anatomy.load(config("llama-3-8b", vocab_size=128257))
    assert more.flops(1).per_pass - anatomy.load("llama-3-8b").flops(1).per_pass == 2 * 4096  # the unembedding's row


def test_19_the_unit_printed_is_the_unit_computed() -> None:
    assert size_in_bytes(2**30, binary=True) == "1.00 GiB"
    assert size_in_bytes(2**30) == "1.07 GB"
    assert size_in_bytes(10**9) == "1.00 GB"
