"""The page's report on the visitor's files, line by line, and what the command says of the same files as JSON."""

import json
from collections import Counter
from math import prod

import anatomy
from anatomy.catalog import LoadedModel
from anatomy.checkpoint import check
from anatomy.checkpoint.headers import Index, Shard, Stored
from anatomy.commands.check import in_words
from anatomy.report.checked import checked
from anatomy.views.page import regions
from anatomy.visit import brought
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model
from tests.checkpoints import LLAMA
from tests.elements import Element, elements

GPT2 = anatomy.load("gpt2")
Tensors = dict[str, tuple[int, ...]]


def files(tensors: Tensors, name: str = "a.safetensors") -> list[Shard]:
    """A file with these tensors."""
    return [Shard(name, tuple(Stored(one, size, "F32", name) for one, size in tensors.items()), {})]


def whole(model: LoadedModel = GPT2) -> Tensors:
    """Every tensor of a model."""
    return {one.name: one.shape for one in model.tensors()}


def spoilt() -> Tensors:
    """GPT-2's tensors: ten left out, one of another shape, and 58 that are none of its."""
    tensors = whole() | {"h.0.attn.bias": (1, 1, 1024, 1024), "wte.weight": (50258, 768)}
    for block in range(10):
        del tensors[f"h.{block}.ln_1.bias"]
    return tensors | {f"x.{number}": (number,) for number in range(2, 59)} | {"y": ()}


def report(state: State) -> Element:
    """The report as elements."""
    return elements(regions(state, ("check",))["check"]).one("div", id="check-report")


def with_files(tensors: Tensors, *indexes: Index) -> State:
    """The page with a file of these tensors."""
    state = brought.check_files(State(), files(tensors) if tensors else [], indexes)
    assert not state.notices
    return state


def cells(table: Element) -> list[tuple[str, str, str, str]]:
    """Each row: its status, and what its cells say."""
    found = []
    for row in table.one("tbody").children:
        status, name, size = row.children
        assert [one.name for one in row.children] == ["td", "th", "td"]
        assert name.one("code").text == name.text
        found.append((row["data-status"], status.text, name.text, size.text))
    return found


def test_tensors_that_are_all_there() -> None:
    shown = report(with_files(whole() | {"h.0.attn.bias": (1, 1, 1024, 1024)}))
    verdict = shown.one("p", "verdict")
    assert verdict["data-fits"] == "true"
    assert verdict.text == "✓ The tensors are those of GPT-2 small: all 148 match."
    assert shown.one("p", "note").text == "Read: a.safetensors; 149 tensors."
    assert not shown.all("table", "differs")
    assert not shown.all("a")
    expected = []
    for row in GPT2.rows:
        if not row.tied_to:
            number = sum(map(len, row.blocks)) or 1
            expected.append(("matching", f"✓ {number} matching", row.name, " × ".join(f"{one:,}" for one in row.shape)))
    extra = ("extra", "i 1 extra", "h.*.attn.bias", "1 × 1 × 1,024 × 1,024causal mask")
    assert cells(shown.one("table", "kinds")) == [*expected, extra]


def test_tensors_that_differ() -> None:
    shown = report(with_files(spoilt()))
    verdict = shown.one("p", "verdict")
    assert verdict["data-fits"] == "false"
    said = "10 tensors are missing, 1 tensor has another shape and 58 tensors are unexpected."
    assert verdict.text == f"✗ The tensors are not quite those of GPT-2 small: {said}"
    table = shown.one("table", "differs")
    assert table.one("caption").text == "Tensors that differ: 69"
    assert [one.text for one in table.one("thead").all("th")] == ["Status", "Tensor", "Shape"]
    missing = [("missing", "✗ missing", f"h.{block}.ln_1.bias", "768 expected") for block in range(10)]
    other = ("wrong shape", "✗ wrong shape", "wte.weight", "50,258 × 768 in the file, 50,257 × 768 expected")
    unexpected = [("unexpected", "✗ unexpected", f"x.{number}", f"{number} in the file") for number in range(2, 59)]
    last = ("unexpected", "✗ unexpected", "y", "one number in the file")
    assert cells(table) == [other, *unexpected, last, *missing][:60]
    assert [one.text for one in shown.all("p", "note")[1:]] == ["And 9 more."]


def test_a_report_can_be_cleared_and_nothing_else() -> None:
    for state in (State(), with_files(whole())):
        shown = elements(regions(state, ("check",))["check"])
        assert (shown.one("button", id="check-clear").get("disabled") is None) == (state.checkpoint is not None)
        assert bool(shown.one("div", id="check-report").children) == (state.checkpoint is not None)


def test_as_many_as_are_listed_are_all() -> None:
    shown = report(with_files(whole() | {f"x.{number}": (number,) for number in range(60)}))
    assert len(cells(shown.one("table", "differs"))) == 60
    assert len(shown.all("p", "note")) == 1


def test_of_many_files_four_are_named() -> None:
    for many, said in ((4, ""), (5, " and 1 more"), (6, " and 2 more")):
        shards = [shard for number in range(many) for shard in files({f"x.{number}": (1,)}, f"{number}.safetensors")]
        shown = report(brought.check_files(State(), shards, []))
        named = ", ".join(f"{number}.safetensors" for number in range(4))
        assert shown.all("p", "note")[0].text == f"Read: {named}{said}; {many} tensors."


def test_another_model_is_suggested_where_the_files_are_its() -> None:
    medium = report(with_files(whole(anatomy.load("gpt2-medium"))))
    link = medium.one("p", "suggestion").one("a", id="check-fit")
    assert (link["href"], link["data-action"]) == ("#model=gpt2-medium", "go")
    words = "They look like those of GPT-2 medium: show that model and check against it."
    assert medium.one("p", "suggestion").text == words
    assert not report(choose_model(with_files(whole(anatomy.load("gpt2-medium"))), "gpt2-medium")).all(
        "p", "suggestion"
    )
    assert not report(with_files({"x": (1,)})).all("p", "suggestion")
    assert not report(with_files(spoilt())).all("p", "suggestion")


def test_an_index_alone_has_names_and_no_shapes() -> None:
    index = Index("a.index.json", dict.fromkeys(whole(), "a.safetensors"))
    state = with_files({}, index)
    shown = report(state)
    assert shown.one("p", "note").text == "Read: a.index.json; 148 tensors."
    assert cells(shown.one("table", "kinds"))[2] == ("unread", "· 12 unread", "h.{block}.ln_1.weight", "")
    assert state.checkpoint
    told = checked(check(GPT2, state.checkpoint), GPT2)
    assert (told["checkpoint"]["elements"], told["sum"]) == (None, None)
    assert {(one["dtype"], one["shape"]) for one in told["tensors"]} == {(None, None)}


def test_the_report_as_json() -> None:
    state = with_files(spoilt())
    assert state.checkpoint
    told = checked(check(GPT2, state.checkpoint), GPT2, "so")
    tensors, expected = spoilt(), whole()
    model = {"slug": "gpt2", "name": "GPT-2 small", "parameters": 124_439_808, "chosen": "so"}
    assert told["model"] == model
    assert checked(check(GPT2, state.checkpoint), GPT2)["model"]["chosen"] is None
    elements_ = sum(map(prod, tensors.values()))
    assert told["checkpoint"] == {
        "path": state.checkpoint.name,
        "files": ["a.safetensors"],
        "absent_files": [],
        "faults": [],
        "elements": elements_,
    }
    assert told["fits"] is False
    assert told["verdict"] == report(state).one("p", "verdict").text.removeprefix("✗ ")
    assert told["remarks"] == [one.text for one in report(state).one("ul", "remarks").children]
    assert told["counts"] == Counter(one["status"] for one in told["tensors"]) | {
        status: 0 for status in told["counts"] if not any(one["status"] == status for one in told["tensors"])
    }
    first, *steps = told["sum"]
    assert first == {"elements": 124_439_808, "tensors": None, "each": None, "what": "parameters"}
    assert sum(one["elements"] for one in told["sum"]) == elements_
    for one in steps:
        assert set(one) == {"elements", "tensors", "each", "what"}
        assert one["tensors"] > 0
        assert one["each"] is None or one["each"] * one["tensors"] == abs(one["elements"])
    assert {"elements": -7680, "tensors": 10, "each": None, "what": "missing"} in steps
    found = {one["name"]: one for one in told["tensors"]}
    assert found.keys() == tensors.keys() | expected.keys()
    for name, one in found.items():
        here, there = tensors.get(name), expected.get(name)
        assert (one["file"], one["dtype"]) == (("a.safetensors", "F32") if here is not None else (None, None))
        assert one["shape"] == (list(here) if here is not None else None)
        assert one["expected_shape"] == (list(there) if there is not None and one["status"] != "extra" else None)
        assert one["packing"] is None
        status = (
            "missing" if here is None else "matching" if here == there else "wrong shape" if there else "unexpected"
        )
        assert one["status"] == ("extra" if name == "h.0.attn.bias" else status)
        assert bool(one["why"]) == (name == "h.0.attn.bias")


def test_the_report_in_words() -> None:
    state = with_files(spoilt())
    assert state.checkpoint
    head, kinds, different = in_words(check(GPT2, state.checkpoint), GPT2).split("\n\n")[-3:]
    assert head
    assert kinds.split()[:4] == ["status", "tensors", "shape", "name"]
    said = different.splitlines()
    assert said[0] == "wrong shape: wte.weight  50,258 × 768 in a.safetensors; expected 50,257 × 768"
    assert said[1] == "unexpected: x.2  2 in a.safetensors"
    assert said[58] == "unexpected: y  one number in a.safetensors"
    assert said[-1] == "missing: h.9.ln_1.bias  expected 768"
    assert len(said) == 69


def test_the_report_in_words_lists_a_hundred() -> None:
    for many in (100, 101, 1102):
        shards = files(whole() | {f"x.{number}": (1,) for number in range(many)})
        state = brought.check_files(State(), shards, [])
        assert state.checkpoint
        said = in_words(check(GPT2, state.checkpoint), GPT2).split("\n\n")[-1].splitlines()
        more = f"{many - 100:,}"
        assert said[100:] == ([f"and {more} more (--json lists them)"] if many > 100 else [])


def test_weights_in_words_of_several_numbers() -> None:
    """As GPTQ stores them: eight numbers of four bits to a word, with scales and zero points beside them."""
    llama = anatomy.load(LLAMA)
    tensors = {one.name: Stored(one.name, one.shape, "F16", "a") for one in llama.tensors()}
    stem = "model.layers.0.mlp.up_proj"
    del tensors[f"{stem}.weight"]
    for name, size, dtype in (
        ("qweight", (2, 24), "I32"),
        ("qzeros", (1, 3), "I32"),
        ("scales", (1, 24), "F16"),
        ("g_idx", (16,), "I32"),
    ):
        tensors[f"{stem}.{name}"] = Stored(f"{stem}.{name}", size, dtype, "a")
    state = brought.own_config(State(), json.dumps(LLAMA))
    state = brought.check_files(state, [Shard("a", tuple(tensors.values()), {})], [])
    assert state.checkpoint
    found = check(llama, state.checkpoint)
    told = {one["name"]: one for one in checked(found, llama)["tensors"]}
    packed = told[f"{stem}.qweight"]
    assert (packed["status"], packed["packing"]) == ("packed", {"format": "GPTQ", "bits": 4})
    assert {name for name, one in told.items() if one["packing"]} == {f"{stem}.qweight"}
    rows = [one for one in cells(report(state).one("table", "kinds")) if one[0] == "packed"]
    name = "model.layers.*.mlp.up_proj.qweight"
    assert rows == [("packed", "✓ 1 packed", name, "2 × 24GPTQ, 4 bits")]
    lines = [line.split() for line in in_words(found, llama).splitlines() if line.startswith("packed")]
    assert lines == [["packed", "1", "2", "×", "24", name, "GPTQ,", "4", "bits"]]
