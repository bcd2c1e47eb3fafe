"""The README keeps its word: its Python session runs, and its commands are there once."""

import doctest
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"


def test_its_python_session_prints_what_it_says() -> None:
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted >= 5
    assert results.failed == 0


def test_its_pictures_and_links_exist() -> None:
    import re

    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text("utf-8")):
        assert (README.parent / target).exists(), target
