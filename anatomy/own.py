"""The visitor's own configuration: kept as the text that it came as, read into a model whenever it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from anatomy import catalog
from anatomy.catalog import LoadedModel
from anatomy.report import default_seq_len, describe

# The value that stands for it in the picker and in the hash.
SLUG = "own"
NAME = catalog.UNNAMED


@dataclass(frozen=True, slots=True)
class Own:
    """A configuration that could be read; ``source`` is the name of the file that it came from, for errors."""

    text: str
    source: str = "config.json"

    @property
    def model(self) -> LoadedModel:
        """The model that the configuration describes."""
        return _read(self.text, self.source)


@lru_cache(maxsize=8)
def _read(text: str, source: str) -> LoadedModel:
    return catalog.parse(text, source)


def inside(model: LoadedModel) -> str:
    """A model's name inside a sentence: the visitor's own is no proper name.

    >>> inside(catalog.load("gpt2"))
    'GPT-2 small'
    """
    return "your model" if model.entry is None and model.name == NAME else model.name


def read(text: str, source: str = "config.json") -> Own:
    """A visitor's configuration, once it is certain that it can be shown.

    >>> import json
    >>> read(json.dumps(dict(catalog.entries()["gpt2"].config))).model.parameters
    124439808

    Raises ``ConfigError``.
    """
    own = Own(text, source)
    describe(own.model, default_seq_len(own.model))
    return own
