"""The catalogue's models in a line each: figures as the record has them, kinds as their configurations say."""

import pytest

import anatomy
from anatomy.report import describe
from anatomy.report.facts import KINDS, facts


@pytest.mark.parametrize(
    ("slug", "kinds"),
    [
        ("gpt2", ()),
        ("llama-3-8b", ("grouped-query",)),
        ("falcon-7b", ("multi-query",)),
        ("deepseek-v2-lite", ("latent", "experts")),
        ("mixtral-8x7b", ("grouped-query", "experts")),
        ("gemma-3-1b", ("multi-query", "windows")),
        ("llama-4-scout", ("grouped-query", "experts", "windows")),
        ("bert-base-uncased", ("encoder",)),
        ("vit-base", ("encoder", "images")),
        ("bart-base", ("encoder-decoder",)),
        ("whisper-tiny", ("encoder-decoder", "speech")),
    ],
)
def test_a_model_is_of_the_kinds_that_its_configuration_says(slug: str, kinds: tuple[str, ...]) -> None:
    assert facts(slug).kinds == kinds


def test_the_figures_are_those_of_the_record() -> None:
    lines = [facts(slug) for slug in anatomy.entries()]
    assert {kind for line in lines for kind in line.kinds} == set(KINDS)
    for line in lines:
        model = anatomy.load(line.slug)
        shown = describe(model, model.fixed_lengths.get("tokens", 8))
        assert (line.parameters, line.active) == (model.parameters, model.active_parameters)
        assert line.cache == shown.kv_bytes_per_token
        assert line.context in (shown.longest, None)
        assert model.entry
        assert (line.maker, str(line.year)) == (model.entry.maker, model.entry.released[:4])
    assert [(line.context, line.cache) for line in lines if line.slug in ("vit-base", "t5-small", "gpt2")] == [
        (197, None),
        (None, facts("t5-small").cache),
        (1024, 36864),
    ]
