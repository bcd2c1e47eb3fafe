"""Where the parameters live: what each group counts, and shares that say where they are rounded."""

import re

import pytest

import anatomy
from anatomy.commands import show
from anatomy.report import describe
from anatomy.views import comparison, where
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model, choose_other
from anatomy.words import labels
from anatomy.words.formatting import percent


def test_the_shares_of_gpt2_are_rounded_and_the_exact_ones_one_look_away() -> None:
    made = where.view(State())
    cells = re.findall(r'<td title="([^"]+)">([^<]+)</td>', made)
    assert cells == [("31.6489%", "32%"), ("22.7808%", "23%"), ("45.5394%", "46%"), ("0.0309%", "under 0.1%")]
    assert '<tfoot><tr><th scope="row">Total</th><td class="exact">124,439,808</td>' in made
    assert '<td>100%<span class="more">rounded</span></td>' in made
    for exactly, _ in cells:
        assert f"<p>{exactly} of 124,439,808.</p>" in made


@pytest.mark.parametrize("slug", list(anatomy.entries()))
def test_only_shares_that_add_up_are_not_called_rounded(slug: str) -> None:
    state = choose_model(State(), slug)
    worded = [percent(group.share) for group in state.anatomy.groups]
    exactly = "under" not in " ".join(worded) and sum(float(one.strip("%")) for one in worded) == 100
    assert ("rounded" in where.view(state)) is not exactly


def test_other_tables_of_shares_say_so_too() -> None:
    made = comparison.view(choose_other(State(), "llama-3-70b"))
    totals = re.findall(r'<tr class="total">.*?</tr>', made)
    assert len(totals) == 1
    assert re.findall(r'<data value="(\d+)">', totals[0]) == ["124439808", "70553706496"]
    assert totals[0].count("100%, rounded") == 2
    assert '<span class="more" title="22.7808%">23%</span>' in made
    assert re.search(
        r"^total +124,439,808 +100%, rounded$", show.in_words(describe(anatomy.load("gpt2"))), re.MULTILINE
    )


@pytest.mark.parametrize(
    ("slug", "experts", "group", "norms"),
    [
        ("deepseek-v3", "Routed experts", "Routed and shared experts, 58 blocks", "Norms, those inside attention too"),
        ("mixtral-8x7b", "Experts", "Experts, all blocks", "Norms"),
        ("qwen3-30b-a3b", "Experts", "Experts, all blocks", "Norms, those inside attention too"),
    ],
)
def test_what_counts_more_than_the_part_of_its_name_says_what_it_counts(
    slug: str, experts: str, group: str, norms: str
) -> None:
    shown = describe(anatomy.load(slug))
    part = shown.find("experts")
    assert part is not None
    assert (part.label, labels.group(shown.model, "experts"), labels.group(shown.model, "norms")) == (
        experts,
        group,
        norms,
    )
