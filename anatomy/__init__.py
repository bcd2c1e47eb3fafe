"""The anatomy of transformers: exact parameter counts, tensor shapes, FLOPs and KV cache from published configurations.

>>> import anatomy
>>> anatomy.load("gpt2").parameters
124439808
"""

from anatomy.catalog import LoadedModel, entries, load, parse
from anatomy.config import AnatomyError, ConfigError, SequenceLengthError
from anatomy.report import Anatomy, describe

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
