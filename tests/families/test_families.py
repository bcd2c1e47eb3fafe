"""Every family against outside figures, all of them equal: totals, tensors and FLOPs; and what must always hold."""

import re
from collections import Counter
from functools import cache

import pytest

import anatomy
from anatomy.model.blocks import count
from anatomy.report.anatomy import default_seq_len, describe
from tests import witness
from tests.witness import Witness

SLUGS = witness.slugs()
CATALOGUE = list(anatomy.entries())


@cache
def seen(slug: str) -> Witness:
    return witness.load(slug)


@cache
def counted(slug: str) -> anatomy.LoadedModel:
    return anatomy.load(seen(slug).config)


@pytest.mark.parametrize("slug", SLUGS)
def test_parameters_are_those_of_the_release(slug: str) -> None:
    model, outside = counted(slug), seen(slug)
    assert model.parameters == outside.total
    assert model.groups() == dict(outside.groups)
    assert model.parameters_without_embeddings == outside.without_embeddings
    assert model.active_parameters == (outside.total if outside.active is None else outside.active)
    if outside.active_excluding_token_table is not None:
        assert model.active_parameters_without_token_table == outside.active_excluding_token_table


@pytest.mark.parametrize("slug", SLUGS)
def test_every_tensor_has_the_name_and_the_shape_of_the_release(slug: str) -> None:
    ours = Counter((one.name, one.shape) for one in counted(slug).tensors() if not one.row.buffer)
    theirs = Counter(seen(slug).expanded())
    assert ours == theirs, f"only ours: {list(ours - theirs)[:5]}; only theirs: {list(theirs - ours)[:5]}"


@pytest.mark.parametrize("slug", SLUGS)
def test_the_same_tensors_are_tied(slug: str) -> None:
    tied = {(row.name, row.tied_to) for row in counted(slug).rows if row.tied_to}
    assert tied == set(seen(slug).tied)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_pass_takes_the_flops_that_pytorch_counts(slug: str) -> None:
    model, outside = counted(slug), seen(slug)
    assert {length: model.flops(length).per_pass for length in outside.flops} == dict(outside.flops)


@pytest.mark.parametrize("slug", SLUGS)
def test_what_the_release_stores_beside_the_parameters_is_known(slug: str) -> None:
    model, outside = counted(slug), seen(slug)
    buffers = {(one.name, one.shape) for one in model.tensors() if one.row.buffer}
    tied = {row.name for row in model.rows if row.tied_to}

    def known(name: str, shape: tuple[int, ...] | None) -> bool:
        for one in model.known:
            if re.fullmatch(one.pattern, name) and (shape is None or one.shape in (None, shape)):
                return True
        return name in tied or (name, shape) in buffers

    assert [name for name, shape in outside.expanded_buffers() if not known(name, shape)] == []
    for extra in outside.extras:
        # "vision_*, multi_modal_projector.*" stands for names of which only the beginning is known.
        for name in extra["name"].replace("{block}", "0").split(", "):
            assert any(known(name.replace("*", rest), None) for rest in ("weight", "tower.weight", "model.weight")), (
                name
            )


def test_every_released_model_of_the_catalogue_has_a_witness() -> None:
    assert set(CATALOGUE) - set(SLUGS) == {"gpt-3-175b"}


@pytest.mark.parametrize("slug", sorted(set(CATALOGUE) & set(SLUGS)))
def test_the_catalogue_offers_the_model_that_was_counted(slug: str) -> None:
    offered, released = anatomy.load(slug), counted(slug)
    assert (offered.rows, offered.attention) == (released.rows, released.attention)


@pytest.mark.parametrize("slug", SLUGS)
def test_matrices_fill_their_tensor(slug: str) -> None:
    for row in counted(slug).rows:
        assert (row.multiplies is None) == (not row.matrices), row.name
        if row.matrices:
            assert sum(matrix.elements for matrix in row.matrices) == row.elements, row.name
        else:
            assert row.symbol, row.name


@pytest.mark.parametrize("slug", SLUGS)
def test_parts_blocks_and_flops_add_up(slug: str) -> None:
    model = counted(slug)
    shown = describe(model, default_seq_len(model))
    total = model.parameters
    assert model.tree()[""] == total
    assert sum(model.groups().values()) == total
    assert sum(part.parameters for part in shown.parts) == total
    assert sum(part.share for part in shown.parts) == 1
    inside = sum(kind.parameters * count(kind.blocks) for kind in shown.block_kinds)
    assert inside + sum(part.parameters for part in shown.parts if part.blocks is None) == total
    for stack in model.stacks:
        assert sum(count(kind.blocks) for kind in shown.block_kinds if kind.stack == stack.id) == stack.blocks
    assert sum(part.flops for part in shown.parts) == shown.full.per_pass
    for part in shown.parts:
        if part.id != "residual":
            assert sum(weight.parameters for weight in part.weights) * (count(part.blocks) if part.blocks else 1) == (
                part.parameters
            )
