"""The switches: what they may say, and the hash that says it back."""

import pytest

import anatomy
from anatomy.model import switches
from anatomy.model.switches import (
    CHOICES,
    DEFAULT,
    KEYS,
    Options,
    chosen,
    effective,
    from_keys,
    to_keys,
)


@pytest.mark.parametrize(("switch", "value"), [(switch, value) for switch, all_ in CHOICES.items() for value in all_])
def test_every_choice_comes_back_from_its_key(switch: str, value: str) -> None:
    options = chosen(DEFAULT, switch, value)
    keys = to_keys(options)
    assert keys == ({} if options == DEFAULT else {KEYS[switch]: value})
    assert from_keys(keys) == (options, {})


@pytest.mark.parametrize("text", ["", "0", "-1", "1.5", "٣", "1000001", "9" * 40, "x"])
def test_a_batch_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(anatomy.AnatomyError, match="is no whole number from 1 to 1,000,000"):
        chosen(DEFAULT, "batch", text)


def test_what_a_hash_gets_wrong_keeps_the_default_and_is_said() -> None:
    options, notices = from_keys({"run": "sideways", "w": "int4", "b": "x"})
    assert options == Options(weights="int4")
    assert notices["run"] == '"sideways" is nothing to choose there; accepted: prefill, decode, train, recompute.'
    assert set(notices) == {"run", "batch"}
    with pytest.raises(anatomy.AnatomyError, match='There is no switch "hue"'):
        chosen(DEFAULT, "hue", "1")


def test_passes_that_fix_the_unembedding() -> None:
    gpt2, bert, bart = (anatomy.load(slug) for slug in ("gpt2", "bert-base-uncased", "bart-base"))
    last = Options(unembedding="last")
    assert effective(last, gpt2) == last
    assert effective(last, bert) == effective(last, bart) == DEFAULT
    for run in ("decode", "train", "recompute"):
        assert effective(Options(run=run, unembedding="last"), gpt2) == Options(run=run)
    assert effective(Options(run="decode"), bert) == DEFAULT
    assert set(switches.KEYS) == set(Options.__dataclass_fields__)
