"""Tests of pyproject.toml: the wheel that it makes, and that it works without the checkout."""

import doctest
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import anatomy.model.rows

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, made in a copy of the sources so that nothing is left in the checkout."""
    copy = tmp_path_factory.mktemp("sources")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    for name in ("anatomy", "model_configs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    out = tmp_path_factory.mktemp("wheel")
    command = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", command, str(out)], cwd=copy, check=True, capture_output=True)
    (made,) = out.glob("transformer_anatomy-*-py3-none-any.whl")
    return made


def test_the_wheel_holds_every_module_and_configuration(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / "anatomy").rglob("*.py")}
    configurations = {f"anatomy/model_configs/{path.name}" for path in (ROOT / "model_configs").glob("*.json")}
    assert packed == modules | configurations | {"anatomy/py.typed"}


def test_the_wheel_works_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "anatomy", "list"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "gpt2" in done.stdout


def test_the_package_needs_nothing_else() -> None:
    assert PROJECT["project"]["dependencies"] == []


def test_doctests_of_the_package_and_of_the_build_are_tests(request: pytest.FixtureRequest) -> None:
    assert request.config.getoption("doctestmodules")
    assert {"anatomy", "site/builder"} <= set(request.config.getini("testpaths"))
    examples = [test.examples for test in doctest.DocTestFinder().find(anatomy.model.rows) if test.examples]
    assert examples
