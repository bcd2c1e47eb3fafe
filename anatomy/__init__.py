"""The anatomy of transformers: exact parameter counts, tensor shapes, FLOPs and KV cache from published configurations.

>>> import anatomy
>>> anatomy.load("gpt2").parameters
124439808
"""

from importlib import import_module

TYPE_CHECKING = False  # typing's own, without the time to import it
if TYPE_CHECKING:
    from anatomy.catalog import (
        LoadedModel,
        entries,
        load,
        parse,
    )
    from anatomy.reading.refusals import AnatomyError, ConfigError, SequenceLengthError
    from anatomy.report.anatomy import Anatomy, describe

__version__ = "1.0.0"
__all__ = [
    "Anatomy",
    "AnatomyError",
    "ConfigError",
    "LoadedModel",
    "SequenceLengthError",
    "__version__",
    "describe",
    "entries",
    "load",
    "parse",
]
# Where each is, to be imported when it is first asked for: the command line says what it takes without any of them.
_HOMES = {
    "catalog": ("LoadedModel", "entries", "load", "parse"),
    "reading.refusals": ("AnatomyError", "ConfigError", "SequenceLengthError"),
    "report.anatomy": ("Anatomy", "describe"),
}


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            globals()[name] = found = getattr(import_module(f"anatomy.{home}"), name)
            return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
