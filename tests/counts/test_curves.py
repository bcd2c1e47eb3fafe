"""Curves against T: where attention overtakes, found exactly, by walking where that can be done."""

import pytest

import anatomy
from anatomy.counts import curves
from anatomy.model.switches import DEFAULT, Options

SLUGS = [slug for slug in anatomy.entries() if "tokens" not in anatomy.load(slug).fixed_lengths]


@pytest.mark.parametrize("options", [DEFAULT, Options(square="causal"), Options(run="decode"), Options(run="train")])
@pytest.mark.parametrize("slug", SLUGS)
def test_attention_costs_more_from_there_on_and_not_before(slug: str, options: Options) -> None:
    model = anatomy.load(slug)
    found = curves.overtakes(model, options)
    if found is None:
        assert all(record.window or record.chunk or not record.causal for record in model.attention)
        return
    after, before = curves.point(model, found, options), curves.point(model, found - 1, options)
    assert after.attention > after.weights
    assert before.attention <= before.weights


def test_by_hand() -> None:
    # GPT-2 small: 247,064,064 FLOPs of weights a token, 4 x 768 x 12 for each key.
    assert curves.overtakes(anatomy.load("gpt2"), DEFAULT) == 247064064 // (4 * 768 * 12) + 1


@pytest.mark.parametrize("slug", ["gpt2", "llama-4-scout"])
def test_it_is_the_first_such_length(slug: str) -> None:
    model = anatomy.load(slug)
    options = Options(square="causal")
    found = curves.overtakes(model, options)
    assert found is not None
    for at in range(1, found, max(1, found // 500)):
        point = curves.point(model, at, options)
        assert point.attention <= point.weights


def test_chunks_may_dip_and_are_searched_to_their_first_crossing() -> None:
    values = dict(anatomy.entries()["llama-4-scout"].config)
    text = dict(values.get("text_config", values)) | {"attention_chunk_size": 50, "num_hidden_layers": 4}
    nested = {**values, "text_config": text} if "text_config" in values else text
    model = anatomy.load(nested)
    options = Options(square="causal")
    found = curves.overtakes(model, options)
    assert found is not None
    walked = range(max(1, found - 200), found)
    points = [curves.point(model, at, options) for at in walked]
    assert not any(point.attention > point.weights for point in points)


@pytest.mark.parametrize("last", [1, 2, 9, 1024, 10485760])
def test_lengths_ascend_to_the_last(last: int) -> None:
    found = curves.lengths(last, 7, last + 5)
    assert list(found) == sorted(set(found))
    assert (found[0], found[-1]) == (1, last)
    assert (7 in found) == (last >= 7)


def test_the_cache_bends_at_windows() -> None:
    model = anatomy.load("gemma-3-1b")
    assert curves.bends(model) == (512,)
    local, full = zip(*(curves.cache(model, at, DEFAULT) for at in (511, 512, 513)), strict=True)
    assert local[0] < local[1] == local[2]
    assert full[0] < full[1] < full[2]
