"""The witness files agree with themselves and with what was published; no project code is involved."""

import math

import pytest

from tests.witness import Entry, Witness, indices, load, slugs


def elements(entry: Entry) -> int:
    _, shape, blocks, experts = entry
    return math.prod(shape) * (len(indices(blocks)) if blocks else 1) * (experts or 1)


def extra_elements(witness: Witness) -> int:
    return sum(
        extra["elements"]
        if "elements" in extra
        else elements((extra["name"], tuple(extra["shape"]), extra.get("blocks"), extra.get("experts")))
        for extra in witness.extras
    )


@pytest.fixture(params=slugs())
def witness(request: pytest.FixtureRequest) -> Witness:
    return load(request.param)


def test_the_tensors_add_up_to_the_total(witness: Witness) -> None:
    assert sum(map(elements, witness.tensors)) == witness.total


def test_the_groups_add_up_to_the_total(witness: Witness) -> None:
    assert sum(witness.groups.values()) == witness.total


def test_no_two_tensors_have_one_name(witness: Witness) -> None:
    names = [name for name, _ in witness.expanded() + witness.expanded_buffers()]
    assert len(set(names)) == len(names)


def test_the_total_is_the_published_one(witness: Witness) -> None:
    assert witness.published["total"] in (None, witness.total)


def test_parameters_buffers_and_extras_fill_the_published_file(witness: Witness) -> None:
    counted = witness.total + sum(map(elements, witness.buffers)) + extra_elements(witness)
    assert witness.published.get("file_elements") in (None, counted)


def test_a_tied_name_points_at_a_stored_tensor(witness: Witness) -> None:
    stored = {name for name, _ in witness.expanded()}
    assert all(source in stored and name not in stored for name, source in witness.tied)


def test_only_models_with_routed_experts_have_an_active_count(witness: Witness) -> None:
    assert (witness.active is None) == ("router" not in witness.groups)
    assert witness.active is None or witness.active < witness.total
