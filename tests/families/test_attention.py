"""Attention that is more than four projections: fused tensors, and latents that are projected down and up."""

from typing import Any

import pytest

import anatomy
from tests.families.changes import like, shapes


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
def test_it_holds(slug: str, name: str, matrices: list[tuple[int, int]]) -> None:
    (row,) = (row for row in anatomy.load(slug).rows if row.name == name)
    assert [(matrix.inputs, matrix.outputs) for matrix in row.matrices] == matrices


def test_multi_query_can_be_switched_off() -> None:
    many = anatomy.load(like("starcoderbase-1b", multi_query=False))
    assert many.attention[0].kv_heads == 16
    assert many.parameters - anatomy.load("starcoderbase-1b").parameters == 24 * 2 * (2048 - 128) * (2048 + 1)
    falcon = anatomy.load(like("falcon-7b", multi_query=False))
    assert falcon.parameters - anatomy.load("falcon-7b").parameters == 32 * 2 * (4544 - 64) * 4544


def names(values: dict[str, Any] | str) -> set[str]:
    return set(shapes(values))


def test_latent_attention_projects_down_and_up() -> None:
    rows = {row.part: row for row in anatomy.load("deepseek-v3").rows if row.part_id == "attention"}
    shapes = {part.removeprefix("block/attention/"): row.shape for part, row in rows.items()}
    assert shapes == {
        "query-down": (1536, 7168),
        "query-norm": (1536,),
        "query-up": (128 * 192, 1536),
        "kv-down": (512 + 64, 7168),
        "kv-norm": (512,),
        "kv-up": (128 * (128 + 128), 512),
        "output": (7168, 128 * 128),
    }
    symbols = [matrix.symbol for row in rows.values() for matrix in row.matrices]
    assert symbols == ["W_DQ", "W_UQ", "W_DKV", "W_KR", "W_UK", "W_UV", "W_O"]


def test_queries_are_not_compressed_without_a_rank_of_their_own() -> None:
    assert anatomy.entries()["deepseek-v2-lite"].config["q_lora_rank"] is None
    (query,) = [row for row in anatomy.load("deepseek-v2-lite").rows if row.part == "block/attention/query"]
    assert query.shape == (16 * 192, 2048)
    assert "q_lora_rank" in anatomy.load(like("deepseek-v2-lite", "q_lora_rank")).defaults


def test_the_cache_holds_a_latent_and_a_rotary_key_once_for_all_heads() -> None:
    model = anatomy.load("deepseek-v3")
    assert model.kv_cache_bytes(1) == 61 * (512 + 64) * 2
    (record,) = model.attention
    assert (record.qk_size, record.v_size, record.latent, record.rotary) == (192, 128, 512, 64)


def test_biases_of_latent_attention_stand_on_the_projections_that_read_the_stream_and_on_the_output() -> None:
    with_bias = names(like("deepseek-v3", attention_bias=True)) - names("deepseek-v3")
    layer = "model.layers.{block}.self_attn."
    assert with_bias == {f"{layer}{name}.bias" for name in ("q_a_proj", "kv_a_proj_with_mqa", "o_proj")}
