"""ViT (Dosovitskiy et al. 2020): an encoder over the patches of an image and one class token."""

from __future__ import annotations

from collections.abc import Iterator

from anatomy.families.attention import Heads, attention, encoding
from anatomy.families.layers import activation, linear, norm, plain_mlp
from anatomy.families.outputs import labels
from anatomy.model.architecture import Stack, Traits
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

ARCHITECTURES = ("ViTForImageClassification", "ViTModel")
NAMES = {
    "query": "attention.query", "key": "attention.key", "value": "attention.value", "output": "output.dense",
}  # fmt: skip


def model(config: Config) -> Model:
    """ViT of any size from its ``config.json``; raises ``ConfigError``.

    Defaults are those of ViTConfig in transformers: images of 224 x 224 with 3 channels in patches of 16 x 16, biases
    on Q, K and V, and (PreTrainedConfig) 2 labels. ViTModel has a pooler, the classifier has none.
    """
    architecture = config.architecture(ARCHITECTURES)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    heads = config.integer("num_attention_heads")
    sizes = Heads(heads, heads, config.divided("hidden_size", width, "num_attention_heads", heads))
    config.only("head_dim", sizes.size, why="hidden_size / num_attention_heads")
    inner = config.integer("intermediate_size")
    image = config.integer("image_size", default=224)
    patch = config.integer("patch_size", default=16)
    channels = config.integer("num_channels", default=3)
    qkv_bias = config.boolean("qkv_bias", default=True)
    patches = config.divided("image_size", image, "patch_size", patch) ** 2
    tokens = patches + 1
    every = (range(blocks),)
    bare = architecture == "ViTModel"
    prefix = "" if bare else "vit."
    layer = prefix + "encoder.layer.{block}"

    def embeddings() -> Iterator[Row]:
        at = f"{prefix}embeddings"
        yield Row(f"{at}.cls_token", (1, 1, width), "embedding/class-token", symbol="x_class")
        yield Row(f"{at}.position_embeddings", (1, tokens, width), "embedding/position", symbol="W_pos")
        # A convolution that steps by its own size: one matrix product per patch.
        project = Matrix("W_patch", channels * patch * patch, width)
        yield Row(
            f"{at}.patch_embeddings.projection.weight", (width, channels, patch, patch), "embedding/patch",
            matrices=(project,), multiplies="patches",
        )  # fmt: skip
        yield Row(f"{at}.patch_embeddings.projection.bias", (width,), "embedding/patch", symbol="b_patch")

    def rows() -> Iterator[Row]:
        yield from embeddings()
        at = f"{layer}.attention"
        yield from attention(at, width, sizes, every, bias=qkv_bias, output_bias=True, names=NAMES)
        yield from plain_mlp(f"{layer}.intermediate.dense", f"{layer}.output.dense", width, inner, every, bias=True)
        yield from norm(f"{layer}.layernorm_before", "block/norm-attention", width, blocks=every, bias=True)
        yield from norm(f"{layer}.layernorm_after", "block/norm-mlp", width, blocks=every, bias=True)
        yield from norm(f"{prefix}layernorm", "final-norm", width, bias=True)
        if bare:
            pooled = config.integer("pooler_output_size", default=width, null=width)
            pool = Matrix("W_pool", width, pooled)
            yield from linear("pooler.dense", "pooler", pool, bias=True, multiplies="one")
        else:
            classes = Matrix("W_C", width, labels(config))
            yield from linear("classifier", "head", classes, bias=True, multiplies="one")

    return Model(
        model_type="vit",
        architecture=architecture,
        width=width,
        vocabulary=None,
        context=tokens,
        rows=tuple(rows()),
        attention=encoding(sizes, every),
        stacks=(Stack("encoder", blocks),),
        traits=Traits("LayerNorm", "learned", activation(config, "hidden_act", default="gelu")),
        fixed_lengths={"tokens": tokens, "patches": patches},
        defaults=config.defaults,
    )
