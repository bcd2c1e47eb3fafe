"""gpt-oss (OpenAI 2025): attention with biases and sinks, every other block local, experts stacked and with biases."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import attention, heads, records
from anatomy.families.experts import experts, stacked
from anatomy.families.frame import Frame
from anatomy.families.layers import block_norms, linear, norm
from anatomy.families.outputs import TOKENS, classes
from anatomy.families.windows import alternating
from anatomy.model.architecture import Known, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config


def model(config: Config) -> Model:
    """gpt-oss of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of GptOssConfig in transformers: heads of 64, biases, 4 of 128 experts, a window of 128 tokens
    in every other block from the first on, untied. The released files hold the experts' matrices as MXFP4 blocks and
    scales; the shapes here are the unpacked ones.
    """
    architecture = config.architecture(classes("GptOss", TOKENS))
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 8, 64)
    bias = config.boolean("attention_bias", default=True)
    inner = config.integer("intermediate_size")
    config.repeats("num_experts_per_tok", "experts_per_token")
    mixture = experts(config, ("num_local_experts", "num_experts"), ("num_experts_per_tok",), 128, 4)
    frame = Frame.read(config, architecture, width, blocks, context=131072)
    window = config.integer_or_none("sliding_window", 128)
    local, full = alternating(config, blocks, 2)
    every, layer = frame.every, frame.layer

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        # A score of its own per head, which takes part in the softmax and attends to nothing.
        yield Row(f"{layer}.self_attn.sinks", (sizes.query,), "block/attention/sinks", every, symbol="sinks")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        router = Matrix("W_router", width, mixture.held)
        yield from linear(f"{layer}.mlp.router", "block/router", router, blocks=every, bias=True)
        mlp = f"{layer}.mlp.experts"
        yield from stacked(mlp, width, inner, mixture, every, bias=True, layout="alternating")
        yield from block_norms(layer, width, every)
        yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    return frame.model(
        tuple(rows()),
        records(sizes, (local, window), (full, None)),
        Traits("RMSNorm", "rotary", "SwiGLU", *mixture),
        known=(
            Known(r"(model\.)?layers\.\d+\.mlp\.experts\.(gate_up|down)_proj_blocks", "MXFP4 values of the experts"),
            Known(r"(model\.)?layers\.\d+\.mlp\.experts\.(gate_up|down)_proj_scales", "MXFP4 scales of the experts"),
        ),
    )
