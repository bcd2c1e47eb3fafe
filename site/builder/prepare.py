"""Runs in the Python that the snapshot is taken of: imports, compiles and renders once what the page will want."""

import ast
import gc
import importlib
import importlib.machinery
import linecache
import pkgutil
import re
import sys
import zipimport
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType

import anatomy
from builder.resident import Compiled, Remainder

# Not for the page: what only a command line imports.
_ELSEWHERE = ("anatomy.__main__", "anatomy.cli", "anatomy.commands")


def prepare(sources: Mapping[str, str]) -> None:
    """Fill memory with what the page needs; `sources` are the modules, by path, that only a page can run."""
    code = {}
    for path, source in sources.items():
        tree = ast.parse(source)
        for name in _imported(tree):
            if name.partition(".")[0] in sys.stdlib_module_names:
                importlib.import_module(name)
        name = path.removesuffix(".py").replace("/", ".")
        package = name.endswith(".__init__")
        compiled = without_columns(compile(tree, path, "exec", dont_inherit=True))
        code[name.removesuffix(".__init__")] = compiled, package
    for module in pkgutil.walk_packages(anatomy.__path__, "anatomy."):
        if not module.name.startswith(_ELSEWHERE):
            importlib.import_module(module.name)
    shown()
    at = sys.meta_path.index(importlib.machinery.PathFinder)
    sys.meta_path[at : at + 1] = [Compiled(code), sys.meta_path[at], Remainder()]


def shown() -> dict[str, str]:
    """The page's regions in the default state: rendering them fills the caches that the first view needs."""
    from anatomy.views.page import regions
    from anatomy.visit.state import State

    return dict(regions(State()))


def tidy() -> None:
    """Let go of what only this build needed, and of paths that the page has no files at."""
    for each in gc.get_objects():
        if isinstance(each, FunctionType):
            each.__code__ = without_columns(each.__code__)
    for name in ("builder.prepare", "ast"):
        sys.modules.pop(name, None)
    linecache.clearcache()
    re.purge()
    # The page starts with an empty archive in this one's place, and must not look for its files there.
    sys.path_importer_cache.clear()
    zipimport._zip_directory_cache.clear()  # type: ignore[attr-defined]
    for _ in range(3):
        gc.collect()


def without_columns(code: CodeType) -> CodeType:
    """The same code knowing its lines but not its columns: a tenth of the snapshot is columns, for tracebacks only.

    What a reader types in the page's cell is compiled there, columns and all.
    """
    table = bytearray()
    before = code.co_firstlineno
    for start, end, line in code.co_lines():
        units = (end - start) // 2
        while units > 0:
            some = min(units, 8)  # an entry spans at most eight code units
            units -= some
            if line is None:
                table.append(_NO_LOCATION | some - 1)
            else:
                table.append(_LINE_ONLY | some - 1)
                table += _signed(line - before)
                before = line
    constants = tuple(without_columns(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_linetable=bytes(table), co_consts=constants)


# The first byte of an entry of a location table: high bit, then its kind, as CPython's InternalDocs/code_objects.md has
# them: 13 for a line without columns, 15 for no location.
_LINE_ONLY = 0x80 | 13 << 3
_NO_LOCATION = 0x80 | 15 << 3


def _signed(value: int) -> bytes:
    """A number in sixes of bits, lowest first, its sign in the lowest bit."""
    left = -value << 1 | 1 if value < 0 else value << 1
    sixes = bytearray()
    while left >= 64:
        sixes.append(64 | left & 63)
        left >>= 6
    sixes.append(left)
    return bytes(sixes)


def _imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
