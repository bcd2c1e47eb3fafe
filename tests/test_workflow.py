"""Tests of what runs the tests elsewhere: the workflow's pins, and that a run which lost tests fails."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_every_action_is_pinned_by_a_commit_and_says_its_release() -> None:
    for workflow, many in (("pages", 5), ("nightly", 2)):
        used = re.findall(r"uses: *(.+)", (ROOT / f".github/workflows/{workflow}.yml").read_text("utf-8"))
        assert len(used) >= many
        for action in used:
            assert re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action), action


def test_every_night_mutants_are_tried_within_a_time() -> None:
    workflow = (ROOT / ".github/workflows/nightly.yml").read_text("utf-8")
    assert re.search(r'schedule:\n +- cron: "\d+ \d+ \* \* \*"', workflow)
    assert "timeout-minutes: 130" in workflow
    assert "run: python benchmarks/mutants.py --jobs 4 --least 95 --show" in workflow


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize(("wanted", "status"), [(3, 0), (4, 1)])
def test_a_run_of_fewer_tests_than_wanted_fails(wanted: int, status: int, workers: int) -> None:
    command = [sys.executable, "-m", "pytest", "-q", f"-n{workers}", f"--at-least={wanted}"]
    done = subprocess.run(
        [*command, "tests/builder/test_names.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout
    assert ("3 tests have passed; at least 4 are wanted." in done.stdout) is bool(status)


def test_what_runs_the_tests_elsewhere_wants_most_of_them() -> None:
    assert "--at-least=$(cat .ci/tests)" in (ROOT / ".ci/run").read_text("utf-8")
    assert int((ROOT / ".ci/tests").read_text("utf-8")) >= 8000
