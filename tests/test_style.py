"""The linters as tests: one command checks everything, and their output is the failure's message."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CHECKED = ("anatomy", "benchmarks", "build.py", "site", "tests")
LINTERS = (["ruff", "check", *CHECKED], ["ruff", "format", "--check", *CHECKED], ["mypy"])


@pytest.mark.parametrize("command", LINTERS, ids=["ruff", "format", "mypy"])
def test_the_linter_has_nothing_to_say(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)} says:\n{done.stdout}{done.stderr}"


def test_the_hooks_before_a_commit_run_the_same_and_fetch_nothing() -> None:
    hooks = (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    entries = re.findall(r"entry: python -m (.+)", hooks)
    assert [entry.split() for entry in entries] == list(LINTERS)
    assert re.findall(r"repo: (.+)", hooks) == ["local"]
    assert re.findall(r"language: (.+)", hooks) == ["system"] * len(LINTERS)
