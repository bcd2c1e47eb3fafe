"""Small random configurations of every type against what its class of transformers then holds and multiplies."""

import json
from collections import Counter

import anatomy
from anatomy.reading.config import ConfigError
from anatomy.views.page import regions
from anatomy.visit.own import OWN_SLUG, Own
from anatomy.visit.state import State
from tests.witness import varied

CASES = varied.load()


def differences(case: varied.Values) -> str | None:
    """What of a case is wrong: nothing where it is right, None where it is refused."""
    try:
        model = anatomy.load(case["config"])
    except ConfigError:
        return None
    tensors = [(one.name, one.shape) for one in model.tensors() if not (one.row.tied_to or one.row.buffer)]
    found = {
        "total": model.parameters,
        "tensors": len(tensors),
        "digest": varied.digest(tensors),
        "flops": {length: model.flops(int(length)).per_pass for length in case["flops"]},
    }
    return ", ".join(f"{key} {value}, not {case[key]}" for key, value in found.items() if value != case[key])


def test_every_class_is_counted_right_or_refused_whatever_its_configuration_says() -> None:
    counted: Counter[tuple[str, str]] = Counter()
    wrong = []
    for case in CASES:
        kind = case["config"]["model_type"], case["config"]["architectures"][0]
        said = differences(case)
        counted[kind] += said == ""
        if said:
            wrong.append(f"{case['config']}: {said}")
    assert wrong == []
    assert [kind for kind, number in counted.items() if not number] == []


def test_there_are_enough_cases_of_each_class() -> None:
    kinds = Counter((case["config"]["model_type"], case["config"]["architectures"][0]) for case in CASES)
    assert set(kinds.values()) == {varied.EACH}


def test_every_class_can_be_shown() -> None:
    shown = set()
    for case in CASES:
        kind = case["config"]["model_type"], case["config"]["architectures"][0]
        if kind not in shown and differences(case) == "":
            state = State(model=OWN_SLUG, own=Own(json.dumps(case["config"])))
            for part in state.anatomy.parts:
                regions(State(model=OWN_SLUG, own=state.own, part=part.id, stack=part.stack), ("drawing", "panel"))
            shown.add(kind)
    assert len(shown) == len(CASES) // varied.EACH
