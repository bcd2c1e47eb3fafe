"""Each figure is worked out once, whatever shows it; and what is kept of it stays bounded."""

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from anatomy import cli
from anatomy.catalog import load
from anatomy.counts import flops
from anatomy.model.switches import CHOICES
from anatomy.report.anatomy import default_seq_len, describe
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model, choose_option, choose_seq_len
from benchmarks import folds

# One of each kind; each pair of tests takes lengths of its own, so that nothing is found that another test left.
SLUGS = ("gpt2", "llama-3-70b", "mixtral-8x7b", "t5-base", "bert-base-uncased", "vit-base", "gemma-3-1b", "deepseek-v3")
PACKAGE = Path(__file__).parent.parent.parent / "anatomy"
Step = Callable[[State], State]


def names(found: Counter[folds.Fold]) -> Counter[str]:
    return Counter(name for name, _ in found.elements())


def at(slug: str, wished: int) -> State:
    return State(model=slug, seq_len=default_seq_len(load(slug), wished))


@pytest.mark.parametrize("slug", SLUGS)
def test_a_change_of_t_works_each_figure_out_once(slug: str) -> None:
    state = at(slug, 211)
    found = folds.per_change(lambda state: choose_seq_len(state, "311"), state)
    assert set(found.values()) <= {1}
    if slug == "vit-base":
        return  # it runs at one length
    once = {"anatomy": 1, "2N": 1, "other conventions": 1, "KV cache": 1, "peak activation": 2}
    # All of the square, and what the mask lets through; windows, and, where tokens are sampled, the last position too.
    windows = any((record.window or record.chunk or 311) < 311 for record in load(slug).attention)
    assert names(found) == {**once, "forward pass": (3 if load(slug).decodes else 2) + windows}


@pytest.mark.parametrize("slug", SLUGS)
def test_a_change_of_model_works_each_figure_out_once(slug: str) -> None:
    before = at("opt-125m" if slug == "gpt2" else "gpt2", 197)
    found = folds.per_change(lambda state: choose_seq_len(choose_model(state, slug), "419"), before)
    assert set(found.values()) <= {1}
    assert found.total() <= 48


@pytest.mark.parametrize("slug", ["t5-base", "deepseek-v3"])
@pytest.mark.parametrize("switch", CHOICES)
def test_a_change_of_a_switch_works_each_figure_out_once(slug: str, switch: str) -> None:
    for value in CHOICES[switch]:
        found = folds.per_change(lambda state, value=value: choose_option(state, switch, value), at(slug, 307))  # type: ignore[misc]
        assert set(found.values()) <= {1}
        assert found.total() <= 5


@pytest.mark.parametrize("arguments", [("show",), ("show", "--json")])
@pytest.mark.parametrize("slug", SLUGS)
def test_so_does_a_command(slug: str, arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    name, *rest = arguments
    length = str(default_seq_len(load(slug), 499 if rest else 503))
    found = folds.of(lambda: cli.main([name, slug, "--seq-len", length, *rest]))
    assert capsys.readouterr().out
    assert set(found.values()) <= {1}


def test_what_is_worked_out_twice_is_counted_twice() -> None:
    gpt2 = load("gpt2")
    twins = [replace(gpt2), replace(gpt2)]
    found = folds.of(lambda: [describe(twin, 8).costs.needed for twin in (*twins, *twins)])
    assert set(found.values()) == {1}
    assert names(found)["forward pass"] == 4
    again = folds.of(lambda: [flops.at_any_length(gpt2, 8) for _ in range(3)])
    assert names(again) == {"forward pass": 3}
    assert list(again.values()) == [3]


def test_nothing_is_kept_without_bound() -> None:
    kept = 0
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Name) and node.id == "lru_cache":
                kept += 1
            if isinstance(node, ast.ImportFrom) and node.module == "functools":
                assert "cache" not in {one.name for one in node.names}, f"{path.name} keeps without bound"
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "lru_cache":
                (size,) = [one.value for one in node.keywords if one.arg == "maxsize"]
                assert isinstance(size, ast.Constant)
                assert isinstance(size.value, int), f"{path.name} keeps without bound"
    assert kept > 20
