"""Which model a checkpoint is checked against where none was named: the config.json beside it, else the best fit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from anatomy import catalog
from anatomy.catalog import LoadedModel
from anatomy.checkpoint.files import SUFFIX, Checkpoint
from anatomy.checkpoint.headers import CheckpointError
from anatomy.checkpoint.matching import DIFFERENCES, check
from anatomy.checkpoint.names import split, template
from anatomy.model.rows import Row
from anatomy.reading.refusals import AmbiguousError

Shape = tuple[int, ...] | None


@dataclass(frozen=True, eq=False)
class Fit:
    """A model, how many of the checkpoint's tensors are its own, and the catalogue's models that fit as well."""

    model: LoadedModel
    matching: int
    tensors: int
    also: tuple[str, ...] = ()

    @property
    def likely(self) -> bool:
        """Whether at least half of the tensors are the model's."""
        return 2 * self.matching >= self.tensors


def beside(path: Path) -> LoadedModel | None:
    """The model of the ``config.json`` in the checkpoint's folder; None where there is none.

    Raises ``ConfigError`` where the file is there and cannot be read.
    """
    config = (path if path.is_dir() else path.parent) / "config.json"
    return catalog.load(config) if config.is_file() else None


def best(checkpoint: Checkpoint) -> Fit:
    """The catalogue's model that shares most tensors with the checkpoint, by name and shape.

    The cost grows with the number of *kinds* of tensors: names with their numbers taken out, once per shape.

    >>> from anatomy.checkpoint.files import assemble
    >>> from anatomy.checkpoint.headers import Shard, Stored
    >>> table = Stored("transformer.wte.weight", (50257, 768), "F32", "model.safetensors")
    >>> best(assemble([Shard("model.safetensors", (table,), {})])).model.name
    'GPT-2 small'
    """
    stored: Counter[tuple[str, Shape]] = Counter()
    for one in checkpoint.tensors.values():
        stored[template(split(one.name)[1])[0], one.shape] += 1
    scores: dict[str, tuple[int, int]] = {}
    for slug in catalog.entries():
        model = catalog.load(slug)
        rows: Counter[tuple[str, Shape]] = Counter()
        for row in model.rows:
            if not row.tied_to:
                rows[_key(row, checkpoint.names_only)] += row.tensors
        shared = sum(min(number, stored[key]) for key, number in rows.items())
        scores[slug] = (shared, -sum(rows.values()))
    slug = max(scores, key=lambda one: scores[one])
    also = tuple(catalog.load(one).name for one in scores if one != slug and scores[one] == scores[slug])
    return Fit(catalog.load(slug), scores[slug][0], len(checkpoint.tensors), also)


def _key(row: Row, names_only: bool) -> tuple[str, Shape]:
    return template(split(row.name)[1], of_row=True)[0], None if names_only else row.shape


def settled(error: AmbiguousError, checkpoint: Checkpoint) -> tuple[LoadedModel, str]:
    """Of the readings that a configuration leaves open, the first that differs least from the checkpoint, in words."""
    read = [(catalog.load(values), words) for words, values in error.readings.items()]
    return min(read, key=lambda one: sum(check(one[0], checkpoint).counts[status] for status in DIFFERENCES))


def choose(path: Path, checkpoint: Checkpoint) -> tuple[LoadedModel, str]:
    """The model to check against where none was named, and a sentence that says why this one.

    Raises ``ConfigError`` for a broken config.json, ``CheckpointError`` where nothing fits.
    """
    files = "files" if path.is_dir() else "file"
    try:
        model = beside(path)
    except AmbiguousError as error:
        model, words = settled(error, checkpoint)
        folder = (path if path.is_dir() else path.parent).name
        named = replace(model, name=folder) if folder else model
        return named, f"Checked against the config.json beside the {files}, which leaves one thing open: here {words}."
    if model is not None:
        return model, f"Checked against the config.json beside the {files}."
    fit = best(checkpoint)
    if not fit.likely:
        found = (
            f"no model was named, no config.json lies beside it, and no model of the catalogue fits "
            f"(nearest: {fit.model.name}, with {fit.matching:,} of {fit.tensors:,} tensors)"
        )
        raise CheckpointError(checkpoint.name, found, f"anatomy check MODEL {path.name or 'model' + SUFFIX}")
    also = f" (its tensors are also those of {', '.join(fit.also)})" if fit.also else ""
    return fit.model, f"Checked against the catalogue's best fit, {fit.model.name}{also}."
