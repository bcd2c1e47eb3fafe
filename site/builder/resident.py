"""Lives in the snapshot: modules that are compiled but not yet run, and the rest of the standard library, on demand."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import marshal
import random
import sys
import time
from collections.abc import Mapping, Sequence
from types import ModuleType

_Spec = importlib.machinery.ModuleSpec


class Compiled(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules whose code is at hand: what only a page can run, and what its first view does without."""

    def __init__(self, code: Mapping[str, tuple[bytes, bool]]) -> None:
        self.code = code

    def find_spec(self, name: str, _path: Sequence[str] | None = None, _target: object = None, /) -> _Spec | None:
        """The module, if it is one of these."""
        if name not in self.code:
            return None
        return importlib.util.spec_from_loader(name, self, is_package=self.code[name][1])

    def exec_module(self, module: ModuleType) -> None:
        """Run its code."""
        exec(marshal.loads(self.code[module.__name__][0]), module.__dict__)


class Remainder(importlib.abc.MetaPathFinder):
    """Brings the standard library's archive when a module is wanted that the snapshot has not imported.

    The page starts without the archive. It registers a JavaScript module `_standard_library`, whose `bring` puts the
    archive where Python looks for it.
    """

    def find_spec(self, name: str, path: Sequence[str] | None = None, _target: object = None, /) -> _Spec | None:
        """The module out of the archive, which is brought once."""
        if name.partition(".")[0] not in sys.stdlib_module_names:
            return None
        try:
            page = importlib.import_module("_standard_library")
        except ModuleNotFoundError:  # not in a page: this is the build's own check
            return None
        sys.meta_path.remove(self)
        page.bring()
        importlib.invalidate_caches()
        return importlib.machinery.PathFinder.find_spec(name, path)


def wake() -> None:
    """After restoring: chance differs from visitor to visitor, and the clock is the visitor's."""
    random.seed()
    if hasattr(time, "tzset"):
        time.tzset()
