"""Docstrings of public functions: what is raised is named, so that a caller knows what to catch."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
# What functions make, as in ``raise config.error(...)``: their names begin with a small letter.
MADE = "ConfigError"


def functions(body: list[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """The public functions of a module and the public methods of its public classes."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            if isinstance(node, ast.FunctionDef):
                yield node
            else:
                yield from functions(node.body)


def raised(node: ast.AST) -> Iterator[str]:
    """What a function raises itself, not what functions inside it do; a bare ``raise`` passes on what it was given."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Raise) and child.exc:
            made = child.exc.func if isinstance(child.exc, ast.Call) else child.exc
            yield MADE if ast.unparse(made).rsplit(".", 1)[-1][0].islower() else ast.unparse(made)
        yield from raised(child)


def test_public_functions_name_what_they_raise() -> None:
    silent, seen = [], 0
    for path in sorted((ROOT / "anatomy").rglob("*.py")):
        for function in functions(ast.parse(path.read_text("utf-8")).body):
            said = re.search(r"[Rr]aise.*", ast.get_docstring(function) or "", re.DOTALL)
            for name in dict.fromkeys(raised(function)):
                seen += 1
                if said is None or f"``{name}``" not in said[0]:
                    silent.append(f"{path.relative_to(ROOT)}:{function.lineno} {function.name} raises {name}")
    assert seen > 20
    assert not silent
