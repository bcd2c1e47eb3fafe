"""gpt-oss (OpenAI 2025): attention with biases and sinks, every other block local, experts stacked and with biases."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.layers import (
    attention,
    heads,
    linear,
    norm,
    table,
    unembedding,
)
from anatomy.families.windows import alternating, records
from anatomy.model.architecture import Known, Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

ARCHITECTURES = ("GptOssForCausalLM", "GptOssModel")


def model(config: Config) -> Model:
    """gpt-oss of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of GptOssConfig in transformers: heads of 64, biases, 4 of 128 experts, a window of 128 tokens
    in every other block from the first on, untied. The released files hold the experts' matrices as MXFP4 blocks and
    scales; the shapes here are the unpacked ones.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    sizes = heads(config, width, 8, 64)
    bias = config.boolean("attention_bias", default=True)
    inner = config.integer("intermediate_size")
    experts = config.integer("num_local_experts", "num_experts", default=128)
    used = config.integer("num_experts_per_tok", "experts_per_token", default=4)
    share = config.share("num_experts_per_tok", used, "num_local_experts", experts)
    vocabulary = config.integer("vocab_size")
    context = config.integer("max_position_embeddings", default=131072)
    window = config.integer_or_none("sliding_window", 128)
    tied = config.boolean("tie_word_embeddings", default=False)
    every = (range(blocks),)
    local, full = alternating(config, blocks, 2)
    headed = architecture == "GptOssForCausalLM"
    prefix = "model." if headed else ""
    layer = prefix + "layers.{block}"

    def experts_rows(name: str, part: str, *matrices: Matrix) -> Iterator[Row]:
        # Stored (experts, in, out); the outputs of gate and up are interleaved.
        inputs, outputs = matrices[0].inputs, sum(matrix.outputs for matrix in matrices)
        shape = (experts, inputs, outputs)
        layout = "alternating" if len(matrices) > 1 else ""
        yield Row(name, shape, part, every, matrices=matrices, multiplies="tokens", share=share, layout=layout)
        symbol = ", ".join(matrix.symbol.replace("W_", "b_") for matrix in matrices)
        yield Row(f"{name}_bias", (experts, outputs), part, every, share=share, symbol=symbol, layout=layout)

    def rows() -> Iterator[Row]:
        yield table(f"{prefix}embed_tokens", "embedding/token", vocabulary, width, "W_E")
        # A score of its own per head, which takes part in the softmax and attends to nothing.
        yield Row(f"{layer}.self_attn.sinks", (sizes.query,), "block/attention/sinks", every, symbol="sinks")
        yield from attention(f"{layer}.self_attn", width, sizes, every, bias=bias)
        router = Matrix("W_router", width, experts)
        yield from linear(f"{layer}.mlp.router", "block/router", router, blocks=every, bias=True)
        gate, up = Matrix("W_gate", width, inner, experts), Matrix("W_up", width, inner, experts)
        down = Matrix("W_down", inner, width, experts)
        yield from experts_rows(f"{layer}.mlp.experts.gate_up_proj", "block/experts/gate-up", gate, up)
        yield from experts_rows(f"{layer}.mlp.experts.down_proj", "block/experts/down", down)
        yield from norm(f"{layer}.input_layernorm", "block/norm-attention", width, blocks=every)
        yield from norm(f"{layer}.post_attention_layernorm", "block/norm-mlp", width, blocks=every)
        yield from norm(f"{prefix}norm", "final-norm", width)
        if headed:
            yield unembedding("lm_head.weight", "model.embed_tokens.weight" if tied else None, vocabulary, width)

    return Model(
        model_type="gpt_oss",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=records(sizes, (local, window), (full, None)),
        stacks=(Stack("decoder", blocks),),
        traits=Traits("RMSNorm", "rotary", "SwiGLU", experts=experts, experts_per_token=used),
        known=(
            Known(r"(model\.)?layers\.\d+\.mlp\.experts\.(gate_up|down)_proj_blocks", "MXFP4 values of the experts"),
            Known(r"(model\.)?layers\.\d+\.mlp\.experts\.(gate_up|down)_proj_scales", "MXFP4 scales of the experts"),
        ),
        defaults=config.defaults,
    )
