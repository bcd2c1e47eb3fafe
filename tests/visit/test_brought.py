"""What the visitor brings, as states and as markup: own configuration, checkpoint, comparison."""

import json

import pytest

from anatomy.checkpoint.headers import Index, Shard, Stored
from anatomy.views.page import regions
from anatomy.visit import brought, steps
from anatomy.visit.address import from_hash
from anatomy.visit.state import State
from tests.checkpoints import GPT2, LLAMA

TEXT = json.dumps(GPT2)
IMG = "<img src=x onerror=alert(1)>"


def test_a_configuration_becomes_the_model() -> None:
    state = brought.own_config(State(seq_len=512), TEXT)
    assert (state.model, state.loaded.parameters, state.seq_len) == ("own", 3160, 16)
    assert state.to_hash() == "#model=own&t=16&part=attention"
    assert "so T is now 16" in state.notices["seq-len"]
    drawn = regions(state)
    assert "Your model" in drawn["model-control"]
    assert '<data value="3160">' in drawn["figures"]


def test_an_error_keeps_the_model_and_the_text() -> None:
    state = brought.own_config(State(), '{"model_type": "gpt9"}')
    assert (state.model, state.own, state.draft) == ("gpt2", None, '{"model_type": "gpt9"}')
    assert 'model_type is "gpt9"' in regions(state)["own"]
    mended = brought.own_config(state, TEXT)
    assert (mended.draft, mended.notices) == ("", {})
    emptied = brought.own_config(state, "  ")
    assert (emptied.draft, emptied.notices) == ("", {})


def test_a_second_configuration_takes_the_place_of_the_first() -> None:
    first = brought.own_config(State(), TEXT).settled()
    second = brought.own_config(first, json.dumps(LLAMA)).settled()
    assert second.loaded.model_type == "llama"
    assert {key for slug, key in second.visited if slug == "own"} == {"attention"}
    wrong = brought.own_config(second, "[]")
    assert wrong.loaded is second.loaded


def test_removing_it_shows_the_default_and_ends_its_comparison() -> None:
    state = steps.choose_other(brought.own_config(State(), TEXT), "own")
    assert state.to_hash().endswith("&with=own")
    removed = brought.without_own(state)
    assert (removed.model, removed.own, removed.other) == ("gpt2", None, None)
    assert "own" not in {slug for slug, _ in removed.visited}


def test_it_survives_hashes_and_comes_back_from_its_text() -> None:
    state = brought.own_config(State(), TEXT)
    assert from_hash(state, "#model=gpt2-xl").own == state.own
    assert from_hash(state, "#model=own&t=4").loaded is state.loaded
    assert brought.with_own(State(), TEXT).own == state.own
    assert brought.with_own(State(), "broken").own is None
    nobody = from_hash(State(), "#model=own")
    assert "which no link carries" in nobody.notices["model"]
    assert nobody.model == "gpt2"


def test_a_comparison_is_in_the_hash() -> None:
    state = from_hash(State(), "#model=gpt2&with=llama-3-70b")
    assert state.other == "llama-3-70b"
    assert state.to_hash() == "#model=gpt2&t=8&part=attention&with=llama-3-70b"
    assert "64 query heads share 8 KV heads; GPT-2 small has 12 of each" in regions(state)["comparison"]
    assert from_hash(state, "#model=gpt2").other is None
    unknown = from_hash(state, "#model=gpt2&with=gpt5")
    assert 'There is no model "gpt5" in this catalogue' in unknown.notices["with"]
    assert unknown.other is None


def test_a_comparison_with_a_model_of_fixed_length() -> None:
    state = from_hash(State(), "#model=gpt2&t=8&with=vit-base")
    assert "GPT-2 small" in regions(state)["comparison"]
    assert "= 197." in regions(state)["comparison"]


def test_a_checkpoint_is_held_against_whatever_is_shown() -> None:
    table = Stored("wte.weight", (50257, 768), "F32", "a.safetensors")
    state = brought.check_files(State(), [Shard("a.safetensors", (table,), {})], [])
    assert "147 tensors are missing" in regions(state)["check"]
    moved = from_hash(state, "#model=llama-3-70b")
    assert "none of its 723 is there" in regions(moved)["check"]
    assert "GPT-2 small: show that model" in regions(moved)["check"]
    assert brought.without_checkpoint(moved).checkpoint is None


def test_files_that_are_no_checkpoint_keep_the_report() -> None:
    shard = Shard("a.safetensors", (Stored("x", (1,), "F32", "a.safetensors"),), {})
    state = brought.check_files(State(), [shard], [])
    refused = brought.check_files(state, [shard, Shard("b.safetensors", shard.tensors, {})], [])
    assert "each tensor once" in refused.notices["check-checkpoint"]
    assert refused.checkpoint is state.checkpoint
    two = brought.check_files(state, [], [Index("a.index.json", {"x": "a"}), Index("b.index.json", {"x": "a"})])
    assert "2 indexes were given at once" in two.notices["check-checkpoint"]


@pytest.mark.parametrize("region", ["own", "check", "comparison", "model-control"])
def test_names_full_of_markup_are_text(region: str) -> None:
    state = brought.own_config(State(), json.dumps({**GPT2, IMG: IMG}))
    state = brought.check_files(state, [Shard(IMG, (Stored(IMG, (1,), "F32", IMG),), {})], [])
    state = brought.own_config(state, json.dumps({"model_type": IMG}), IMG)
    state = brought.refused(state, "check-checkpoint", brought.folder(IMG))
    state = steps.choose_other(state, "own")
    state = brought.own_config(state, json.dumps({"model_type": IMG}), IMG)
    assert "<img" not in regions(state)[region]
