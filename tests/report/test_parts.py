"""A part carries what it is counted from: its rows' terms, its products, how its positions exchange information."""

import pytest

import anatomy
from anatomy.model.blocks import contains
from anatomy.model.terms import total
from anatomy.report import describe
from anatomy.report.anatomy import default_seq_len

SLUGS = list(anatomy.entries())


def shown(slug: str, wished: int = 8) -> anatomy.Anatomy:
    model = anatomy.load(slug)
    return describe(model, default_seq_len(model, wished))


@pytest.mark.parametrize("slug", SLUGS)
def test_terms_are_those_of_its_rows_and_products_those_of_the_pass(slug: str) -> None:
    record = shown(slug, 100)
    for part in record.parts:
        assert total(part.terms) == part.working.result == part.parameters
        assert total(part.products) == part.flops
        first = part.blocks[0].start if part.blocks else None
        mine = [row for row in record.model.rows if row.part_id == part.id and row.parameters]
        mine = [row for row in mine if row.stack == (part.stack if len(record.model.stacks) > 1 else None)]
        mine = [row for row in mine if (contains(row.blocks, first) if first is not None else not row.blocks)]
        assert [one.part for one in part.terms] == [row.part for row in mine]
        assert sum(row.parameters_per_block for row in mine) == (part.parameters_per_block or part.parameters)
    assert sum(part.flops for part in record.parts) == record.full.per_pass
    assert sum(part.parameters for part in record.parts) == record.model.parameters


@pytest.mark.parametrize("slug", SLUGS)
def test_every_attention_record_is_that_of_the_parts_whose_blocks_it_holds_for(slug: str) -> None:
    record = shown(slug)
    found = set()
    for part in record.parts:
        if part.id in ("attention", "cross-attention"):
            assert part.attention is not None
            assert part.blocks is not None
            assert part.attention.stack == part.stack
            assert part.attention.kind == ("cross" if part.id == "cross-attention" else "self")
            assert all(contains(part.attention.blocks, indices.start) for indices in part.blocks)
            found.add(part.attention)
        else:
            assert part.attention is None
    assert found == set(record.model.attention)


def test_gpt2_by_hand() -> None:
    attention = shown("gpt2").find("attention")
    assert attention is not None
    held = [(term.label, term.value) for term in attention.terms]
    assert held == [
        ("W_Q, W_K, W_V", 768 * 2304 * 12),
        ("b_Q, b_K, b_V", 2304 * 12),
        ("W_O", 768 * 768 * 12),
        ("b_O", 768 * 12),
    ]
    square = 2 * 8 * 8 * 768 * 12
    assert [term.value for term in attention.products if term.label in ("scores", "weighted values")] == [square] * 2
