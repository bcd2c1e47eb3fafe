"""How each family computes where no shape tells it, as its configuration says: scales, caps, rotation, routing.

A family that does not stand here has no computation read, and no sentence that needs one is said of it. Defaults are
those of the configuration classes of transformers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from anatomy.families.rotation import rotation
from anatomy.model.blocks import Blocks, all_but_every, excluding, runs
from anatomy.model.computation import Computation, Gate, Growth, Routing, Scale
from anatomy.model.rows import Model
from anatomy.reading.config import MAX_LISTED, Config

Read = Callable[[Config, Model], Computation]


def computation(config: Config, model: Model) -> Computation | None:
    """How a model of this configuration computes; None for a family of which it is not read.

    >>> from anatomy import catalog
    >>> catalog.load("gemma-2-27b").computation.score_scale
    Scale(number=Fraction(1, 144), root=True)

    Raises ``ConfigError`` where a value is not understood.
    """
    text = config.nested("text_config") if isinstance(config.values.get("text_config"), Mapping) else config
    read = _FAMILIES.get(str(config.values["model_type"]))
    return read(text, model) if read else None


def _usual(_: Config, model: Model) -> Computation:
    """Scores divided by the square root of the head size, and nothing else."""
    return Computation(Scale(Fraction(1, model.attention[0].qk_size), root=True))


def _inverse(number: Fraction | None) -> Fraction:
    return Fraction(number.denominator, number.numerator) if number else Fraction(1)


def _flag(config: Config, key: str, default: bool) -> bool:
    return default if config.values.get(key) is None else config.boolean(key)


def _rotary(base: int = 10000, share: Fraction | int = 1, base_key: str = "rope_theta") -> Read:
    def read(config: Config, model: Model) -> Computation:
        return replace(_usual(config, model), rotation=rotation(config, model, base, share, base_key))

    return read


def _gpt2(config: Config, model: Model) -> Computation:
    scale = _usual(config, model).score_scale if _flag(config, "scale_attn_weights", True) else Scale()
    return Computation(
        scale,
        score_by_depth=_flag(config, "scale_attn_by_inverse_layer_idx", False),
        every_other_banded=config.values.get("attention_pattern") is not None
        and config.choice("attention_pattern", options=("alternating",)) == "alternating",
    )


def _mpt(config: Config, model: Model) -> Computation:
    usual, inside = _usual(config, model), config.values.get("attn_config")
    attending = config.nested("attn_config") if inside is not None else Config({})
    stated = attending.number("softmax_scale")
    root = config.values.get("logit_scale") == "inv_sqrt_d_model"
    logits = (
        Scale(Fraction(1, model.width), True) if root else Scale(config.number("logit_scale", default=1) or Fraction(1))
    )
    return replace(
        usual,
        score_scale=Scale(stated) if stated else usual.score_scale,
        qkv_limit=attending.number("clip_qkv"),
        logit_scale=logits,
    )


def _falcon(config: Config, model: Model) -> Computation:
    return _rotary()(config, model) if model.traits.positions == "rotary" else _usual(config, model)


def _gptj(config: Config, model: Model) -> Computation:
    size = config.optional_integer("rotary_dim") if "rotary_dim" in config.values else 64
    share = Fraction(size, model.attention[0].qk_size) if size else 1
    return _rotary(share=share, base_key="")(config, model)


def _cohere(config: Config, model: Model) -> Computation:
    scale = config.number("logit_scale", default=Fraction(1, 16))
    made = replace(_rotary(500000)(config, model), logit_scale=Scale(scale or Fraction(1)))
    if model.model_type == "cohere2":
        made = replace(_rotary()(config, model), logit_scale=made.logit_scale)
        full = [where for one in model.attention if not one.window for where in one.blocks]
        return _without_rotation(made, tuple(full))
    return made


def _without_rotation(made: Computation, blocks: Blocks) -> Computation:
    return replace(made, rotation=replace(made.rotation, without=blocks)) if made.rotation else made


def _gemma(config: Config, model: Model) -> Computation:
    third = model.attention and config.values["model_type"] == "gemma3_text"
    made = _rotary(1000000 if third else 10000)(config, model)
    made = replace(made, embedding_scale=Scale(Fraction(model.width), root=True), norm_offset=True)
    if config.values["model_type"] == "gemma":
        return made
    queries = config.number("query_pre_attn_scalar", default=256)
    caps = (None, None) if third else (50, 30)
    found = []
    for key, cap in zip(("attn_logit_softcapping", "final_logit_softcapping"), caps, strict=True):
        found.append(config.number(key, default=None if key in config.values else cap))
    made = replace(made, score_scale=Scale(_inverse(queries), root=True), score_cap=found[0], logit_cap=found[1])
    if third and made.rotation:
        local = config.number("rope_local_base_freq", default=made.rotation.local_base or 10000)
        made = replace(made, rotation=replace(made.rotation, local_base=local))
    return made


def _granite(config: Config, model: Model) -> Computation:
    keys = ("attention_multiplier", "embedding_multiplier", "residual_multiplier")
    scores, embedding, residual = (Scale(config.number(key, default=1) or Fraction(1)) for key in keys)
    return replace(
        _rotary()(config, model),
        score_scale=scores,
        embedding_scale=embedding,
        residual_scale=residual,
        logit_scale=Scale(_inverse(config.number("logits_scaling", default=1))),
    )


def _minicpm(config: Config, model: Model) -> Computation:
    depth = config.number("scale_depth", default=None if "scale_depth" in config.values else Fraction(7, 5))
    base = config.number("dim_model_base", default=None if "dim_model_base" in config.values else 256)
    blocks = model.stacks[0].blocks
    return replace(
        _rotary()(config, model),
        embedding_scale=Scale(config.number("scale_emb", default=12) or Fraction(1)),
        residual_scale=Scale(depth**2 * Fraction(1, blocks), root=True) if depth else Scale(),
        logit_scale=Scale(base * Fraction(1, model.width)) if base else Scale(),
    )


def _nemotron(config: Config, model: Model) -> Computation:
    return replace(_rotary(share=Fraction(1, 2))(config, model), norm_offset=True)


def _olmo(config: Config, model: Model) -> Computation:
    return replace(_rotary()(config, model), qkv_limit=config.number("clip_qkv"))


def _smollm3(config: Config, model: Model) -> Computation:
    blocks = model.stacks[0].blocks
    marks = config.values.get("no_rope_layers")
    if marks is None:
        _, without = all_but_every(config.integer("no_rope_layer_interval", default=4, maximum=1000), blocks)
        config.defaults.pop("no_rope_layer_interval", None)
    else:
        accepted = f"a list of {blocks:,} items (at most {MAX_LISTED:,}), each 0 or 1"
        if not isinstance(marks, list) or len(marks) != blocks or blocks > MAX_LISTED:
            raise config.error("no_rope_layers", marks, accepted)
        if any(isinstance(mark, bool) or mark not in (0, 1) for mark in marks):
            raise config.error("no_rope_layers", marks, accepted)
        without = runs(block for block, mark in enumerate(marks) if not mark)
    return _without_rotation(_rotary(2000000)(config, model), without)


def _llama4(config: Config, model: Model) -> Computation:
    every = (range(model.stacks[0].blocks),)
    local = tuple(where for one in model.attention if one.chunk for where in one.blocks)
    made = _rotary(500000)(config, model)
    if not local:
        # Without chunks the records no longer tell which blocks rotate.
        return replace(made, rotation=None)
    without = excluding(model.stacks[0].blocks, every, local)
    rate, step = config.number("attn_scale", default=Fraction(1, 10)), config.number("floor_scale", default=8192)
    grows = bool(rate and step and step.denominator == 1 and _flag(config, "attn_temperature_tuning", True))
    return replace(
        _without_rotation(made, without),
        bare_qk_norm=local if _flag(config, "use_qk_norm", True) else (),
        query_growth=Growth(rate, int(step)) if grows and rate and step else None,
        routing=Routing("sigmoid", weighs="input"),
    )


def _mixtral(config: Config, model: Model) -> Computation:
    # The paper takes the softmax over the chosen; code that takes it over all and rescales computes the same.
    return replace(_rotary(1000000)(config, model), routing=Routing(over="chosen", normalised=True))


def _qwen_moe(config: Config, model: Model) -> Computation:
    routing = Routing(normalised=_flag(config, "norm_topk_prob", False))
    return replace(_rotary()(config, model), routing=routing)


def _dbrx(config: Config, model: Model) -> Computation:
    attending, feeding = config.nested("attn_config"), config.nested("ffn_config")
    norm = feeding.number("moe_normalize_expert_weights", default=1) if _states(feeding) else None
    return replace(
        _usual(config, model),
        rotation=rotation(attending, model, 10000),
        qkv_limit=attending.number("clip_qkv"),
        routing=Routing(normalised=norm == 1) if norm in (1, None) else None,
    )


def _states(feeding: Config) -> bool:
    # A null of DBRX's switches the normalisation off; left out, it is on.
    return feeding.values.get("moe_normalize_expert_weights", 1) is not None


def _gpt_oss(config: Config, model: Model) -> Computation:
    limit, slope = config.number("swiglu_limit", default=7), config.number("swiglu_alpha", default=Fraction("1.702"))
    return replace(
        _rotary(150000)(config, model),
        routing=Routing(over="chosen", normalised=True),
        gate=Gate(limit or Fraction(7), slope or Fraction(1)),
    )


def _grouped(scores: str, factor: str, normalised: bool, groups: int = 1, best: int = 1) -> Read:
    """DeepSeek's routing: the weights of the chosen perhaps normalised, times a factor, in groups where there are."""

    def read(config: Config, model: Model) -> Computation:
        config.only("scoring_func", scores, None, why="how this family's router weighs experts")
        adds_up = _flag(config, "norm_topk_prob", normalised)
        number = config.number("routed_scaling_factor", default=Fraction(factor)) or Fraction(1)
        many, few = groups, best
        if config.values.get("topk_method") == "greedy":
            config.ignores("n_group", "topk_group")
            many = few = 1
        else:
            many = config.optional_integer("n_group") or groups
            few = config.optional_integer("topk_group") or min(best, many)
        return Computation(
            Scale(Fraction(1, model.attention[0].qk_size), root=True),
            rotation=rotation(config, model, 10000, _share(model)),
            routing=Routing(scores, "all", adds_up, number, many, few) if model.traits.experts else None,
        )

    return read


def _share(model: Model) -> Fraction:
    return Fraction(1) if model.attention[0].latent else Fraction(1, 2)


def _t5(config: Config, model: Model) -> Computation:
    scaled = model.tied_unembedding and _flag(config, "scale_decoder_outputs", True)
    buckets = next((row.shape[0] for row in model.rows if row.symbol == "b_rel"), None)
    return Computation(
        Scale(),
        logit_scale=Scale(Fraction(1, model.width), root=True) if scaled else Scale(),
        buckets=buckets,
        farthest=int(config.number("relative_attention_max_distance", default=128) or 128),
    )


def _scaled_embedding(config: Config, model: Model) -> Computation:
    scaled = _flag(config, "scale_embedding", False)
    fixed = ("encoder",) if config.values["model_type"] == "whisper" else ()
    embedding = Scale(Fraction(model.width), root=True) if scaled else Scale()
    return replace(_usual(config, model), embedding_scale=embedding, fixed_positions=fixed)


_FAMILIES: Mapping[str, Any] = {
    "bart": _scaled_embedding,
    "bert": _usual,
    "bloom": _usual,
    "cohere": _cohere,
    "cohere2": _cohere,
    "dbrx": _dbrx,
    "deepseek_v2": _grouped("softmax", "1", normalised=False),
    "deepseek_v3": _grouped("sigmoid", "2.5", normalised=True, groups=8, best=4),
    "falcon": _falcon,
    "gemma": _gemma,
    "gemma2": _gemma,
    "gemma3": lambda config, model: _gemma(_as(config, "gemma3_text"), model),
    "gemma3_text": _gemma,
    "glm4_moe": _grouped("sigmoid", "1", normalised=True),
    "gpt2": _gpt2,
    "gpt_bigcode": _gpt2,
    "gpt_neox": _rotary(share=Fraction(1, 4), base_key="rotary_emb_base"),
    "gpt_oss": _gpt_oss,
    "gptj": _gptj,
    "granite": _granite,
    "granitemoe": _granite,
    "granitemoeshared": _granite,
    "kimi_k2": _grouped("sigmoid", "2.5", normalised=True, groups=8, best=4),
    "llama": _rotary(),
    "llama4": _llama4,
    "llama4_text": _llama4,
    "minicpm3": _minicpm,
    "mistral": _rotary(),
    "mistral3": _rotary(),
    "mixtral": _mixtral,
    "mpt": _mpt,
    "nemotron": _nemotron,
    "olmo": _olmo,
    "olmo2": _rotary(),
    "opt": _usual,
    "phi": _rotary(share=Fraction(1, 2)),
    "phi3": _rotary(),
    "qwen2": _rotary(),
    "qwen2_moe": _qwen_moe,
    "qwen3": _rotary(),
    "qwen3_moe": _qwen_moe,
    "roberta": _usual,
    "smollm3": _smollm3,
    "stablelm": _rotary(share=Fraction(1, 4)),
    "starcoder2": _rotary(),
    "t5": _t5,
    "vit": _usual,
    "whisper": _scaled_embedding,
}


def _as(config: Config, model_type: str) -> Config:
    return Config({**config.values, "model_type": model_type}, config.source)
