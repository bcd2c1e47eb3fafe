"""The visitor's own configuration: kept as the text that it came as, read into a model whenever it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from anatomy import catalog
from anatomy.catalog import LoadedModel
from anatomy.report.anatomy import default_seq_len, describe

# The value that stands for it in the picker and in the hash.
OWN_SLUG = "own"
OWN_NAME = catalog.UNNAMED


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


def read_own(text: str, source: str = "config.json") -> Own:
    """A visitor's configuration, once it is certain that it can be shown.

    >>> import json
    >>> read_own(json.dumps(dict(catalog.entries()["gpt2"].config))).model.parameters
    124439808

    Raises ``ConfigError``.
    """
    own = Own(text, source)
    describe(own.model, default_seq_len(own.model))
    return own
