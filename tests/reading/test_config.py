"""Reading a configuration: what is refused, in one line that says what was read, and what is let through."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import anatomy
from anatomy.reading.config import (
    Config,
    ConfigError,
    parse,
    shown,
)

GPT2 = dict(anatomy.entries()["gpt2"].config)
LLAMA = dict(anatomy.entries()["llama-3-8b"].config)


def changed(values: dict[str, Any], **others: Any) -> dict[str, Any]:
    return {**values, **others}


def without(values: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in keys}


def refusal(values: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        anatomy.load(values)
    said = str(caught.value)
    assert "\n" not in said
    assert len(said) < 1200
    return said


TEXTS = {
    "nothing": ("", "config.json: nothing in it; accepted: a JSON object such as a model's config.json"),
    "only spaces": (" \n ", "config.json: nothing in it; accepted: a JSON object such as a model's config.json"),
    "no JSON": ('{"a": 1,}', "config.json: no JSON ("),
    "Python": ("{'a': 1}", "config.json: no JSON ("),
    "two objects": ("{} {}", "config.json: no JSON (extra data at line 1, column 4)"),
    "a list": ("[1]", "config.json: a list of 1 items at the top; accepted: a JSON object"),
    "a number": ("12", "config.json: 12 at the top; accepted: a JSON object"),
    "null": ("null", "config.json: null at the top"),
    "text": ('"gpt2"', 'config.json: "gpt2" at the top'),
    "a duplicate key": (
        '{"n_layer": 12, "n_layer": 12}',
        'config.json: "n_layer" is there twice; accepted: each key once',
    ),
    "a duplicate key inside": ('{"a": {"b": 1, "b": 2}}', 'config.json: "b" is there twice'),
    "NaN": ('{"n_layer": NaN}', "config.json: NaN stands where a value belongs"),
    "Infinity": ('{"n_layer": Infinity}', "config.json: Infinity stands where a value belongs"),
    "minus Infinity": ('{"n_layer": -Infinity}', "config.json: -Infinity stands where a value belongs"),
    "a number that overflows": (
        '{"rope_theta": 1e400}',
        "config.json: 1e400 stands where a value belongs; accepted: numbers that a float holds (up to 1.8e308)",
    ),
    "a negative number that overflows": ('{"a": [-1E999]}', "config.json: -1E999 stands where a value belongs"),
    "a long number that overflows": (
        '{"a": 1' + "0" * 400 + ".5}",
        "config.json: 1" + "0" * 59 + "… stands where a value belongs",
    ),
    "10^400": (
        '{"n_layer": 1' + "0" * 400 + "}",
        "config.json: an integer of 401 digits; accepted: integers of at most 40",
    ),
    "deep lists": ("[" * 100_000, "config.json: nested too deeply; accepted: at most 32 levels"),
    "deep objects": ('{"a":' * 100_000, "config.json: nested too deeply; accepted: at most 32 levels"),
    "much text": (
        " " * 2_000_001,
        "config.json: the text holds over 2,000,000 bytes; accepted: at most 2,000,000 bytes",
    ),
    "many wide letters": ("é" * 1_000_001, "config.json: the text holds over 2,000,000 bytes"),
}


@pytest.mark.parametrize(("text", "said"), TEXTS.values(), ids=TEXTS)
def test_text_that_is_no_object_of_a_configuration(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        anatomy.parse(text)
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_the_largest_and_smallest_numbers_are_read_and_a_dict_keeps_what_it_holds() -> None:
    text = json.dumps(GPT2)[:-1] + ', "a": 1.7976931348623157e308, "b": 1e-400}'
    assert anatomy.parse(text).parameters == 124439808
    assert anatomy.load({**GPT2, "rope_theta": float("inf")}).parameters == 124439808


def test_nesting_that_json_can_still_read_is_refused() -> None:
    text = json.dumps(changed(GPT2, extra=json.loads("[" * 40 + "]" * 40)))
    with pytest.raises(ConfigError, match="nested too deeply; accepted: at most 32 levels"):
        anatomy.parse(text)


def test_a_byte_order_mark_is_read_over() -> None:
    assert anatomy.parse("\ufeff" + json.dumps(GPT2)).parameters == 124439808


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "no model_type": (without(GPT2, "model_type"), "config: model_type is missing; accepted: apertus, arcee, "),
    "a near miss": (
        changed(GPT2, model_type="gpt-2"),
        'config: model_type is "gpt-2"; accepted: gpt2? Known: apertus, ',
    ),
    "another near miss": (changed(GPT2, model_type="LLaMA"), 'config: model_type is "LLaMA"; accepted: llama? Known: '),
    "an unknown family": (
        changed(GPT2, model_type="xyzzy"),
        'config: model_type is "xyzzy"; accepted: apertus, arcee, ',
    ),
    "a family that is a number": (changed(GPT2, model_type=2), "config: model_type is 2; accepted: apertus, "),
    "a family that is null": (changed(GPT2, model_type=None), "config: model_type is null; accepted: apertus, "),
    "a family that is a list": (
        changed(GPT2, model_type=["gpt2"]),
        "config: model_type is a list of 1 items; accepted: ",
    ),
    "a missing key": (
        without(GPT2, "n_layer"),
        "config: n_layer is missing; accepted: an integer from 1 to 1,000,000,000,000",
    ),
    "a null where nothing stands for it": (
        changed(LLAMA, hidden_size=None),
        "config: hidden_size is null; accepted: ",
    ),
    "zero": (changed(GPT2, n_layer=0), "config: n_layer is 0; accepted: an integer from 1 to "),
    "a negative": (changed(GPT2, n_embd=-768), "config: n_embd is -768; accepted: an integer from 1 to "),
    "a float": (changed(GPT2, n_embd=768.0), "config: n_embd is 768.0; accepted: an integer from 1 to "),
    "a boolean": (changed(GPT2, n_layer=True), "config: n_layer is true; accepted: an integer from 1 to "),
    "text": (changed(GPT2, n_layer="12"), 'config: n_layer is "12"; accepted: an integer from 1 to '),
    "a list": (changed(GPT2, n_layer=[12]), "config: n_layer is a list of 1 items; accepted: an integer from 1 to "),
    "an object": (changed(GPT2, n_layer={"a": 1}), "config: n_layer is an object of 1 keys; accepted: an integer "),
    "NaN": (changed(GPT2, n_layer=float("nan")), "config: n_layer is NaN; accepted: an integer from 1 to "),
    "Infinity": (changed(GPT2, n_layer=float("inf")), "config: n_layer is Infinity; accepted: an integer from 1 to "),
    "10^400": (
        changed(GPT2, n_layer=10**400),
        "config: n_layer is an integer of 1329 bits; accepted: an integer from 1 ",
    ),
    "one beyond": (
        changed(GPT2, n_layer=10**12 + 1),
        "config: n_layer is 1000000000001; accepted: an integer from 1 to ",
    ),
    "no boolean": (
        changed(LLAMA, tie_word_embeddings="false"),
        'config: tie_word_embeddings is "false"; accepted: true or false',
    ),
    "a number for a boolean": (
        changed(LLAMA, attention_bias=0),
        "config: attention_bias is 0; accepted: true or false",
    ),
    "heads that do not divide": (
        changed(GPT2, n_head=11),
        "config: n_head is 11, which does not divide n_embd 768; accepted: a divisor of n_embd",
    ),
    "KV heads that do not divide": (
        changed(LLAMA, num_key_value_heads=5),
        "config: num_key_value_heads is 5, which does not divide num_attention_heads 32; accepted: a divisor of ",
    ),
    "an option": (
        changed(GPT2, add_cross_attention=True),
        "config: add_cross_attention is true; accepted: false or null (cross-attention adds tensors)",
    ),
    "a class of another family": (
        changed(GPT2, architectures=["LlamaForCausalLM"]),
        'config: architectures is "LlamaForCausalLM"; accepted: GPT2LMHeadModel, GPT2Model, GPT2ForSequence',
    ),
    "two classes": (
        changed(GPT2, architectures=["GPT2Model"] * 2),
        "config: architectures is a list of 2 items; accepted: ",
    ),
    "a class outside a list": (
        changed(GPT2, architectures="GPT2Model"),
        'config: architectures is "GPT2Model"; accepted: ',
    ),
    "a class that is a number": (
        changed(GPT2, architectures=[1]),
        "config: architectures is a list of 1 items; accepted: ",
    ),
    "two spellings that disagree": (
        changed(GPT2, hidden_size=1024),
        "config: hidden_size is 1024; accepted: the same value as n_embd, 768",
    ),
    "two spellings of two types": (
        changed(GPT2, hidden_size=768.0),
        "config: hidden_size is 768.0; accepted: the same ",
    ),
}


@pytest.mark.parametrize(("values", "said"), REFUSED.values(), ids=REFUSED)
def test_a_configuration_that_cannot_be_read_for_certain_is_refused(values: dict[str, Any], said: str) -> None:
    assert refusal(values).startswith(said)


def test_a_refusal_repeats_little_of_what_it_refuses() -> None:
    assert refusal(changed(GPT2, n_layer="x" * 100_000)).startswith(
        'config: n_layer is "' + "x" * 60 + '…"; accepted: '
    )
    assert len(refusal(changed(GPT2, architectures=["y" * 100_000]))) < 300


SAME: dict[str, tuple[dict[str, Any], Callable[[dict[str, Any]], dict[str, Any]]]] = {
    "keys that change no shape": (
        GPT2,
        lambda values: changed(values, attn_pdrop=0.3, summary_type=None, torch_dtype=[1]),
    ),
    "unknown keys": (GPT2, lambda values: changed(values, answer=42, nested={"n_layer": 3})),
    "other spellings": (
        GPT2,
        lambda values: changed(without(values, "n_embd", "n_layer"), hidden_size=768, num_hidden_layers=12),
    ),
    "both spellings": (GPT2, lambda values: changed(values, hidden_size=768)),
    "a null that means the default": (LLAMA, lambda values: changed(values, attention_bias=None)),
    "an activation nobody knows": (LLAMA, lambda values: changed(values, hidden_act="xyzzy")),
    "an activation that is a number": (LLAMA, lambda values: changed(values, hidden_act=3)),
    "no class": (LLAMA, lambda values: without(values, "architectures")),
    "an empty list of classes": (LLAMA, lambda values: changed(values, architectures=[])),
}


@pytest.mark.parametrize(("values", "change"), SAME.values(), ids=SAME)
def test_what_changes_no_shape_is_let_through(
    values: dict[str, Any], change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    assert anatomy.load(change(values)).rows == anatomy.load(values).rows


def test_the_answer_says_which_defaults_were_used() -> None:
    bare = without(GPT2, "architectures")
    assert anatomy.load(bare).defaults == {
        "architectures": ["GPT2LMHeadModel"],
        "n_inner": 3072,
        "tie_word_embeddings": True,
    }
    assert anatomy.load(changed(bare, **anatomy.load(bare).defaults)).defaults == {}


def test_numbers_of_any_size_are_counted_exactly() -> None:
    values = changed(GPT2, n_layer=10**12, n_embd=10**12, n_head=10**6)
    assert anatomy.load(values).parameters == 10**12 * (12 * 10**24 + 13 * 10**12) + (50257 + 1024 + 2) * 10**12


def test_a_list_for_every_block_has_a_length_that_stays_cheap() -> None:
    qwen = dict(anatomy.entries()["qwen3-8b"].config)
    listed = changed(qwen, use_sliding_window=True, sliding_window=64, layer_types=["full_attention"] * 36)
    assert len(anatomy.load(listed).attention) == 1
    said = refusal(changed(listed, num_hidden_layers=2000, layer_types=["full_attention"] * 2000))
    assert said.startswith(
        "config: layer_types is a list of 2000 items; accepted: a list of 2,000 items (at most 1,024)"
    )


class TestConfig:
    """The record that families ask."""

    def test_null_may_have_a_meaning_of_its_own(self) -> None:
        config = Config({"a": None})
        assert config.integer("a", default=8, null=32) == 32
        assert config.integer("b", default=8, null=32) == 8
        with pytest.raises(ConfigError, match="a is null; accepted: an integer from 1"):
            config.integer("a", default=8)
        assert config.integer_or_none("a", 8) is None
        assert config.integer_or_none("b", 8) == 8
        assert config.integer_or_none("b", None) is None

    def test_bounds_are_said(self) -> None:
        with pytest.raises(ConfigError, match="a is 65; accepted: an integer from 1 to 64"):
            Config({"a": 65}).integer("a", maximum=64)
        with pytest.raises(ConfigError, match="a is -1; accepted: an integer from 0 to "):
            Config({"a": -1}).integer("a", minimum=0)

    def test_only_tells_types_apart(self) -> None:
        Config({"a": False}).only("a", False, None)
        Config({"a": None}).only("a", False, None)
        Config({}).only("a", True)
        others: tuple[object, ...] = (0, 0.0, "", [], {})
        for other in others:
            with pytest.raises(ConfigError, match=r"accepted: false or null \(so it is\)"):
                Config({"a": other}).only("a", False, None, why="so it is")

    def test_a_nested_configuration_is_named_in_errors(self) -> None:
        with pytest.raises(ConfigError, match=r"config\.json: inner: a is 0; accepted"):
            Config({"inner": {"a": 0}}).nested("inner").integer("a")
        for missing in ({}, {"inner": None}):
            with pytest.raises(ConfigError, match="inner is missing; accepted: an object"):
                Config(missing).nested("inner")
        with pytest.raises(ConfigError, match="inner is a list of 0 items; accepted: an object"):
            Config({"inner": []}).nested("inner")

    def test_a_default_inside_is_told_outside(self) -> None:
        config = Config({"inner": {}})
        config.nested("inner").integer("a", default=3)
        assert config.defaults == {"a": 3}

    def test_choices_are_one_for_each_block(self) -> None:
        assert Config({"a": ["x", "y"]}).choices("a", ("x", "y"), 2) == ["x", "y"]
        assert Config({"a": None}).choices("a", ("x", "y"), 2) is None
        for wrong in ("xy", ["x"], ["x", "z"], ["x", 1], {"x": 1}):
            with pytest.raises(ConfigError, match="a list of 2 items"):
                Config({"a": wrong}).choices("a", ("x", "y"), 2)


def test_values_are_shown_as_json_spells_them() -> None:
    assert [shown(value) for value in (None, True, 1.5, "a", -3, [1], {"a": 1})] == [
        "null",
        "true",
        "1.5",
        '"a"',
        "-3",
        "a list of 1 items",
        "an object of 1 keys",
    ]
    assert len(shown(10**70)) <= 61


def test_parse_keeps_the_order_of_keys() -> None:
    assert list(parse('{"b": 1, "a": {"d": 2, "c": 3}}')) == ["b", "a"]
