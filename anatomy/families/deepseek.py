"""DeepSeek V2, V3, Kimi K2 and kin: latent attention; blocks dense, or routed with experts that every token uses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from anatomy.families.experts import experts, routed
from anatomy.families.frame import Frame
from anatomy.families.layers import activation, block_norms, gated_mlp, linear, norm
from anatomy.families.outputs import SEQUENCES, TOKENS, classes
from anatomy.model.architecture import PRE_NORM, Attention, Branch, Known, Traits
from anatomy.model.blocks import Blocks, runs
from anatomy.model.rows import Matrix, Model, Row
from anatomy.reading.config import Config

ENDED = (PRE_NORM[0], Branch((*PRE_NORM[1].parts, "norm-post-mlp")))


class Latent(NamedTuple):
    """What one family has of its own: its classes and the defaults of its configuration.

    ``query`` and ``latent`` are what queries and keys with values are compressed to; ``v_size`` None shares the width.
    ``held`` are the keys for the routed experts, none where every block is dense, ``unread`` the spelling that its
    class does not map; ``mixture`` are the defaults of how many and how many used (none: they have to be there),
    ``inner`` that of their width; ``listed``: ``mlp_layer_types`` may say which blocks are dense; ``ended``: a norm
    follows the experts.
    """

    classes: tuple[str, ...]
    context: int
    first: int = 1
    held: tuple[str, ...] = ("n_routed_experts", "num_local_experts")
    unread: str = "num_experts"
    mixture: tuple[int, ...] = ()
    inner: int | None = None
    shared: int = 1
    query: int | None = 1536
    latent: int = 512
    rotary: int = 64
    plain: int = 128
    v_size: int | None = 128
    kv_heads: tuple[int, ...] = ()
    corrected: bool = True
    listed: bool = False
    ended: bool = False
    tied: bool = False


_V3 = Latent(classes("DeepseekV3", TOKENS), 4096, 3, kv_heads=(128,))
# Defaults: DeepseekV2Config, DeepseekV3Config, ... of transformers.
KIN = {
    "axk1": Latent(classes("AXK1", SEQUENCES), 32768, mixture=(192, 8), inner=2048, listed=True, ended=True),
    "deepseek_v2": Latent(
        classes("DeepseekV2", SEQUENCES), 2048, 0, ("n_routed_experts", "num_experts"), "num_local_experts", shared=2,
        corrected=False,
    ),
    "deepseek_v3": _V3,
    "glm4_moe_lite": Latent(
        classes("Glm4MoeLite"), 202752, mixture=(64, 4), inner=1536, query=768, plain=192, v_size=256, listed=True,
    ),
    "kimi_k2": _V3,
    "minicpm3": Latent(
        classes("MiniCPM3", SEQUENCES), 32768, held=(), query=768, latent=256, rotary=32, plain=64, v_size=None,
        tied=True,
    ),
    "sarvam_mla": Latent(
        ("SarvamMLAForCausalLM", "SarvamMLAModel", *classes("DeepseekV3", TOKENS)), 4096,
        held=("n_routed_experts", "num_local_experts", "num_experts"), unread="", mixture=(128, 8), inner=2048,
        query=None,
    ),
    "youtu": Latent(classes("Youtu"), 131072, held=(), tied=True),
}  # fmt: skip


def model(config: Config) -> Model:
    """DeepSeek V2, V3, Kimi K2 and the others of the table, of any size; raises ``ConfigError``."""
    family = str(config.values["model_type"])
    kin = KIN[family]
    architecture = config.architecture(kin.classes)
    width = config.integer("hidden_size")
    blocks = config.integer("num_hidden_layers")
    heads = config.integer("num_attention_heads")
    # Of no effect; a file saved from DeepseekV3Config's defaults says 128 whatever the heads are.
    why = "latent attention has a key for each query head"
    config.only("num_key_value_heads", heads, None, *kin.kv_heads, why=why)
    query_latent = config.integer_or_none("q_lora_rank", kin.query)
    latent = config.integer("kv_lora_rank", default=kin.latent)
    rotary = config.integer("qk_rope_head_dim", default=kin.rotary)
    plain = config.integer("qk_nope_head_dim", default=kin.plain)
    each = kin.v_size or config.divided("hidden_size", width, "num_attention_heads", heads)
    v_size = config.integer("v_head_dim", default=each, **({} if kin.v_size else {"null": each}))
    bias = config.boolean("attention_bias", default=False)
    config.only("mlp_bias", False, None, why="biases add tensors")
    if family == "sarvam_mla":
        config.only("head_dim", None, why="the deprecated format of its files")
    dense, mixed = split(config, kin, blocks)
    if mixed:
        config.repeats("n_routed_experts", *((kin.unread,) if kin.unread else ()))
        mixture = experts(config, kin.held, ("num_experts_per_tok",), *kin.mixture)
        expert_inner = config.integer("moe_intermediate_size", **({"default": kin.inner} if kin.inner else {}))
        also = ("num_shared_experts",) if family == "sarvam_mla" else ()
        shared = expert_inner * config.integer("n_shared_experts", *also, default=kin.shared, null=0, minimum=0)
    elif kin.held:
        config.ignores(*kin.held, kin.unread, "moe_intermediate_size", "n_shared_experts")
    inner = config.integer("intermediate_size") if dense else 0
    frame = Frame.read(config, architecture, width, blocks, context=kin.context, tied=kin.tied)
    every, layer = frame.every, frame.layer

    def latent_attention(name: str) -> Iterator[Row]:
        part = "block/attention"
        if query_latent is None:
            query = Matrix("W_Q", width, heads * (plain + rotary))
            yield from linear(f"{name}.q_proj", f"{part}/query", query, blocks=every)
        else:
            down, up = Matrix("W_DQ", width, query_latent), Matrix("W_UQ", query_latent, heads * (plain + rotary))
            yield from linear(f"{name}.q_a_proj", f"{part}/query-down", down, blocks=every, bias=bias)
            yield from norm(f"{name}.q_a_layernorm", f"{part}/query-norm", query_latent, blocks=every)
            yield from linear(f"{name}.q_b_proj", f"{part}/query-up", up, blocks=every)
        # W_KR makes the one rotary key that all heads of a token share.
        down, shared_key = Matrix("W_DKV", width, latent), Matrix("W_KR", width, rotary)
        yield from linear(f"{name}.kv_a_proj_with_mqa", f"{part}/kv-down", down, shared_key, blocks=every, bias=bias)
        yield from norm(f"{name}.kv_a_layernorm", f"{part}/kv-norm", latent, blocks=every)
        key, value = Matrix("W_UK", latent, heads * plain), Matrix("W_UV", latent, heads * v_size)
        yield from linear(f"{name}.kv_b_proj", f"{part}/kv-up", key, value, blocks=every)
        out = Matrix("W_O", heads * v_size, width)
        yield from linear(f"{name}.o_proj", f"{part}/output", out, blocks=every, bias=bias)

    def rows() -> Iterator[Row]:
        yield frame.token_table()
        yield from latent_attention(f"{layer}.self_attn")
        if dense:
            yield from gated_mlp(f"{layer}.mlp", width, inner, dense)
        if mixed:
            yield from routed(f"{layer}.mlp", width, expert_inner, mixture, mixed, correction=kin.corrected)
        if mixed and shared:
            yield from gated_mlp(f"{layer}.mlp.shared_experts", width, shared, mixed, part="block/shared-expert")
        yield from block_norms(layer, width, every)
        if kin.ended and mixed:
            yield from norm(f"{layer}.post_mlp_layernorm", "block/norm-post-mlp", width, blocks=mixed)
        yield from norm(f"{frame.prefix}norm", "final-norm", width)
        yield from frame.head()

    record = Attention("decoder", every, heads, heads, plain + rotary, v_size, latent=latent, rotary=rotary)
    gate = activation(config, "hidden_act", default="silu", gated=True)
    return frame.model(
        tuple(rows()),
        (record,),
        Traits("RMSNorm", "rotary", gate, *(mixture if mixed else ())),
        flow=ENDED if kin.ended else PRE_NORM,
        known=(
            Known(r".+\.weight_scale_inv", "scales of an FP8 checkpoint"),
            Known(rf"model\.layers\.{blocks}\..+", "multi-token-prediction module"),
            Known(r"(model\.)?layers\.\d+\.self_attn\.rotary_emb\.inv_freq", "rotary inverse frequencies"),
        ),
    )


def split(config: Config, kin: Latent, blocks: int) -> tuple[Blocks, Blocks]:
    """The dense blocks and the routed ones: as ``mlp_layer_types`` lists them, else dense before a first routed one."""
    if not kin.held:
        return (range(blocks),), ()
    config.only("moe_layer_freq", 1, None, why="transformers does not read it, the released code does")
    found = config.choices("mlp_layer_types", ("dense", "sparse"), blocks) if kin.listed else None
    if found is not None:
        config.ignores("first_k_dense_replace")
        dense, mixed = (runs(at for at, kind in enumerate(found) if kind == one) for one in ("dense", "sparse"))
        return dense, mixed
    first = min(config.integer("first_k_dense_replace", default=kin.first, minimum=0), blocks)
    return ((range(first),) if first else ()), ((range(first, blocks),) if first < blocks else ())
