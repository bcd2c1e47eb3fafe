"""What the page is made of, kept in files to look through: python -m tests.views.approved writes them anew.

The words and elements of all regions are in ``words.txt``: each kind of line once, figures as #, since other tests know
these. The drawings are in ``drawings/`` as they are, to be opened in any browser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import anatomy
from anatomy.checkpoint.headers import Shard, Stored
from anatomy.views.page import VIEWS, marked, regions
from anatomy.visit import brought, steps
from anatomy.visit.address import from_hash
from anatomy.visit.state import State
from tests.checkpoints import GPT2
from tests.elements import Element, elements

HERE = Path(__file__).parent
WORDS, DRAWINGS = HERE / "words.txt", HERE / "drawings"
SHOWN = ("gpt2", "deepseek-v2-lite", "gemma-3-1b", "llama-4-scout", "bert-base-uncased", "t5-small", "vit-base")
DRAWN = (
    "gpt2",
    "deepseek-v2-lite",
    "gemma-2-2b",
    "bart-base",
    "falcon-7b",
    "qwen1.5-moe-a2.7b",
    "gemma-3-1b compute",
    "gemma-3-1b memory",
)
PROSE = frozenset({"panel", "div.body"})
# Attributes whose figures belong to the model, and elements whose words are its names.
FIGURES = frozenset({"x", "x1", "x2", "width", "value", "max", "href", "data-value", "data-t", "aria-valuetext", "d"})
NAMES = frozenset({"code", "data", "option", "textarea", "pre", "sub"})
# Words that other tests hold against the rows or that are prose about a model.
ELSEWHERE = frozenset({"equation", "value", "label", "symbols", "how", "size", "exact"})


REGIONS = tuple(name for name in VIEWS if name != "drawing")


@lru_cache(maxsize=1)
def states() -> tuple[tuple[State, tuple[str, ...]], ...]:
    """Pages that between them show every kind of thing, with the regions to look at."""
    return tuple(_states())


def _states() -> Iterator[tuple[State, tuple[str, ...]]]:
    for slug in SHOWN:
        state = steps.choose_model(State(), slug)
        yield state, REGIONS
        for part in state.anatomy.parts:
            yield steps.select_part(state, *state.anatomy.address(part)), ("chosen", "panel")
    for state in _others():
        yield state, REGIONS


def _others() -> Iterator[State]:
    first = State()
    yield steps.choose_seq_len(first, "64")
    yield steps.choose_seq_len(first, "0")
    yield steps.choose_seq_len(first, "1024")
    for switch, value in (("run", "decode"), ("run", "train"), ("square", "causal"), ("batch", "7"), ("batch", "x")):
        yield steps.choose_option(first, switch, value)
    yield steps.choose_option(steps.choose_option(first, "weights", "int4"), "cache", "int8")
    yield from_hash(first, "#model=gpt5&part=tail&with=gpt6")
    yield from_hash(first, "#model=gpt2&with=llama-3-70b")
    yield from_hash(first, "#model=mixtral-8x7b&with=vit-base&t=8")
    yield from_hash(first, "#model=gpt2&with=gpt2-xl&t=8")
    seen = first
    for part in first.anatomy.parts:
        seen = steps.select_part(seen, part.id).settled()
    yield seen
    yield steps.with_progress(first, frozenset({"mlp"}))
    own = brought.own_config(first, json.dumps(GPT2))
    yield own
    yield steps.choose_model(steps.choose_other(own, "own"), "gpt2")
    yield brought.own_config(own, '{"model_type": "gpt9"}')
    files = [Stored("wte.weight", (50257, 768), "F32", "a"), Stored("x", (), "F32", "a"), Stored("y", (2,), "F32", "a")]
    checked = brought.check_files(first, [Shard("a", tuple(files), {})], [])
    yield checked
    yield from_hash(checked, "#model=llama-3-70b")
    whole = [Stored(one.name, one.shape, "F32", "a") for one in anatomy.load("gpt2").tensors()]
    yield brought.check_files(first, [Shard("a", tuple(whole), {})], [])
    yield brought.refused(first, brought.CHECK, "no file")


def words(region: str) -> list[str]:
    """Every kind of line of a region: the element with its parent, its attributes, and its own words."""
    found: set[str] = set()
    for state, names in states():
        if region in names:
            root = elements(regions(state, (region,))[region])
            found.add(f"{region}: | {_masked(''.join(_own(root)), state)}")
            found |= {f"{region}: {line}" for line in _lines(root, state, region)}
    return sorted(line.replace("\n", "⏎") for line in found)


def _lines(element: Element, state: State, above: str) -> Iterator[str]:
    for one in element.children:
        called = ".".join([one.name, *(style for style in one.classes if not style.startswith("g-"))])
        attributes = [f"{key}={_plain(key, value)}" for key, value in one.attributes.items() if key != "class"]
        said = re.sub("¦+", "¦", _masked("¦".join(_own(one)), state)).strip("¦ ")
        if one.name in NAMES or ELSEWHERE & {*one.classes} or (above in PROSE and one.classes == ["reading"]):
            said = "…" if said else ""
        yield " ".join([f"{above} > {called}", *attributes, *(["|", said] if said else [])])
        yield from _lines(one, state, called)


def _own(one: Element) -> Iterator[str]:
    for inside in one.inside:
        yield inside.strip("\n") if isinstance(inside, str) else ""


def _plain(key: str, value: str) -> str:
    if key in FIGURES:
        return "#"
    if (
        key in ("data-symbol", "data-blocks", "viewBox", "for", "data-piece", "data-group", "data-line")
        or "\n" in value
    ):
        return "…"
    return re.sub(r"\d[\d.,]*%?", "#", value) if key in ("id", "aria-label", "aria-describedby") else value


def _masked(text: str, state: State) -> str:
    for name in (state.loaded.name, state.loaded.called):
        text = text.replace(name, "MODEL")
    return re.sub(r"\d[\d.,]*%?|(?<=#) ?[KMGTPEB]\b", "#", text)


def drawing(name: str) -> str:
    """The diagram of a model, or what a page draws of costs, as an SVG file."""
    slug, _, region = name.partition(" ")
    state = steps.choose_model(State(), slug)
    if not region:
        return _files(marked(regions(state, ("drawing",))["drawing"], state))[0]
    return next(one for one in _files(regions(state, (region,))[region]) if "plot" in one)


def _files(markup: str) -> list[str]:
    found = re.findall(r"<svg .*</svg>", markup.replace("</svg></figure>", "</svg>\n").replace("<figure", "\n<figure"))
    return [
        one.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace("><", ">\n<") + "\n"
        for one in found
    ]


def path(name: str) -> Path:
    """The file of a drawing."""
    return DRAWINGS / f"{name.replace(' ', '-')}.svg"


def main() -> None:
    """Write what the page shows now."""
    WORDS.write_text("".join(f"{line}\n" for region in REGIONS for line in words(region)), encoding="utf-8")
    DRAWINGS.mkdir(exist_ok=True)
    for name in DRAWN:
        path(name).write_text(drawing(name), encoding="utf-8")


if __name__ == "__main__":
    main()
