"""The configuration of a catalogue model with a few keys changed, and what its rows then hold."""

from typing import Any

import anatomy


def like(slug: str, *without: str, **others: Any) -> dict[str, Any]:
    """The configuration of a catalogue model, with other values, without some keys."""
    values = {**anatomy.entries()[slug].config, **others}
    return {key: value for key, value in values.items() if key not in without}


def inside(slug: str, key: str, *without: str, **others: Any) -> dict[str, Any]:
    """The same for a configuration inside the configuration, such as ``text_config``."""
    values = dict(anatomy.entries()[slug].config)
    return {**values, key: {one: of for one, of in {**values[key], **others}.items() if one not in without}}


def text(slug: str, *without: str, **others: Any) -> dict[str, Any]:
    """The text part of a multimodal configuration as a configuration of its own."""
    return dict(inside(slug, "text_config", *without, **others)["text_config"])


def shapes(model: anatomy.LoadedModel | dict[str, Any] | str) -> dict[str, tuple[int, ...]]:
    """The stored shape of every kind of tensor, by its name."""
    loaded = model if isinstance(model, anatomy.LoadedModel) else anatomy.load(model)
    return {row.name: row.shape for row in loaded.rows}
