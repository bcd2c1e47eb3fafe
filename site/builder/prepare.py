"""Runs in the Python that the snapshot is taken of: imports, compiles and renders once what the page will want."""

import ast
import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import linecache
import marshal
import pkgutil
import re
import sys
import zipimport
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import cache
from types import CodeType, FunctionType, ModuleType

import anatomy
from builder.resident import Compiled, Remainder

# Not for the page: what only a command line imports.
_ELSEWHERE = ("anatomy.__main__", "anatomy.cli", "anatomy.commands")
# Caches that hold the whole catalogue: its entries, since the page has no files, and figures, but no model.
_LASTING = ("_entry", "_files", "entries", "_sizes")
# Imported for this build alone.
_DONE = ("builder.prepare", "ast", "zipfile", "zipfile._path", "zipfile._path.glob", "pkgutil")
# Imported by asyncio, for sockets and processes, which no browser has. Code that asks for them gets them anew.
_USELESS = ("ssl", "_ssl", "subprocess", "asyncio.sslproto", "asyncio.subprocess", "asyncio.base_subprocess")
# Of a code's flags, from Python 3.13 on: its first constant is its docstring.
_DOCUMENTED = 0x4000000
# Of a class's flags: made while Python ran, and not immutable.
_CHANGEABLE, _IMMUTABLE = 1 << 9, 1 << 8


def prepare(sources: Mapping[str, str]) -> None:
    """Fill memory with what the page needs; `sources` are the modules, by path, that only a page can run."""
    importlib.import_module("anatomy.families")
    needed = set(sys.modules)  # by every model, whatever its family
    code: dict[str, tuple[bytes, bool]] = {}
    for path, source in sources.items():
        tree = ast.parse(source)
        for name in _imported(ast.walk(tree)):
            if name.partition(".")[0] in sys.stdlib_module_names:
                importlib.import_module(name)
        for name in _imported(tree.body):  # not what is imported once it is asked for
            if name.startswith("anatomy."):
                importlib.import_module(name)
        name = path.removesuffix(".py").replace("/", ".")
        package = name.endswith(".__init__")
        compiled = lean(compile(tree, path, "exec", dont_inherit=True))
        code[name.removesuffix(".__init__")] = marshal.dumps(compiled), package
    shown()
    forget(needed)
    shown()
    # What the first page does without (other families, what reads a checkpoint) waits as code, a third of its size run.
    for module in pkgutil.walk_packages(anatomy.__path__, "anatomy."):
        if module.name not in sys.modules and not module.name.startswith(_ELSEWHERE):
            found = importlib.util.find_spec(module.name)
            assert found
            assert isinstance(found.loader, importlib.abc.InspectLoader)
            waiting = found.loader.get_code(module.name)
            assert waiting
            code[module.name] = marshal.dumps(lean(waiting)), module.ispkg
    at = sys.meta_path.index(importlib.machinery.PathFinder)
    sys.meta_path[at : at + 1] = [Compiled(code), sys.meta_path[at], Remainder()]


def forget(needed: Container[str]) -> None:
    """Let go of all models and of what families are not `needed`: the page names the sizes of all and shows one."""
    for name in [name for name in sys.modules if name.startswith("anatomy.families.") and name not in needed]:
        delattr(sys.modules["anatomy.families"], name.rpartition(".")[2])
        del sys.modules[name]
    for name, module in list(sys.modules.items()):
        if name.startswith("anatomy."):
            for each in vars(module).values():
                if hasattr(each, "cache_clear") and getattr(each, "__name__", "") not in _LASTING:
                    each.cache_clear()


def shown() -> dict[str, str]:
    """The page's regions in the default state: rendering them fills the caches that the first view needs."""
    from anatomy.views.page import regions
    from anatomy.visit.state import State

    return dict(regions(State()))


def tidy() -> None:
    """Let go of what only this build needed, and of paths that the page has no files at."""
    for each in gc.get_objects():
        if isinstance(each, FunctionType):
            each.__code__, each.__doc__ = lean(each.__code__), None
            each.__annotations__ = None  # type: ignore[assignment]
        elif isinstance(each, ModuleType) or (isinstance(each, type) and _changeable(each)):
            each.__doc__ = None
    for name in _DONE:
        sys.modules.pop(name, None)
    gone = [sys.modules.pop(name) for name in _USELESS]
    for module in [each for each in gc.get_objects() if isinstance(each, ModuleType)]:
        for name, value in list(vars(module).items()):
            if any(value is each for each in gone):
                vars(module)[name] = None
    gone.clear()
    # Its buffer, made when Python started, is full of what lay there before.
    sys.stdin = open(0, buffering=1024, closefd=False)  # noqa: SIM115 (stays open)
    sys.__stdin__ = sys.stdin  # type: ignore[misc]
    linecache.clearcache()
    re.purge()
    # The page starts with an empty archive in this one's place, and must not look for its files there.
    sys.path_importer_cache.clear()
    zipimport._zip_directory_cache.clear()  # type: ignore[attr-defined]
    for _ in range(3):
        gc.collect()


def _changeable(kind: type) -> bool:
    return kind.__flags__ & (_CHANGEABLE | _IMMUTABLE) == _CHANGEABLE


@cache
def _nowhere(length: int) -> bytes:
    """A location table: each of its bytes says of eight code units, of two bytes each, that they are of no line."""
    return b"\xff" * length


def lean(code: CodeType) -> CodeType:
    """The same code without its lines and its docstring, for tracebacks and help alone: a tenth of the snapshot.

    What a reader types in the page's cell is compiled there, with both.
    """
    constants = tuple(lean(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    if code.co_flags & _DOCUMENTED:
        constants = (None, *constants[1:])
    return code.replace(co_linetable=_nowhere(len(code.co_code) // 16 + 1), co_consts=constants)


def _imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
