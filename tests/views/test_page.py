"""The regions: each a pure function of the state, quick, with ids that are unique and links that lead somewhere."""

import os
import re
import subprocess
import sys
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser

import pytest

from anatomy.views.markup import VOID
from anatomy.views.page import (
    marked,
    regions,
)
from anatomy.views.wording import hooks
from anatomy.visit.address import from_hash
from anatomy.visit.state import MODEL, State, visit_key
from anatomy.visit.steps import choose_model, choose_seq_len, select_part
from tests.kinds import WALKED
from tests.second_count import reads, share

SLUGS = WALKED
ACROSS = ("gpt2", "deepseek-v3", "gemma-3-1b", "whisper-small", "vit-base")


class Reader(HTMLParser):
    """Checks that elements nest, and keeps ids and links."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.styled: list[str] = []
        self.feed(markup)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            if name == "id" and value:
                self.ids.append(value)
            if name == "href" and value:
                self.links.append(value)
            if name == "style" or name.startswith("on"):
                self.styled.append(name)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("slug", SLUGS)
def test_markup_nests_ids_are_unique_and_nothing_needs_an_inline_style(slug: str) -> None:
    page = Reader("".join(regions(choose_model(State(), slug)).values()))
    assert len(page.ids) == len(set(page.ids))
    assert not page.styled


def test_without_javascript_every_link_of_the_diagram_has_its_target() -> None:
    made = regions(State())
    targets = set(Reader(made["parts"]).ids)
    places = [link.removeprefix("#") for link in Reader(made["drawing"]).links if "=" in link]
    assert len(places) == len(State().anatomy.parts)
    assert set(places) <= targets


@pytest.mark.parametrize("slug", SLUGS)
def test_every_link_selects_what_it_names(slug: str) -> None:
    state = choose_model(State(), slug)
    made = regions(state)
    places = [unescape(link) for link in Reader(made["drawing"]).links if "=" in link]
    for link, part in zip(places, state.anatomy.parts, strict=True):
        assert from_hash(state, link).selected == part


def test_each_part_is_a_stop_for_the_tab_key_once() -> None:
    made = regions(State())
    assert made["drawing"].count("<a ") == len(State().anatomy.parts)
    # The list of parts is closed at first, and once it is open its lines are reached like any other.
    assert made["parts"].count("<details") == made["parts"].count("<summary") == len(State().anatomy.parts) + 1
    assert "tabindex" not in made["parts"]
    assert not re.search(r"<details[^>]* open", made["parts"])


def test_the_same_state_gives_the_same_markup_in_every_process() -> None:
    """Nothing is left of the order of a set, nor of an address in memory."""
    code = f"""
import hashlib
from anatomy.views.page import regions
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model
for slug in {ACROSS!r}:
    print(hashlib.sha256(repr(regions(choose_model(State(), slug))).encode()).hexdigest())
"""
    said = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        assert len(set(done.stdout.split())) == len(ACROSS)
        said.add(done.stdout)
    assert len(said) == 1


def test_figures_of_gpt2() -> None:
    made = regions(State())["figures"]
    for name, value, text in (
        ("parameters", 124439808, "124M"),
        ("without-embeddings", 85056000, "85.1M"),
        ("flops", 247358976, "0.25 G"),
    ):
        (figure,) = re.findall(rf'<div data-figure="{name}">(.*?)</div>', made)
        assert f'<data value="{value}">{text}</data>' in figure
    assert 'data-figure="active"' not in made
    assert 'data-figure="active"' in regions(choose_model(State(), "mixtral-8x7b"))["figures"]


@pytest.mark.parametrize("slug", SLUGS)
def test_bar_and_table_have_the_groups_of_the_model(slug: str) -> None:
    state = choose_model(State(), slug)
    made = regions(state)["where"]
    found = re.findall(r'<tr class="[^"]*" data-group="([^"]+)">(.*?)</tr>', made)
    assert [name for name, _ in found] == [group.id for group in state.anatomy.groups]
    for (_, row), group in zip(found, state.anatomy.groups, strict=True):
        (worded,) = re.findall(rf'<data value="{group.parameters}">([^<]*)</data>', row)
        assert reads(worded, group.parameters)
        assert share(re.findall(r"<td[^>]*>([^<]*)</td>", row)[-1], Fraction(group.parameters, state.loaded.parameters))
    assert re.findall(r'data-piece="([^"]+)"', made) == [group.id for group in state.anatomy.groups]


def test_a_refusal_stands_below_the_bar_until_the_next_act() -> None:
    refused = choose_seq_len(State(), "abc")
    assert regions(refused)["told"].startswith('Sequence length "abc" is not a whole number.')
    assert "no model" in regions(choose_model(State(), "gpt5"))["told"]
    assert MODEL in choose_model(State(), "gpt5").notices
    assert regions(select_part(refused, "mlp"))["told"] == "MLP, 46% of the model, 56,669,184 parameters."


def test_what_solves_a_challenge_is_said_at_once_and_kept_in_the_list() -> None:
    solved = choose_model(State(), "llama-3-70b").settled()
    by = "the MLPs hold 56,371,445,760 of 70,553,706,496 parameters, 80%"
    assert f"Solved: {by}." in regions(solved)["told"]
    later = choose_model(solved, "gpt2").settled()
    assert "Solved" not in regions(later)["told"]
    assert f"Solved: {by}." in regions(later)["challenges"]


def test_a_length_that_the_model_fixes_is_shown_and_disabled() -> None:
    made = regions(choose_model(State(), "vit-base"))
    assert made["length-control"].count(" disabled") == made["bar-rest"].count(" disabled") == 1
    assert "fixed at 197" in made["length-control"]


def test_the_running_sum_is_that_of_the_parts_seen() -> None:
    anatomy = State().anatomy
    seen = frozenset(("gpt2", visit_key(anatomy, part)) for part in anatomy.parts)
    assert '1 of 8 parts so far: <data value="28348416">' in regions(State())["try-this"]
    all_seen = regions(State(visited=seen))["try-this"]
    assert '8 of 8 parts so far: <data value="124439808">' in all_seen
    assert "exactly what the released checkpoint holds" in all_seen


def test_challenges_say_whether_they_are_done() -> None:
    assert regions(State())["challenges"].count("(not yet)") == 3
    assert regions(State())["more-challenges"].count("(not yet)") == 12
    made = regions(State(solved={"mlp": ""}))["challenges"]
    assert 'data-challenge="mlp" data-done="true"' in made
    assert "1 of 3 complete" in made
    assert made.count("(done)") == 1


def test_a_link_chooses_challenges() -> None:
    some = State(tasks=("mlp", "cache"), solved={"cache": "so", "tied": "so"})
    made = regions(some)
    assert re.findall(r'data-challenge="([^"]+)"', made["challenges"] + made["more-challenges"]) == ["mlp", "cache"]
    assert "0 of 1 complete" in made["challenges"]
    assert "1 of 1 complete" in made["more-challenges"]
    assert "A link chose 2 of 15 challenges." in made["challenges"]
    assert regions(State(tasks=("mlp",)))["more-challenges"] == ""
    alone = regions(State(tasks=("cache",)))
    assert "complete" not in alone["challenges"]
    assert '<details id="more-challenges-fold" class="more-challenges" open>' in alone["more-challenges"]


@pytest.mark.parametrize("slug", SLUGS)
def test_the_selected_part_and_no_other_is_marked(slug: str) -> None:
    state = choose_model(State(), slug)
    for part in state.anatomy.parts:
        chosen = select_part(state, *state.anatomy.address(part))
        for region, times in (("drawing", 1), ("parts", 2)):
            found = re.findall(r"<[^>]* aria-current=[^>]*>", marked(regions(chosen)[region], chosen))
            assert len(found) == times
            named = {key: value for key, value in hooks(state.anatomy, part).items() if value}
            for opening in found:
                assert dict(re.findall(r'(data-(?:part|stack|blocks))="([^"]*)"', opening)) == named


def test_the_figures_say_what_of_a_class_is_not_counted() -> None:
    said = "27,009,346,304 without its image encoder and its projection of image features, each tied tensor once"
    assert said in regions(choose_model(State(), "gemma-3-27b"))["figures"]
    assert "without its" not in regions(State())["figures"]
