"""The linters as tests: one command checks everything, and their output is the failure's message."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CHECKED = ("anatomy", "benchmarks", "build.py", "site", "tests")


@pytest.mark.parametrize("command", [["ruff", "check", *CHECKED], ["mypy"]], ids=["ruff", "mypy"])
def test_the_linter_has_nothing_to_say(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)} says:\n{done.stdout}{done.stderr}"
