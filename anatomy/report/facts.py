"""What the catalogue's models are told apart by: a line of figures for each, none of which needs a T."""

from __future__ import annotations

from dataclasses import dataclass

from anatomy import catalog
from anatomy.counts import memory
from anatomy.model.switches import DEFAULT
from anatomy.model.terms import Number, total

# The kinds of models that a reader may look for, in the order in which they are named.
KINDS = (
    "grouped-query",
    "multi-query",
    "latent",
    "experts",
    "windows",
    "encoder",
    "encoder-decoder",
    "images",
    "speech",
)


@dataclass(frozen=True, slots=True)
class Facts:
    """A model of the catalogue in a line; ``context`` is None where nothing limits T, ``cache`` where none is kept."""

    slug: str
    name: str
    maker: str
    year: int
    parameters: int
    active: int
    context: int | None
    cache: Number | None
    kinds: tuple[str, ...]


def facts(slug: str) -> Facts:
    """The line of a model of the catalogue; the KV cache is that of one token, in 16 bits.

    >>> line = facts("deepseek-v3")
    >>> line.active, line.cache, line.kinds
    (37552282624, 70272, ('latent', 'experts'))
    """
    model = catalog.load(slug)
    assert model.entry, "a slug of the catalogue has an entry"
    cache = memory.kv_per_token(model, DEFAULT.cache)
    return Facts(
        slug=slug,
        name=model.name,
        maker=model.entry.maker,
        year=int(model.entry.released[:4]),
        parameters=model.parameters,
        active=model.active_parameters,
        context=model.fixed_lengths.get("tokens") or model.context,
        cache=total(cache) if cache else None,
        kinds=_kinds(model),
    )


def _kinds(model: catalog.LoadedModel) -> tuple[str, ...]:
    met = {row.multiplies for row in model.rows}
    found = set()
    for record in model.attention:
        if record.latent is not None:
            found.add("latent")
        elif record.kv_heads < record.query_heads:
            found.add("multi-query" if record.kv_heads == 1 else "grouped-query")
        if record.window or record.chunk:
            found.add("windows")
    if model.traits.experts:
        found.add("experts")
    if model.several_stacks:
        found.add("encoder-decoder")
    elif model.attention and not any(record.causal for record in model.attention):
        found.add("encoder")
    if "patches" in met:
        found.add("images")
    if "frames" in met:
        found.add("speech")
    return tuple(kind for kind in KINDS if kind in found)
