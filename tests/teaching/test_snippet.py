"""Tests of snippet.py: it runs, prints what the page shows, and counts what the package counts."""

import re
import subprocess
import sys

import numpy as np
import pytest

import anatomy
from anatomy.teaching import snippet

MODEL = anatomy.load("gpt2")


def namespace() -> dict[str, object]:
    """What the snippet leaves behind after a run."""
    made: dict[str, object] = {}
    exec(compile(snippet.SOURCE, "<snippet>", "exec"), made)
    return made


@pytest.mark.parametrize("program", [snippet.SOURCE, snippet.PLAIN], ids=["with NumPy", "without"])
def test_it_prints_exactly_the_shown_output(program: str) -> None:
    done = subprocess.run([sys.executable, "-I", "-"], input=program, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (snippet.OUTPUT, "")


def test_the_shown_output_is_the_four_lines_of_the_design() -> None:
    assert snippet.OUTPUT.splitlines() == [
        "one block: 7,087,872",
        "total: 124,439,808",
        "MLP share of a block: 67%",
        "12 L d^2 shortcut: 84,934,656",
    ]


def test_its_block_holds_the_tensors_of_the_checkpoint_in_name_and_shape() -> None:
    trained = [tensor for tensor in MODEL.tensors() if tensor.block == 0 and tensor.parameters]
    assert namespace()["block"] == {tensor.name.removeprefix("h.0."): tensor.shape for tensor in trained}


def test_what_it_counts_outside_the_blocks_is_what_the_checkpoint_has_there() -> None:
    outside = [tensor.shape for tensor in MODEL.tensors() if tensor.block is None and tensor.parameters]
    assert namespace()["outside"] == outside


def test_it_counts_in_64_bits_where_numpys_default_is_32() -> None:
    sizes = namespace()["sizes"]
    assert isinstance(sizes, dict)
    assert sizes
    assert all(isinstance(size, np.int64) for size in sizes.values())


def test_it_is_read_whole_without_scrolling() -> None:
    lines = snippet.SOURCE.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 85


def test_where_there_is_no_numpy_the_program_does_without() -> None:
    assert "np" not in re.findall(r"\w+", snippet.PLAIN)
    assert len(snippet.PLAIN.splitlines()) == len(snippet.SOURCE.splitlines())
