"""How the parts of a block are wired: one after the other or in parallel, with norms before, behind or after."""

import pytest

import anatomy
from anatomy.report.anatomy import describe
from tests.families.changes import like, shapes

TWO_NORMS, ONE_NORM = ["norm-attention", "attention", "norm-mlp", "mlp"], ["norm-block", "attention", "mlp"]


def flow(model: anatomy.LoadedModel) -> list[str]:
    return [part.id for part in describe(model, 1).block_kinds[0].parts]


def reads(model: anatomy.LoadedModel) -> list[str]:
    return [branch.reads for branch in model.stacks[0].flow]


@pytest.mark.parametrize(
    ("slug", "parts", "from_where"),
    [
        ("gpt2", TWO_NORMS, ["stream", "stream"]),
        ("falcon-rw-1b", TWO_NORMS, ["stream", "stream"]),
        ("falcon-7b", ONE_NORM, ["stream", "norm"]),
        ("falcon-40b", TWO_NORMS, ["stream", "same"]),
        ("falcon-11b", ONE_NORM, ["stream", "norm"]),
        ("gpt-neox-20b", TWO_NORMS, ["stream", "same"]),
        ("gpt-j-6b", ONE_NORM, ["stream", "norm"]),
        ("phi-2", ONE_NORM, ["stream", "norm"]),
        ("command-r", ONE_NORM, ["stream", "norm"]),
        ("stablelm-2-12b", ONE_NORM, ["stream", "norm"]),
        ("stablelm-3b-4e1t", TWO_NORMS, ["stream", "stream"]),
        ("olmo-7b", TWO_NORMS, ["stream", "stream"]),
        ("olmo-2-7b", ["attention", "norm-post-attention", "mlp", "norm-post-mlp"], ["stream", "stream"]),
        (
            "gemma-2-2b",
            ["norm-attention", "attention", "norm-post-attention", "norm-mlp", "mlp", "norm-post-mlp"],
            ["stream", "stream"],
        ),
    ],
)
def test_parts_follow_each_other_or_stand_in_parallel(slug: str, parts: list[str], from_where: list[str]) -> None:
    model = anatomy.load(slug)
    assert flow(model) == parts
    assert reads(model) == from_where


def test_opt_350m_normalises_after_the_addition() -> None:
    model = anatomy.load("opt-350m")
    assert [branch.norm_after for branch in model.stacks[0].flow] == ["norm-post-attention", "norm-post-mlp"]
    assert "decoder.final_layer_norm.weight" not in shapes(model)


def test_pythia_can_put_its_parts_one_after_the_other() -> None:
    model = anatomy.load(like("pythia-160m", use_parallel_residual=False))
    assert reads(model) == ["stream", "stream"]
    assert model.rows == anatomy.load("pythia-160m").rows
