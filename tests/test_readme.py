"""The texts at the top keep their word: what they link and name is there, and the README's Python session runs."""

import doctest
import re
from pathlib import Path

import pytest

import anatomy

ROOT = Path(__file__).parent.parent
README, CONTRIBUTING, CHANGELOG, CITATION = (
    ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff")
)
# Where a text may leave out the way to a module: the package, the folder that its sentence speaks of, the tests.
FOLDERS = [
    ROOT,
    *(ROOT / name for name in ["anatomy", "anatomy/model", "anatomy/words", "anatomy/counts", "site", "tests"]),
]


def test_its_python_session_prints_what_it_says() -> None:
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted >= 5
    assert results.failed == 0


@pytest.mark.parametrize("text", [README, CONTRIBUTING, CHANGELOG], ids=lambda path: path.name)
def test_its_pictures_and_links_exist(text: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", text.read_text("utf-8"))
    assert targets or text == CHANGELOG  # it may have none
    for target in targets:
        assert (ROOT / target).exists(), target


@pytest.mark.parametrize("text", [README, CONTRIBUTING], ids=lambda path: path.name)
def test_the_modules_and_folders_that_it_names_exist(text: Path) -> None:
    named = set(re.findall(r"`(?:python3? )?([\w./-]+(?:\.py|\.toml|/))`", text.read_text("utf-8")))
    assert len(named) > 15
    built = {"dist/"}
    assert not [name for name in sorted(named - built) if not any((folder / name).exists() for folder in FOLDERS)]


def test_the_readme_names_every_folder_of_the_package() -> None:
    folders = {path.parent.name for path in (ROOT / "anatomy").glob("*/__init__.py")}
    assert folders <= set(re.findall(r"`anatomy/(\w+)/`", README.read_text("utf-8")))


def test_its_first_screen_says_what_it_is_with_two_commands_and_five_lines_of_python() -> None:
    screen = README.read_text("utf-8").partition("## ")[0]
    assert len(screen.splitlines()) <= 45
    commands = [line for block in re.findall(r"```sh\n(.*?)```", screen, re.DOTALL) for line in block.splitlines()]
    assert len(commands) == 2
    assert screen.count(">>> ") == 5


def test_the_version_is_one() -> None:
    assert f"\nversion: {anatomy.__version__}\n" in CITATION.read_text("utf-8")
    assert f"## {anatomy.__version__}\n" in CHANGELOG.read_text("utf-8")
