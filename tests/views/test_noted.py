"""A region is made again when something changes that it read of the state, and only then."""

import ast
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from anatomy import entries
from anatomy.checkpoint import Checkpoint
from anatomy.model.switches import CHOICES, Options
from anatomy.report.anatomy import default_seq_len
from anatomy.views import page
from anatomy.views.page import VIEWS, regions
from anatomy.visit import brought
from anatomy.visit.noted import Noted, unchanged
from anatomy.visit.state import MODEL, PART, SEQ_LEN, State, visit_key
from anatomy.visit.steps import choose_model, choose_option, choose_seq_len, select_part, with_part

# One of each kind: plain, experts, an encoder and a decoder, an encoder, an image, windows, latents.
SLUGS = ("gpt2", "mixtral-8x7b", "t5-base", "bert-base-uncased", "vit-base", "gemma-3-1b", "deepseek-v3")
OWN = brought.own_config(State(), json.dumps(dict(entries()["llama-3-8b"].config))).own
ROOT = Path(__file__).parent.parent.parent


def drawn(chance: random.Random) -> State:
    """A state that a visitor may have come to, every field of it drawn."""
    own = chance.choice([None, OWN])
    state = State(own=own, model=chance.choice([*SLUGS, *(["own"] if own else [])]))
    state = replace(state, seq_len=default_seq_len(state.loaded, chance.choice([8, 9, 700])))
    anatomy = state.anatomy
    part = chance.choice(anatomy.parts)
    state = with_part(state, *anatomy.address(part))
    solved = chance.sample(["scores", "mlp", "keys", "cache"], chance.randint(0, 4))
    options = {switch: chance.choice(values) for switch, values in CHOICES.items()}
    controls = ("model", "seq-len", "part", "with", "own-config", "check-checkpoint", "batch")
    return replace(
        state,
        notices={chance.choice(controls): "refused"} if chance.random() < 0.5 else {},
        changed=chance.choice(["", SEQ_LEN, MODEL, PART]),
        visited=frozenset((state.model, visit_key(anatomy, one)) for one in anatomy.parts if chance.random() < 0.5),
        solved=dict.fromkeys(solved, "so"),
        fresh=frozenset(solved[:1]),
        other=chance.choice([None, "llama-3-70b", "gpt2"]),
        draft=chance.choice(["", "{"]),
        checkpoint=chance.choice([None, Checkpoint("a folder", {}, ())]),
        tasks=chance.choice([(), ("mlp", "cache"), ("tied",)]),
        options=Options(**options, batch=chance.choice([1, 3])),
    )


def test_every_field_of_a_state_is_drawn() -> None:
    some = [drawn(random.Random(seed)) for seed in range(60)]
    for field in fields(State):
        assert any(getattr(one, field.name) != getattr(some[0], field.name) for one in some), field.name


@pytest.mark.parametrize("seed", range(20))
def test_a_region_says_the_same_while_what_it_read_is_the_same(seed: int) -> None:
    chance = random.Random(seed)
    state, other = drawn(chance), drawn(chance)
    for name, view in VIEWS.items():
        noted = Noted(state)
        made = view(noted)
        # All that it did not read is another's; the fields that it did read make it a state that can be shown.
        read: dict[str, Any] = dict(noted.read)
        moved = replace(other, **read)
        assert unchanged(noted.read, moved)
        assert view(moved) == made, f"{name} does not say that it reads something else than {sorted(noted.read)}"


Step = Callable[[State], State]
STEPS: dict[str, tuple[Step, set[str]]] = {
    "a challenge solved": (lambda state: replace(state, solved={"mlp": "so"}), {"challenges", "more-challenges"}),
    "a part visited": (lambda state: replace(state, visited=frozenset()), {"try-this"}),
    "a part": (lambda state: select_part(state, "mlp"), {"panel", "told"}),
    "a switch": (
        lambda state: choose_option(state, "run", "decode"),
        {"bar-rest", "bar-size", "figures", "panel", "drawing", "parts", "try-this", "switches", "compute", "memory"},
    ),
    "a refusal": (
        lambda state: choose_seq_len(state, "none"),
        {"told", "switches", "comparison", "own", "check"},
    ),
    "T": (
        lambda state: choose_seq_len(state, "9"),
        set(VIEWS)
        - {"purpose", "model-control", "where", "challenges", "more-challenges", "cell", "own", "check", "footer"}
        - {"comparison"},
    ),
    "a model": (
        lambda state: choose_model(state, "llama-3-8b"),
        set(VIEWS) - {"challenges", "more-challenges", "cell", "own"},
    ),
    "nothing": (lambda state: replace(state), set()),
}


@pytest.mark.parametrize("step", STEPS)
def test_only_what_reads_something_that_changed_is_made_again(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: Counter[str] = Counter()

    def watched(name: str, view: Callable[[State], Any]) -> Callable[[State], Any]:
        def seen(state: State) -> Any:
            made[name] += 1
            return view(state)

        return seen

    act, expected = STEPS[step]
    monkeypatch.setattr(page, "VIEWS", {name: watched(name, view) for name, view in VIEWS.items()})
    monkeypatch.setattr(page, "_made", {})
    state = State()
    first = regions(state)
    assert made == dict.fromkeys(VIEWS, 1)
    made.clear()
    after = regions(act(state))
    assert made == dict.fromkeys(expected, 1)
    assert {name for name in VIEWS if after[name] != first[name]} <= expected


def test_nothing_that_is_kept_takes_a_state() -> None:
    """It would be read the first time only, and no longer be noted."""
    for folder in ("views", "visit", "teaching"):
        for path in (ROOT / "anatomy" / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef) and any(
                    "cache" in ast.unparse(one) for one in node.decorator_list
                ):
                    taken = {ast.unparse(one.annotation) for one in node.args.args if one.annotation}
                    assert taken, f"{path.name}: what {node.name} takes is not said"
                    assert "State" not in taken, f"{path.name}: {node.name} keeps what it reads of a state"
