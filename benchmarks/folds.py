"""How often figures are worked out: every call of what counts is noted, with what it was given.

python benchmarks/folds.py
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from anatomy.counts import (
    conventions,
    curves,
    decoding,
    flops,
    memory,
    parameters,
    peak,
    shortcuts,
    training,
)
from anatomy.report import anatomy as record
from anatomy.views.page import regions
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model, choose_option, choose_seq_len

# What works a figure out, by the name it is told by; where the answers are kept, what runs when there is none yet.
FIGURES: dict[str, Callable[..., Any]] = {
    "forward pass": flops.at_any_length,
    "decode step": decoding.at_any_length,
    "training step": training.of,
    "KV cache": memory._kv_cache,
    "KV cache per token": memory.kv_per_token,
    "bytes of the weights": memory._weights,
    "peak activation": peak._peak,
    "2N": shortcuts.two_n,
    "12 L d²": shortcuts.twelve_l_d_squared,
    "other conventions": conventions.others,
    "parameters": parameters.of_model,
    "active parameters": parameters.active,
    "where attention overtakes": curves.overtakes,
    "anatomy": record._described,
    "groups": record.groups_of,
}
# A curve works the same figures out at many lengths, each once.
CURVES: tuple[Callable[..., Any], ...] = (curves.point, curves.cache)

Fold = tuple[str, tuple[object, ...]]


def _code(function: Callable[..., Any]) -> CodeType:
    inner: Callable[..., Any] = getattr(function, "__wrapped__", function)
    return inner.__code__


_NAMES, _APART = {_code(found): name for name, found in FIGURES.items()}, {_code(found) for found in CURVES}


@contextmanager
def noting() -> Iterator[Counter[Fold]]:
    """What is worked out meanwhile: how often each figure, by its name and what it was worked out for; curves apart."""
    found: Counter[Fold] = Counter()

    def heard(frame: FrameType, event: str, _argument: object) -> None:
        name = _NAMES.get(frame.f_code) if event == "call" else None
        if name and not _in_a_curve(frame):
            code = frame.f_code
            given = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            found[name, tuple(frame.f_locals[one] for one in given)] += 1

    before = sys.getprofile()
    sys.setprofile(heard)
    try:
        yield found
    finally:
        sys.setprofile(before)


def _in_a_curve(frame: FrameType | None) -> bool:
    while frame:
        if frame.f_code in _APART:
            return True
        frame = frame.f_back
    return False


def of(job: Callable[[], object]) -> Counter[Fold]:
    """What a job works out.

    >>> import anatomy
    >>> gpt2 = anatomy.load({**anatomy.entries()["gpt2"].config})
    >>> [name for name, _ in of(lambda: gpt2.flops(8))], [name for name, _ in of(lambda: gpt2.flops(8))]
    (['forward pass'], [])
    """
    with noting() as found:
        job()
    return found


STEPS: dict[str, Callable[[State], State]] = {
    "T": lambda state: choose_seq_len(state, str(state.seq_len + 1)),
    "model": lambda state: choose_model(state, "llama-3.1-405b"),
    "switch": lambda state: choose_option(state, "run", "train"),
}


def per_change(step: Callable[[State], State], state: State | None = None) -> Counter[Fold]:
    """What the whole page works out where one thing is chosen otherwise."""
    state = State(model="llama-3-70b", seq_len=4093) if state is None else state
    regions(state)
    return of(lambda: regions(step(state).settled()))


def main() -> None:
    """Print how many figures a change of T, of model and of a switch works out, and how many more than once."""
    for what, step in STEPS.items():
        found = per_change(step)
        said = ", ".join(f"{name} {number}" for name, number in Counter(name for name, _ in found).items())
        twice = sum(found.values()) - len(found)
        print(f"calls per change of {what}: {sum(found.values())}, repeated: {twice} ({said})")


if __name__ == "__main__":
    main()
