"""Whisper (Radford et al. 2022): two convolutions over 30 seconds of sound, then BART's blocks with norms before."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import crossing
from anatomy.families.bart import block, sides
from anatomy.families.layers import activation, norm, table
from anatomy.families.outputs import unembedding
from anatomy.model.architecture import PRE_NORM, PRE_NORM_CROSS, Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

ARCHITECTURES = ("WhisperForConditionalGeneration",)
# Both convolutions look at 3 frames; the second one steps by 2, so that 3,000 frames make 1,500 positions.
KERNEL, STRIDE = 3, 2


def model(config: Config) -> Model:
    """Whisper of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of WhisperConfig in transformers: 80 mel bins, 1,500 source and 448 target positions, tied.
    The source is always padded or cut to its full length. The encoder's table of sinusoids was never trained, and is
    stored and counted like a parameter.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("d_model", "hidden_size")
    vocabulary = config.integer("vocab_size")
    bins = config.integer("num_mel_bins", default=80)
    source = config.integer("max_source_positions", default=1500)
    context = config.integer("max_target_positions", default=448)
    config.only("tie_word_embeddings", True, why="the head is the token table")
    config.repeats("encoder_attention_heads", "num_key_value_heads")
    depth, attending = sides(config, width)

    def convolution(name: str, symbol: str, channels: int, over: str) -> Iterator[Row]:
        part = "encoder/embedding/frame"
        matrix = Matrix(f"W_{symbol}", channels * KERNEL, width)
        yield Row(f"{name}.weight", (width, channels, KERNEL), part, matrices=(matrix,), multiplies=over)
        yield Row(f"{name}.bias", (width,), part, symbol=f"b_{symbol}")

    def stack(name: str) -> Iterator[Row]:
        inner = config.integer(f"{name}_ffn_dim")
        yield from block(
            f"model.{name}", name, depth[name], width, attending[name], inner, norms_after=False, key_bias=False
        )
        yield from norm(f"model.{name}.layer_norm", f"{name}/final-norm", width, bias=True)

    def rows() -> Iterator[Row]:
        yield from convolution("model.encoder.conv1", "conv1", bins, "frames")
        yield from convolution("model.encoder.conv2", "conv2", width, "source")
        yield table("model.encoder.embed_positions", "encoder/embedding/position", source, width, "W_pos")
        yield from stack("encoder")
        yield table("model.decoder.embed_tokens", "decoder/embedding/token", vocabulary, width, "W_E")
        yield table("model.decoder.embed_positions", "decoder/embedding/position", context, width, "W_pos")
        yield from stack("decoder")
        yield unembedding(
            "proj_out.weight", "model.decoder.embed_tokens.weight", vocabulary, width, "decoder/unembedding"
        )

    return Model(
        model_type="whisper",
        architecture=architecture,
        width=width,
        vocabulary=vocabulary,
        context=context,
        rows=tuple(rows()),
        attention=crossing(depth, attending),
        stacks=(
            Stack("encoder", depth["encoder"], PRE_NORM, "source"),
            Stack("decoder", depth["decoder"], PRE_NORM_CROSS),
        ),
        traits=Traits("LayerNorm", "learned", activation(config, "activation_function", default="gelu")),
        fixed_lengths={"source": source, "frames": STRIDE * source},
        defaults=config.defaults,
    )
