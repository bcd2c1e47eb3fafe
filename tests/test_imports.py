"""Imports point one way, and only the page's own module touches the browser."""

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# The house from the ground up: each folder may import from its own floor and from those below it.
FLOORS = (
    ("model", "reading"),
    ("words",),
    ("families",),
    ("counts",),
    ("catalog", "checkpoint"),
    ("report",),
    ("teaching",),
    ("visit",),
    ("views", "commands"),
    ("cli",),
)
# Who may make rows, and who may fold them: whoever shows a figure reads it in the report, which alone has it counted.
DOORS = {
    "families": ("families", "catalog"),
    "counts": ("counts", "catalog", "report"),
}
# What computes figures: whole numbers and fractions only.
ARITHMETIC = ("model", "families", "counts")
FLOOR = {name: at for at, names in enumerate(FLOORS) for name in names}
STANDARD_ONLY = sorted((ROOT / "anatomy").rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Top-level names of absolute imports, with ``anatomy.x`` kept to two steps."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path.name} imports relatively"
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return found


def module_of(path: Path) -> str:
    relative = path.relative_to(ROOT / "anatomy")
    return relative.parts[0].removesuffix(".py")


@pytest.mark.parametrize("path", STANDARD_ONLY, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    mine = module_of(path)
    if mine in ("__init__", "__main__"):
        return
    for name in imported(path):
        steps = name.split(".")
        if steps[0] == "anatomy" and len(steps) > 1 and steps[1] in FLOOR:
            assert FLOOR[steps[1]] <= FLOOR[mine], f"{mine} imports {name}, which stands above it"


@pytest.mark.parametrize("path", STANDARD_ONLY, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_above_the_report_counts_or_makes_rows(path: Path) -> None:
    mine = module_of(path)
    for name in imported(path):
        for room, doors in DOORS.items():
            if name.startswith(f"anatomy.{room}"):
                assert mine in doors, f"{path.name} imports {name}"


def test_no_module_imports_itself_by_way_of_others() -> None:
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in STANDARD_ONLY}
    graph = {name: imported(path) & modules.keys() for name, path in modules.items()}
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("path", STANDARD_ONLY, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_package_imports_the_standard_library_only(path: Path) -> None:
    import sys

    for name in imported(path):
        top = name.split(".")[0]
        assert top == "anatomy" or top in sys.stdlib_module_names, f"{path.name} imports {name}"


def test_every_folder_and_loose_module_has_a_floor() -> None:
    assert {module_of(path) for path in STANDARD_ONLY} - {"__init__", "__main__"} == set(FLOOR)


@pytest.mark.parametrize("name", ARITHMETIC)
def test_the_arithmetic_divides_by_no_slash_and_knows_no_float(name: str) -> None:
    paths = [path for path in STANDARD_ONLY if module_of(path) == name]
    assert paths
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)), f"{path.name}:{node.lineno}"
            assert not (isinstance(node, ast.Name) and node.id == "float"), f"{path.name}:{node.lineno}"
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path.name


def test_public_functions_have_docstrings_and_the_package_has_doctests() -> None:
    import doctest

    import anatomy

    assert anatomy.__doc__
    examples = 0
    for path in STANDARD_ONLY:
        parser = doctest.DocTestParser()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                examples += len(parser.get_examples(ast.get_docstring(node) or ""))
    assert examples >= 60
