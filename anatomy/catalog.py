"""The catalogue: released models by slug, and the one door through which any configuration becomes a model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from anatomy.counts import memory
from anatomy.counts.flops import Flops, forward
from anatomy.families import build
from anatomy.model.rows import Model
from anatomy.model.switches import FULL
from anatomy.reading.config import MAX_BYTES
from anatomy.reading.config import parse as parse_config
from anatomy.reading.refusals import AnatomyError, ConfigError, shown

DEFAULT_MODEL = "gpt2"
# One of each kind, for whoever does not know what to look for.
START_HERE = (
    "gpt2",
    "llama-3-8b",
    "mixtral-8x7b",
    "deepseek-v3",
    "gemma-3-27b",
    "bert-base-uncased",
    "t5-small",
    "vit-base",
)
# What a configuration that nobody named is called.
UNNAMED = "Your model"
# Beside the package in a checkout and in the site's archive, inside it in a wheel.
_PACKAGE = Path(__file__).parent
_FOLDERS = (_PACKAGE.parent / "model_configs", _PACKAGE / "model_configs")


@dataclass(frozen=True, slots=True)
class Entry:
    """A released model: its names, who released it when and where, its configuration and its published total."""

    slug: str
    name: str
    maker: str
    released: str
    repository: str | None
    released_total: int | None
    config: Mapping[str, Any]
    source: str
    note: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class LoadedModel(Model):
    """A model with its catalogue entry (None for a visitor's own configuration) and the figures that need a T."""

    name: str
    entry: Entry | None = None

    @property
    def slug(self) -> str | None:
        """The catalogue's slug, None for a visitor's own configuration."""
        return self.entry.slug if self.entry else None

    @property
    def called(self) -> str:
        """Its name inside a sentence: a visitor's own configuration has no proper name.

        >>> load("gpt2").called
        'GPT-2 small'
        """
        return "your model" if self.entry is None and self.name == UNNAMED else self.name

    def flops(self, seq_len: int, square: str = FULL) -> Flops:
        """Forward FLOPs of one pass over ``seq_len`` tokens; ``square`` is ``full``, ``windows`` or ``causal``.

        >>> load("gpt2").flops(seq_len=8).per_token
        247358976
        """
        return forward(self, seq_len, square)

    def kv_cache_bytes(self, seq_len: int, batch: int = 1, dtype: str = "bf16") -> int | None:
        """Bytes of the KV cache after ``seq_len`` tokens, None where the model keeps none.

        >>> load("llama-3-70b").kv_cache_bytes(seq_len=1)
        327680
        """
        return memory.kv_cache_bytes(self, seq_len, batch, dtype)


def _folder() -> Path:
    for folder in _FOLDERS:
        if (folder / f"{DEFAULT_MODEL}.json").is_file():
            return folder
    raise AnatomyError(f"model_configs not found; looked in {' and '.join(str(folder) for folder in _FOLDERS)}")


@lru_cache(maxsize=1)
def _files() -> Mapping[str, Path]:
    return {path.stem: path for path in sorted(_folder().glob("*.json"))}


@lru_cache(maxsize=512)
def _entry(slug: str) -> Entry:
    return Entry(**json.loads(_files()[slug].read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def entries() -> Mapping[str, Entry]:
    """All entries by slug: makers in alphabetical order, each maker's newest series first, a series by size.

    >>> entries()["gpt2"].released_total
    124439808
    """
    found = [_entry(slug) for slug in _files()]
    newest: dict[str, str] = {}
    for entry in found:
        series = _named(entry)[0]
        newest[series] = max(entry.released, newest.get(series, ""))
    found.sort(key=lambda entry: (*_named(entry), entry.released_total or 0, entry.slug))
    found.sort(key=lambda entry: newest[_named(entry)[0]], reverse=True)
    found.sort(key=lambda entry: entry.maker.casefold())
    return {entry.slug: entry for entry in found}


# What names say of size where they give no number; a name that says nothing is its series' largest.
_WORDS = ("tiny", "mini", "small", "base", "lite", "air", "medium", "large", "xl")
_NUMBER = re.compile(r"(?:(\d+)x)?(\d+(?:\.\d+)?)([MB])")


def _named(entry: Entry) -> tuple[str, float]:
    """The series that a model's name tells, and how large it says that the model is in it: no model need be counted."""
    series: list[str] = []
    for word in entry.name.split():
        if number := _NUMBER.fullmatch(word):
            times, size, unit = number.groups()
            return " ".join(series), int(times or 1) * float(size) * {"M": 1, "B": 1000}[unit]
        if word.casefold().strip(",") in _WORDS:
            return " ".join(series), _WORDS.index(word.casefold().strip(","))
        series.append(word)
    return " ".join(series), math.inf


@lru_cache(maxsize=256)
def _catalogued(slug: str) -> LoadedModel:
    # Only the entry that is asked for is read: the command line shows one model.
    entry = _entry(slug)
    return _loaded(entry.config, slug, entry.name, entry)


def _loaded(values: Mapping[str, Any], source: str, name: str, entry: Entry | None) -> LoadedModel:
    model = build(values, source)
    fields = {field: getattr(model, field) for field in Model.__dataclass_fields__}
    return LoadedModel(**fields, name=name, entry=entry)


def parse(text: str, source: str = "config.json", name: str = UNNAMED) -> LoadedModel:
    """The model of a ``config.json``'s text; raises ``ConfigError``.

    >>> parse(json.dumps(dict(entries()["gpt2"].config))).parameters
    124439808
    """
    return _loaded(parse_config(text, source), source, name, None)


def _nearest(model: str | Path) -> str:
    import difflib  # slow to import, and only a mistake needs it

    slugs = list(entries())
    near = difflib.get_close_matches(str(model)[:40].lower(), slugs, n=5, cutoff=0.3) or slugs[:5]
    return f"{', '.join(near)} and {len(slugs) - len(near)} more"


def load(model: str | Path | Mapping[str, Any]) -> LoadedModel:
    """The model of a catalogue slug, of a path to a ``config.json``, or of a dict of its values.

    >>> load("gpt2").parameters
    124439808

    Raises ``ConfigError``, or ``AnatomyError`` where there is no such slug or file.
    """
    if isinstance(model, Mapping):
        return _loaded(model, "config", UNNAMED, None)
    if isinstance(model, str) and model in _files():
        return _catalogued(model)
    path = Path(model)
    try:
        if not path.is_file():
            raise AnatomyError(
                f"model {shown(str(model))} is neither in the catalogue nor a file; known: {_nearest(model)}"
            )
        if path.stat().st_size > MAX_BYTES:
            raise ConfigError(str(path), None, f"the file holds over {MAX_BYTES:,} bytes", "a config.json")
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ConfigError(str(path), None, "the file holds bytes that are no UTF-8", "a config.json in UTF-8") from None
    except AnatomyError:
        raise
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        accepted = "a slug of the catalogue or the path of a config.json"
        raise AnatomyError(f"model {shown(str(model))} cannot be read: {why}; accepted: {accepted}") from None
    return parse(text, str(path), path.parent.name or path.name)
