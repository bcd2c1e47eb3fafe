"""Decoders with routed experts that recombine known parts: Mixtral's, Qwen's, DeepSeek's."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from anatomy.families import windows
from anatomy.families.kin import ATTENTION, Kin, Mixture, decoder
from anatomy.families.outputs import SEQUENCES, classes
from anatomy.model.architecture import NORM_BEHIND, ONE_NORM, Branch
from anatomy.model.blocks import Blocks, all_but_every, excluding, runs
from anatomy.model.rows import Model
from anatomy.reading.config import Config

Width = Callable[[Config], int]
Split = Callable[[Config, int], tuple[Blocks, Blocks]]
_USED = ("num_experts_per_tok",)
_MIXTRAL = ("w1", "w3", "w2")
_GRANITE = ("input_linear.weight", "output_linear.weight")


def _key(name: str, default: int) -> Width:
    return lambda config: config.integer(name, default=default)


def _inner(config: Config) -> int:
    return config.integer("intermediate_size")


def _times(key: str, default: int | None, inner: Width, least: int = 0) -> Width:
    """As wide as that many experts; without a default the key has to be there."""
    stated = {} if default is None else {"default": default}
    return lambda config: config.integer(key, minimum=least, **stated) * inner(config)


def _first(default: int, key: str = "first_k_dense_replace") -> Split:
    """The first blocks are dense."""

    def split(config: Config, blocks: int) -> tuple[Blocks, Blocks]:
        first = min(config.integer(key, default=default, minimum=0), blocks)
        return ((range(first),) if first else ()), ((range(first, blocks),) if first < blocks else ())

    return split


def _listed(otherwise: Split) -> Split:
    """As ``mlp_layer_types`` lists them, else by another key."""

    def split(config: Config, blocks: int) -> tuple[Blocks, Blocks]:
        found = config.choices("mlp_layer_types", ("dense", "sparse"), blocks)
        if found is None:
            return otherwise(config, blocks)
        dense, mixed = (runs(at for at, kind in enumerate(found) if kind == one) for one in ("dense", "sparse"))
        return dense, mixed

    return split


def _all(_: Config, blocks: int) -> tuple[Blocks, Blocks]:
    return (), (range(blocks),)


def _one(_: Config, blocks: int) -> tuple[Blocks, Blocks]:
    return (range(1),), ((range(1, blocks),) if blocks > 1 else ())


def _ernie(config: Config, blocks: int) -> tuple[Blocks, Blocks]:
    """Every so many blocks, between a first and a last one (-1: the last of all)."""
    start = config.integer("moe_layer_start_index", default=1, minimum=0)
    end = config.integer("moe_layer_end_index", default=-1, minimum=-1)
    step = config.integer("moe_layer_interval", default=1, maximum=1000)
    _, mixed = all_but_every(step, blocks)
    last = blocks - 1 if end == -1 else min(end, blocks - 1)
    outside: Blocks = tuple(one for one in (range(min(start, blocks)), range(last + 1, blocks)) if one)
    mixed = excluding(blocks, mixed, outside) if mixed and outside else mixed
    return excluding(blocks, (range(blocks),), mixed) if mixed else (range(blocks),), mixed


_ROUTED = ("mlp", "router", "experts", "shared-expert")
# Wired like Command R and OLMo 2, with experts where they have an MLP.
_PARALLEL = (ONE_NORM[0], Branch(_ROUTED, reads="norm"))
_BEHIND = (NORM_BEHIND[0], Branch((*_ROUTED, "norm-post-mlp")))
_BLOCK = MappingProxyType({"input_layernorm": "norm-block"})
_POST = MappingProxyType({
    "post_attention_layernorm": "norm-post-attention", "post_feedforward_layernorm": "norm-post-mlp",
})  # fmt: skip
_SHARED = "n_shared_experts"
_DOTS = _key("moe_intermediate_size", 1408)
_EXAONE = _key("moe_intermediate_size", 1024)
_HY = _key("moe_intermediate_size", 1536)
_SOLAR = _key("moe_intermediate_size", 1280)
_BIASES = MappingProxyType({"use_bias": "biases, also of the unembedding"})

# Defaults: Cohere2MoeConfig, Dots1Config, ... of transformers.
KIN = {
    "cohere2_moe": Kin(
        classes("Cohere2Moe"), 8192, head_size=128, tied=True, biases=ATTENTION, flow=_PARALLEL, norms=_BLOCK,
        norm="LayerNorm",
        windows=windows.but_every(4),
        off=MappingProxyType({"first_k_dense_replace": "or layer_types and mlp_layer_types, which say which blocks"}),
        mixture=Mixture(
            ("num_experts",), _USED, (8, 2), _inner, _times("num_shared_experts", 0, _inner),
            _listed(_all), correction=("", True),
        ),
    ),
    "dots1": Kin(
        classes("Dots1"), 2048, kv_heads=32, biases=ATTENTION, qk_norm="size", windows=windows.from_max_window_layers,
        mixture=Mixture(
            ("n_routed_experts", "num_local_experts"), _USED, (), _DOTS, _times(_SHARED, None, _DOTS), _first(0),
            correction=("gate.e_score_correction_bias", True),
        ),
    ),
    "ernie4_5_moe": Kin(
        classes("Ernie4_5_Moe"), 131072, kv_heads=4, own_size=False, tied=True, off=_BIASES,
        mixture=Mixture(
            ("moe_num_experts", "num_experts"), ("moe_k", "num_experts_per_tok"), (64, 6), _HY,
            _times("moe_num_shared_experts", 2, _HY), _ernie,
            correction=("moe_statics.e_score_correction_bias", False),
        ),
    ),
    "exaone_moe": Kin(
        classes("ExaoneMoe"), 2048, kv_heads=32, qk_norm="size", windows=windows.but_every(4),
        mixture=Mixture(
            ("num_experts",), _USED, (64, 8), _EXAONE, _times("num_shared_experts", 1, _EXAONE),
            _listed(_first(1)), correction=("gate.e_score_correction_bias", True),
        ),
    ),
    "flex_olmo": Kin(
        classes("FlexOlmo"), 4096, own_size=False, biases=ATTENTION, qk_norm="all", flow=_BEHIND,
        norms=_POST,
        mixture=Mixture(("num_experts", "num_local_experts"), _USED, (7, 5), _inner),
    ),
    "granitemoe": Kin(
        classes("GraniteMoe"), 2048, own_size=False, biases=ATTENTION,
        mixture=Mixture(
            ("num_local_experts",), _USED, (8, 2), _inner, at="block_sparse_moe", router="router.layer",
            stacked=_GRANITE,
        ),
    ),
    "granitemoeshared": Kin(
        classes("GraniteMoeShared"), 2048, own_size=False, biases=ATTENTION,
        mixture=Mixture(
            ("num_local_experts",), _USED, (8, 2), _inner,
            lambda config: config.integer("shared_intermediate_size", default=0, minimum=0),
            at="block_sparse_moe", router="router.layer", stacked=_GRANITE,
            shared_at=".shared_mlp", fused=("input_linear", "output_linear"),
        ),
    ),
    "hunyuan_v1_moe": Kin(
        classes("HunYuanMoEV1", SEQUENCES), 2048, biases=ATTENTION, qk_norm="size",
        renamed=MappingProxyType({".q_norm": ".query_layernorm", ".k_norm": ".key_layernorm"}),
        mixture=Mixture(
            ("num_experts", "num_local_experts"), ("moe_topk", "num_experts_per_tok"), (1, 1), _inner, _inner,
            router="gate.wg", shared_at="shared_mlp",
        ),
    ),
    "hy_v3": Kin(
        classes("HYV3"), 131072, kv_heads=8, head_size=128, biases=("attention_bias", "mlp_bias"), qk_norm="size",
        mixture=Mixture(
            ("num_experts", "num_local_experts"), _USED, (192, 8), _HY, _times("num_shared_experts", 1, _HY, 1),
            _listed(_one),
            router="router.gate", shared_at="shared_mlp", correction=("expert_bias", True),
        ),
    ),
    "mellum": Kin(
        classes("Mellum"), 131072, kv_heads=4, head_size=128, biases=ATTENTION, qk_norm="size",
        windows=windows.as_listed(1024), off=MappingProxyType({"num_mtp_layers": "a module of its own"}),
        mixture=Mixture(
            ("num_experts", "num_local_experts"), _USED, (64, 8), _key("moe_intermediate_size", 896),
            split=_listed(_all),
        ),
    ),
    "minimax_m2": Kin(
        classes("MiniMaxM2"), 196608, kv_heads=8, head_size=128, qk_norm="all",
        mixture=Mixture(
            ("num_local_experts", "num_experts"), _USED, (256, 8), _inner, at="block_sparse_moe", names=_MIXTRAL,
            correction=("e_score_correction_bias", True),
        ),
    ),
    "olmoe": Kin(
        classes("Olmoe"), 4096, own_size=False, biases=ATTENTION, qk_norm="all",
        mixture=Mixture(("num_experts", "num_local_experts"), _USED, (64, 8), _inner),
    ),
    "phimoe": Kin(
        classes("Phimoe", SEQUENCES), 131072, kv_heads=8, own_size=False, biases=ATTENTION, norm="LayerNorm",
        shift=True, windows=windows.everywhere(None), off=MappingProxyType({"lm_head_bias": "a biased unembedding"}),
        only=MappingProxyType({"num_experts_per_tok": 2}),
        mixture=Mixture(
            ("num_local_experts",), _USED, (16, 2), _inner, at="block_sparse_moe", names=_MIXTRAL,
        ),
    ),
    "solar_open": Kin(
        classes("SolarOpen"), 131072, kv_heads=8, head_size=128, biases=ATTENTION, output_bias="no",
        mixture=Mixture(
            ("n_routed_experts", "num_local_experts"), _USED, (128, 8), _SOLAR, _times(_SHARED, 1, _SOLAR),
            correction=("gate.e_score_correction_bias", True),
        ),
    ),
}  # fmt: skip


def model(config: Config) -> Model:
    """MiniMax M2, OLMoE, Granite's mixtures and the others of the table, of any size; raises ``ConfigError``."""
    return decoder(config, KIN[str(config.values["model_type"])])
