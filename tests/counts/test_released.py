"""Weights as released: bytes by number type, against what published indexes print."""

import pytest

import anatomy
from anatomy.counts import flops, memory, training
from anatomy.counts.released import by_type, released
from anatomy.model.storage import Storage
from anatomy.reading.storage import UNNAMED, storage

CONFIG = dict(anatomy.entries()["llama-3-8b"].config)
BLOCKS = {"quant_method": "fp8", "weight_block_size": [128, 128]}


def test_gpt_oss_20b_is_its_index_to_the_byte() -> None:
    # 24 blocks of 32 experts: 2,880 x 5,760 gate and up, 2,880 x 2,880 down; 16 bytes of values and 1 of scale for 32.
    experts = 24 * 32 * 3 * 2880 * 2880
    biases = 24 * 32 * 3 * 2880
    # Attention: 64 query and 8 KV heads of 64, with biases and a sink for each query head; the router; norms; tables.
    attention = 24 * (2880 * 64 * (2 * 64 + 2 * 8) + 64 * (64 + 2 * 8) + 2880 + 64)
    rest = biases + attention + 24 * (2880 * 32 + 32) + (2 * 24 + 1) * 2880 + 2 * 201088 * 2880
    model = anatomy.load("gpt-oss-20b")
    assert dict(by_type(model)) == {"mxfp4": experts // 2, "e8m0": experts // 32, "bf16": 2 * rest}
    assert sum(size for _, size in by_type(model)) == 13_761_264_768  # "total_size" of its index


def test_deepseek_v3_is_its_index_but_for_what_is_no_weight_of_it() -> None:
    d, experts = 7168, 3 * 7168 * 2048
    projections = {(1536, d), (128 * 192, 1536), (512 + 64, d), (128 * 256, 512), (d, 128 * 128)}
    attention = sum(high * wide for high, wide in projections)
    scales = sum(-(-high // 128) * -(-wide // 128) for high, wide in projections)
    dense, shared = 3 * d * 18432, experts
    fp8 = 61 * attention + 3 * dense + 58 * (256 * experts + shared)
    blocks = 61 * scales + (3 * dense + 58 * 257 * experts) // 128**2
    norms = 61 * (2 * d + 1536 + 512) + d
    rest = norms + 58 * 256 * d + 2 * 129280 * d
    model = anatomy.load("deepseek-v3")
    assert dict(by_type(model)) == {"fp8": fp8, "fp32": 4 * blocks, "bf16": 2 * rest}
    ours = sum(size for _, size in by_type(model))
    assert ours == 673_150_552_416
    # The published file also holds the module that predicts a token more: a block, two tables, eh_proj and three norms;
    # and the correction bias of each router, which is a buffer.
    more_fp8, more_blocks = attention + 257 * experts, scales + 257 * experts // 128**2
    more_rest = 2 * d + 1536 + 512 + 256 * d + 2 * 129280 * d + 2 * d * d + 3 * d
    biases = 59 * 256
    published = {"F8_E4M3": 680_571_043_840, "BF16": 3_918_786_560, "F32": 41_555_600}  # numbers by type
    assert published == {
        "F8_E4M3": fp8 + more_fp8,
        "BF16": rest + more_rest,
        "F32": blocks + more_blocks + biases,
    }
    # Its index prints 2 bytes for every number, whatever its type; the 163 files hold their headers besides.
    assert 2 * sum(published.values()) == 1_369_062_772_000  # "total_size" of its index
    tensors = ours + more_fp8 + 2 * more_rest + 4 * (more_blocks + biases)
    headers = 11_888_393
    assert tensors + headers == 688_586_727_753


def test_kimi_k2_has_as_many_scales_as_its_file() -> None:
    kept = released(anatomy.load("kimi-k2"))
    assert kept is not None
    assert [one.term.factors[0].value for one in kept if one.dtype == "fp32"] == [62_495_192]


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, Storage()),
        ({"torch_dtype": "auto"}, Storage()),
        ({"torch_dtype": 16}, Storage()),
        ({"dtype": "torch.float32"}, Storage("fp32")),
        ({"torch_dtype": "float16", "quantization_config": None}, Storage("fp16")),
        ({"text_config": {"torch_dtype": "bfloat16"}}, Storage("bf16")),
        ({"quantization_config": BLOCKS}, Storage(None, "fp8", (128, 128))),
        ({"quantization_config": {"quant_method": "fp8"}}, Storage(None, "fp8")),
        ({"quantization_config": {**BLOCKS, "weight_block_size": [0, True]}}, Storage(None, "fp8")),
        ({"quantization_config": {**BLOCKS, "modules_to_not_convert": [1]}}, Storage(None, UNNAMED)),
        ({"quantization_config": "fp8"}, Storage(None, UNNAMED)),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, Storage(None, "gptq")),
    ],
)
def test_what_a_configuration_says(keys: dict[str, object], expected: Storage) -> None:
    assert storage(keys) == expected


@pytest.mark.parametrize(
    ("quantised", "counted"),
    [
        (BLOCKS, True),
        ({**BLOCKS, "modules_to_not_convert": ["lm_head", "model.layers.3.input_layernorm"]}, True),
        ({**BLOCKS, "modules_to_not_convert": ["model.layers.3.mlp"]}, False),
        ({**BLOCKS, "modules_to_not_convert": ["model.layers.*.self_attn.q_proj"]}, False),
        ({"quant_method": "fp8"}, False),
        ({"quant_method": "mxfp4"}, False),
        ({"quant_method": "gptq", "bits": 4}, False),
    ],
)
def test_what_is_packed_otherwise_is_not_counted_and_taken_at_16_bits(quantised: object, counted: bool) -> None:
    model = anatomy.load({**CONFIG, "quantization_config": quantised})
    assert bool(dict(by_type(model))) == counted
    if not counted:
        assert memory.weights_bytes(model, "released") == 2 * model.parameters
        return
    small = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    assert dict(by_type(model)) == {
        "fp8": small,
        "fp32": 4 * small // 128**2,
        "bf16": 2 * (model.parameters - small),
    }


def test_other_releases_are_in_the_type_that_they_name_or_in_16_bits() -> None:
    for slug, expected in (
        ("gemma-2-2b", {"fp32": 4 * 2614341888}),
        ("llama-2-7b", {"fp16": 2 * 6738415616}),
        ("gpt2", {"bf16": 2 * 124439808}),
    ):
        assert dict(by_type(anatomy.load(slug))) == expected


def test_windows_in_a_pass_are_what_a_banded_kernel_multiplies() -> None:
    # gpt-oss-20b, T = 4,096: of 24 blocks 12 meet 128 keys; 4 of 32 experts; three passes for a training step.
    products = 24 * (2880 * 64 * (2 * 64 + 2 * 8) + 2880 * 32 + 4 * 3 * 2880 * 2880) + 2880 * 201088
    keys = 12 * 128 + 12 * 4096
    step = training.step(anatomy.load("gpt-oss-20b"), 4096, "windows")
    assert step.per_token == 3 * (2 * products + 4 * 64 * 64 * keys) == 24_134_270_976
    # Llama 4 Scout at 20,000: 36 blocks in two chunks of 8,192 and one of 3,616, 12 blocks in the whole square.
    scout = flops.forward(anatomy.load("llama-4-scout"), 20000, "windows")
    assert scout.attention == 4 * 40 * 128 * (36 * (2 * 8192**2 + 3616**2) + 12 * 20000**2)


@pytest.mark.parametrize(
    "slug", ["gpt2", "gemma-3-1b", "llama-4-scout", "bert-base-uncased", "t5-small", "gpt-oss-20b"]
)
def test_windows_lie_between_the_causal_pairs_and_the_full_square(slug: str) -> None:
    model = anatomy.load(slug)
    for t in (1, 127, min(flops.longest(model), 9001)):
        causal, windows, full = (flops.forward(model, t, one).per_pass for one in ("causal", "windows", "full"))
        assert causal <= windows <= full
        assert (windows == full) == all(t <= (one.window or one.chunk or t) for one in model.attention)
