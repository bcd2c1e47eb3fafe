"""Which blocks attend through a sliding window or inside chunks."""

import pytest

import anatomy
from anatomy.model.blocks import contains, count, label
from tests.families.changes import like, text


def windows(model: anatomy.LoadedModel) -> dict[int | None, int]:
    """How many blocks have which window."""
    return {record.window: count(record.blocks) for record in model.attention}


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
def test_blocks_have(slug: str, found: dict[int | None, int]) -> None:
    assert windows(anatomy.load(slug)) == found


def test_gemma_2_begins_with_a_local_block_and_gemma_3_with_five() -> None:
    for slug, full in (("gemma-2-2b", (1, 3, 5)), ("gemma-3-1b", (5, 11, 17)), ("command-r7b", (3, 7, 11))):
        (record,) = (one for one in anatomy.load(slug).attention if one.window is None)
        assert [block for block in range(18) if contains(record.blocks, block)][:3] == list(full)


def test_a_list_of_kinds_says_it_block_by_block() -> None:
    kinds = ["full_attention"] * 20 + ["sliding_attention"] * 6
    for slug in ("gemma-2-2b", "gemma-3-1b"):
        assert windows(anatomy.load(like(slug, layer_types=kinds, sliding_window=64))) == {64: 6, None: 20}


@pytest.mark.parametrize("slug", ["qwen2.5-7b", "qwen3-8b"])
def test_qwen_has_windows_from_a_block_on_where_they_are_used(slug: str) -> None:
    blocks = anatomy.load(slug).stacks[0].blocks
    used = like(slug, "layer_types", use_sliding_window=True, sliding_window=512, max_window_layers=10)
    assert windows(anatomy.load(used)) == {None: 10, 512: blocks - 10}
    assert windows(anatomy.load({**used, "max_window_layers": 0})) == {512: blocks}
    assert windows(anatomy.load({**used, "max_window_layers": 10**9})) == {None: blocks}
    kinds = ["sliding_attention", "full_attention"] * (blocks // 2)
    assert windows(anatomy.load({**used, "layer_types": kinds})) == {None: blocks // 2, 512: blocks // 2}


def test_a_window_changes_the_cache_and_the_causal_square_only() -> None:
    near, far = anatomy.load("gemma-2-2b"), anatomy.load(like("gemma-2-2b", sliding_window=None))
    assert near.rows == far.rows
    assert near.flops(8192).per_pass == far.flops(8192).per_pass
    per_token = 2 * 4 * 256 * 2
    assert near.kv_cache_bytes(8192) == 13 * per_token * (4096 + 8192)
    assert far.kv_cache_bytes(8192) == 26 * per_token * 8192
    # 13 blocks of 8 heads of size 256 see, of each query beyond the window, only the nearest 4,096 keys.
    unseen = 13 * 8 * 2 * 2 * 256 * sum(range(1, 8192 - 4096 + 1))
    assert far.flops(8192, "causal").per_pass - near.flops(8192, "causal").per_pass == unseen


def test_every_other_block_of_gpt_oss_is_local() -> None:
    windows = {label(record.blocks): record.window for record in anatomy.load("gpt-oss-20b").attention}
    assert windows == {"0-22 step 2": 128, "1-23 step 2": None}
    assert anatomy.load(like("gpt-oss-20b", "layer_types")).attention == anatomy.load("gpt-oss-20b").attention
    # Beyond the window only half of the blocks' caches grow: 8 KV heads of 64, keys and values, 2 bytes.
    model = anatomy.load("gpt-oss-20b")
    grown = [model.kv_cache_bytes(length) or 0 for length in (128, 129)]
    assert grown[1] - grown[0] == 12 * 2 * 8 * 64 * 2


def test_llama_4_attends_in_chunks_but_for_every_fourth_block() -> None:
    model = anatomy.load("llama-4-scout")
    chunks = {record.chunk: count(record.blocks) for record in model.attention}
    assert chunks == {8192: 36, None: 12}
    assert label(model.attention[1].blocks) == "3-47 step 4"
    grown = [model.kv_cache_bytes(length) or 0 for length in (8192, 8193)]
    assert grown[1] - grown[0] == 12 * 2 * 8 * 128 * 2
    within, across = model.flops(8192, "causal"), model.flops(8193, "causal")
    pairs = {term.factors[1].value for flops in (within, across) for term in flops.terms if term.label == "scores"}
    assert pairs == {8192 * 8193 // 2, 8193 * 8194 // 2, 8192 * 8193 // 2 + 1}


def test_which_blocks_are_chunked_may_be_listed() -> None:
    marks = [0] + [1] * 47
    listed = ["full_attention"] + ["chunked_attention"] * 47
    for values in (text("llama-4-scout", no_rope_layers=marks), text("llama-4-scout", layer_types=listed)):
        found = {label(record.blocks): record.chunk for record in anatomy.load(values).attention}
        assert found == {"1-47": 8192, "0": None}
    sparser = text("llama-4-scout", no_rope_layer_interval=8)
    assert label(anatomy.load(sparser).attention[1].blocks) == "7-47 step 8"
    unlimited = anatomy.load(text("llama-4-scout", attention_chunk_size=None))
    assert {record.chunk for record in unlimited.attention} == {None}


def test_mixtral_has_no_window_unless_it_says_so() -> None:
    assert [record.window for record in anatomy.load(like("mixtral-8x7b", "sliding_window")).attention] == [None]
    assert [record.window for record in anatomy.load(like("mixtral-8x7b", sliding_window=4096)).attention] == [4096]


def test_gemma_3_may_see_later_tokens_as_embeddinggemma_does() -> None:
    # google/embeddinggemma-300m: 302,863,104 parameters.
    values = like(
        "gemma-3-1b", "layer_types", architectures=["Gemma3TextModel"], use_bidirectional_attention=True,
        hidden_size=768, intermediate_size=1152, num_hidden_layers=24, num_attention_heads=3, num_key_value_heads=1,
        max_position_embeddings=2048, sliding_window=512, vocab_size=262144,
    )  # fmt: skip
    both = anatomy.load(values)
    one = anatomy.load({**values, "use_bidirectional_attention": None})
    assert both.rows == one.rows
    assert both.parameters == 302_863_104
    # 256 tokens to either side and the token itself.
    assert windows(both) == {513: 20, None: 4}
    assert {(record.stack, record.causal) for record in both.attention} == {("encoder", False)}
    assert both.flops(512).per_pass == one.flops(512).per_pass
    assert both.flops(257, "causal").per_pass == both.flops(257).per_pass
    # Of 512 tokens the first 255 miss 255, 254, … 1 of the last ones, which miss as many of the first.
    unseen = 20 * 3 * 2 * 2 * 256 * 2 * sum(range(1, 256))
    assert both.flops(512).per_pass - both.flops(512, "causal").per_pass == unseen
    assert (both.kv_cache_bytes(8), one.kv_cache_bytes(8)) == (None, 24 * 2 * 256 * 2 * 8)
    assert "use_bidirectional_attention" not in one.defaults
