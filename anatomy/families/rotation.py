"""Rotary positions as a configuration states them: how much of a head is rotated, from which base, how stretched."""

from __future__ import annotations

from fractions import Fraction

from anatomy.model.computation import Rotation
from anatomy.model.rows import Model
from anatomy.reading.config import Config

# What stretches wavelengths for longer texts, by the names that configurations have for it; None does not.
SCALINGS = {
    "default": None, "mrope": None, "linear": "linear", "dynamic": "dynamic", "yarn": "yarn",
    "longrope": "longrope", "su": "longrope", "llama3": "llama3",
}  # fmt: skip
_SHARES = ("partial_rotary_factor", "rotary_pct", "rope_pct")


def rotation(
    config: Config, model: Model, base: int, share: Fraction | int = 1, base_key: str = "rope_theta"
) -> Rotation:
    """The rotation that the keys of most families tell, old ones (rope_scaling) and new ones (rope_parameters).

    >>> from anatomy import catalog
    >>> catalog.load("pythia-160m").computation.rotation.size
    16

    Raises ``ConfigError`` for a scaling or a share that is not understood.
    """
    record = model.attention[0]
    stated = config.values.get("rope_parameters")
    inside = config.nested("rope_parameters") if stated is not None else Config({})
    local = None
    if "full_attention" in inside.values:
        local = (
            inside.nested("sliding_attention").number("rope_theta") if "sliding_attention" in inside.values else None
        )
        inside = inside.nested("full_attention")
    if record.rotary is not None:
        size = record.rotary
    else:
        # Only families that rotate a part of each head read a share.
        partial = share != 1 or model.model_type == "phi3"
        told = (inside.number("partial_rotary_factor") or config.number(*_SHARES)) if partial else None
        part = told or Fraction(share)
        if part > 1:
            raise config.error("partial_rotary_factor", str(part), "a number above 0 and at most 1")
        size = int(part * record.qk_size)
    wide = inside.number("rope_theta") or (config.number(base_key) if base_key else None) or Fraction(base)
    return Rotation(size, wide, local, (), *_scaling(config, inside, model))


def _scaling(config: Config, inside: Config, model: Model) -> tuple[str | None, Fraction | None, Fraction | None]:
    if "rope_type" in inside.values:
        scaling = inside
    elif config.values.get("rope_scaling") is not None:
        scaling = config.nested("rope_scaling")
    else:
        return None, None, None
    if "rope_type" not in scaling.values and "type" not in scaling.values:
        raise config.error("rope_scaling", dict(scaling.values), "an object whose rope_type is " + ", ".join(SCALINGS))
    kind = SCALINGS[scaling.choice(*(key for key in ("rope_type", "type") if key in scaling.values), options=SCALINGS)]
    if kind is None:
        return None, None, None
    factor = scaling.number("factor")
    if factor is None and kind != "longrope":
        raise scaling.error("factor", None, "a number above 0")
    return kind, factor, _sharpening(scaling, model) if kind == "yarn" else None


def _sharpening(scaling: Config, model: Model) -> Fraction | None:
    """YaRN's c in (c ln factor + 1)^2, by which scores are multiplied; None where the configuration says otherwise."""
    tenth = Fraction(1, 10)
    if scaling.values.get("attention_factor") is not None:
        return None
    everywhere, part = scaling.values.get("mscale_all_dim"), scaling.values.get("mscale")
    if not everywhere and not part:
        return tenth
    # Of latent attention one factor scales all scores, and the ratio of the two what is rotated: 1 in every release.
    return tenth * (scaling.number("mscale") or 0) if everywhere == part and model.attention[0].latent else None
