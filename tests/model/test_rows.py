"""Rows and their folds."""

from fractions import Fraction

import pytest

import anatomy
from anatomy.model.parts import GROUPS, group, part_id
from anatomy.model.rows import Row

SLUGS = list(anatomy.entries())


@pytest.mark.parametrize("slug", SLUGS)
def test_folds_agree_with_the_tensors_themselves(slug: str) -> None:
    model = anatomy.load(slug)
    tensors = list(model.tensors())
    assert sum(tensor.parameters for tensor in tensors) == model.parameters
    assert len({tensor.name for tensor in tensors}) == len(tensors)
    assert model.tree()[""] == model.parameters == sum(model.groups().values())
    assert set(model.groups()) <= set(GROUPS)
    assert all(sum(matrix.elements for matrix in row.matrices) == row.elements for row in model.rows if row.matrices)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_row_is_told_apart_by_name_and_blocks(slug: str) -> None:
    rows = anatomy.load(slug).rows
    assert len({(row.name, row.blocks) for row in rows}) == len(rows)


def test_a_parent_is_the_sum_of_its_children() -> None:
    tree = anatomy.load("gpt2").tree()
    children = [path for path in tree if path.startswith("block/") and path.count("/") == 1]
    assert tree["block"] == sum(tree[path] for path in children) == 12 * 7087872
    # Attention as a whole and the MLP's up-projection happen to hold as many.
    assert tree["block/attention"] == tree["block/mlp/up"] == 28348416
    assert tree["block/mlp"] == 56669184


def test_gpt2_small_by_part() -> None:
    model = anatomy.load("gpt2")
    sums = model.fold(lambda row: row.part)
    assert sums["embedding/token"] == 38597376
    assert sums["embedding/position"] == 786432
    assert model.groups() == {"embeddings": 39383808, "attention": 28348416, "mlp": 56669184, "norms": 38400}
    assert model.tied_unembedding
    assert [row.parameters for row in model.rows if row.part == "unembedding"] == [0]


def test_tied_rows_and_buffers_hold_no_parameters() -> None:
    assert Row("a", (4, 4), "mlp", tied_to="b").parameters == 0
    assert Row("a", (4, 4), "mlp", buffer=True).parameters == 0
    assert Row("a", (4, 4), "mlp", (range(3),), copies=5).parameters == 4 * 4 * 3 * 5


@pytest.mark.parametrize(
    ("path", "part", "counted"),
    [
        ("block/attention/q-norm", "attention", "norms"),
        ("block/norm-attention", "norm-attention", "norms"),
        ("embedding-norm", "embedding-norm", "norms"),
        ("encoder/embedding/position", "embedding", "embeddings"),
        ("decoder/block/cross-attention/query", "cross-attention", "attention"),
        ("block/router", "router", "router"),
        ("block/experts/up", "experts", "experts"),
        ("block/shared-expert/up", "shared-expert", "experts"),
        ("pooler", "pooler", "unembedding"),
        ("unembedding/norm", "unembedding", "unembedding"),
    ],
)
def test_paths_lead_to_parts_and_groups(path: str, part: str, counted: str) -> None:
    assert (part_id(path), group(path)) == (part, counted)


def test_a_path_of_no_group_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="belongs to no group"):
        group("block/gadget")


def test_a_billion_blocks_cost_what_twelve_cost() -> None:
    values = dict(anatomy.entries()["gpt2"].config) | {"n_layer": 10**9}
    model = anatomy.load(values)
    assert model.parameters == 124439808 - 12 * 7087872 + 10**9 * 7087872
    shown = anatomy.describe(model, 8)
    assert shown.find("attention").parameters == 10**9 * 2362368  # type: ignore[union-attr]
    assert shown.full.per_token == 247358976 + (10**9 - 12) * Fraction(1978871808 - 617558016, 12 * 8)


def test_tensors_come_block_by_block() -> None:
    names = [tensor.name for tensor in anatomy.load("gpt2").tensors()]
    assert names[:4] == ["wte.weight", "wpe.weight", "h.0.ln_1.weight", "h.0.ln_1.bias"]
    assert names.index("h.0.mlp.c_proj.bias") < names.index("h.1.ln_1.weight")
    assert names[-1] == "ln_f.bias"
