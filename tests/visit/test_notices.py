"""What is said and marked after an act goes with the next one, and what was visited with what it was visited in."""

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from anatomy.checkpoint.headers import Index, Shard
from anatomy.visit import brought, steps
from anatomy.visit.address import from_hash
from anatomy.visit.state import MODEL, OTHER, PART, SEQ_LEN, State
from anatomy.visit.told import said
from tests.checkpoints import GPT2

TEXT = json.dumps(GPT2)
BAR = {MODEL: "a", SEQ_LEN: "b", PART: "c"}
BESIDE = {OTHER: "d", "run": "e", brought.OWN: "f", brought.CHECK: "g"}
EVERY = {**BAR, **BESIDE}
SPOILT = [Index(name, {"x": "a"}) for name in ("a.index.json", "b.index.json")]

# An act, the controls whose sentences it leaves, those that it refuses something beside, and what it marks as changed.
ACTS: list[tuple[str, Callable[[State], State], set[str], set[str], str]] = [
    ("a model", lambda state: steps.choose_model(state, "gpt2-xl"), set(), set(), MODEL),
    ("a length", lambda state: steps.choose_seq_len(state, "16"), set(), set(), SEQ_LEN),
    ("a part", lambda state: steps.select_part(state, "mlp"), set(), set(), PART),
    ("another model", lambda state: steps.choose_other(state, "gpt2-xl"), set(), set(), ""),
    ("no other model", lambda state: steps.choose_other(state, ""), set(), set(), ""),
    ("a switch", lambda state: steps.choose_option(state, "run", "decode"), set(), set(), ""),
    ("a link", lambda state: from_hash(state, "#model=gpt2"), set(), set(), ""),
    ("a link to no part", lambda state: from_hash(state, "#part=tail"), set(), {PART}, ""),
    ("a link to no model", lambda state: from_hash(state, "#model=gpt5"), set(), {MODEL}, ""),
    ("a link to no two", lambda state: from_hash(state, "#model=gpt5&with=gpt6"), set(), {MODEL, OTHER}, ""),
    ("a link of no meaning", lambda state: from_hash(state, "#x=1"), set(), {MODEL}, ""),
    ("a place on the page", lambda state: from_hash(state, "#panel"), {*EVERY}, set(), SEQ_LEN),
    ("a configuration", lambda state: brought.own_config(state, TEXT), set(), set(), MODEL),
    ("an empty field", lambda state: brought.own_config(state, " "), {*EVERY} - {brought.OWN}, set(), ""),
    ("its removal", brought.without_own, {*EVERY} - {brought.OWN}, set(), ""),
    ("no report", brought.without_checkpoint, {*EVERY} - {brought.CHECK}, set(), ""),
    (
        "files",
        lambda state: brought.check_files(state, [Shard("a", (), {})], []),
        {*EVERY} - {brought.CHECK},
        set(),
        "",
    ),
    ("no progress", steps.without_progress, {*EVERY}, set(), ""),
    ("no model", lambda state: steps.choose_model(state, "gpt5"), {*EVERY}, {MODEL}, ""),
    ("no length", lambda state: steps.choose_seq_len(state, "x"), {*EVERY}, {SEQ_LEN}, ""),
    ("no part", lambda state: steps.select_part(state, "x"), {*EVERY}, {PART}, ""),
    ("no other", lambda state: steps.choose_other(state, "x"), {*EVERY}, {OTHER}, ""),
    ("no such switch", lambda state: steps.choose_option(state, "run", "x"), {*EVERY}, {"run"}, ""),
    ("no configuration", lambda state: brought.own_config(state, "[]"), {*EVERY}, {brought.OWN}, ""),
    ("no one checkpoint", lambda state: brought.check_files(state, [], SPOILT), {*EVERY}, {brought.CHECK}, ""),
]


@pytest.mark.parametrize(("name", "act", "left", "refused", "changed"), ACTS, ids=[one[0] for one in ACTS])
def test_what_an_act_leaves_of_what_was_said(
    name: str, act: Callable[[State], State], left: set[str], refused: set[str], changed: str
) -> None:
    after = act(replace(State(), notices=EVERY, changed=SEQ_LEN))
    assert after.changed == changed
    assert after.notices.keys() == left | refused
    assert {one for one, words in after.notices.items() if words != EVERY[one]} == refused


def test_of_several_sentences_those_of_the_bar_are_in_its_line() -> None:
    assert said(replace(State(), notices=EVERY)) == "a b c"


def test_a_link_carries_nothing_over_that_it_leaves_out() -> None:
    state = steps.choose_option(steps.choose_seq_len(steps.select_part(State(), "mlp"), "64"), "run", "decode")
    state = steps.choose_other(state, "gpt2-xl")
    moved = from_hash(state, "#model=gpt2-medium")
    assert (moved.model, moved.seq_len, moved.part, moved.other) == ("gpt2-medium", 8, "attention", None)
    assert moved.options == State().options
    kept = from_hash(state, "#model=gpt5")
    assert (kept.model, kept.seq_len, kept.part) == ("gpt2", 64, "mlp")
    assert kept.options == State().options
    vit = from_hash(state, "#model=vit-base")
    assert (vit.seq_len, vit.notices) == (197, {})


def test_another_model_keeps_the_nearest_part_that_it_has() -> None:
    t5 = steps.choose_model(State(), "t5-small")
    encoder = steps.select_part(t5, "mlp", "encoder")
    assert (encoder.part, encoder.stack) == ("mlp", "encoder")
    for slug, address in (
        ("gpt2", ("mlp", None, None)),
        ("t5-base", ("mlp", "encoder", "0")),
        ("mixtral-8x7b", ("attention", None, None)),
    ):
        moved = steps.choose_model(encoder, slug)
        assert (moved.part, moved.stack, moved.blocks) == address
    assert steps.choose_model(steps.select_part(t5, "cross-attention", "decoder"), "gpt2").part == "attention"
    first = steps.select_part(steps.choose_model(State(), "deepseek-v2-lite"), "attention", None, "0")
    assert (first.part, first.blocks) == ("attention", "0")
    assert steps.choose_model(first, "deepseek-v3").blocks == "0-2"
    assert steps.choose_model(first, "gpt2").blocks is None


def test_visited_parts_of_a_configuration_go_with_it() -> None:
    state = brought.own_config(State(), TEXT).settled()
    state = steps.select_part(state, "mlp").settled()
    assert state.visited == {("gpt2", "attention"), ("own", "attention"), ("own", "mlp")}
    assert brought.without_own(state).visited == {("gpt2", "attention")}
    assert brought.own_config(state, TEXT).visited == {("gpt2", "attention")}
    assert brought.own_config(state, "[]").visited == state.visited


def test_removing_a_configuration_says_where_it_leads() -> None:
    shown = brought.own_config(steps.choose_seq_len(State(), "16"), TEXT)
    removed = brought.without_own(replace(shown, notices={brought.OWN: "f"}, draft="{", other="gpt2-xl"))
    assert (removed.model, removed.changed, removed.notices) == ("gpt2", MODEL, {})
    assert (removed.own, removed.draft, removed.other) == (None, "", "gpt2-xl")
    elsewhere = brought.without_own(steps.choose_other(steps.choose_model(shown, "gpt2"), "own"))
    assert (elsewhere.model, elsewhere.changed, elsewhere.other) == ("gpt2", "", None)


def test_a_file_too_long_is_not_read_and_says_what_would_be() -> None:
    long = brought.too_long(State(), "config.json", 9_000_000)
    said_ = "config.json: the file holds 9,000,000 bytes; accepted: at most 2,000,000 bytes"
    assert (dict(long.notices), long.own) == ({brought.OWN: said_}, None)
