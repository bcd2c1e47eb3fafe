"""Every number of every command, in words and as JSON, against a second count."""

import csv
import io
import json
import re
from fractions import Fraction
from math import prod
from typing import Any

import pytest

import anatomy
from anatomy import cli
from anatomy.visit.state import State
from anatomy.visit.steps import choose_option, choose_seq_len
from tests.second_conventions import others
from tests.second_count import BYTES, Second, cases, reads, second, share
from tests.second_shapes import activations, expected_weights

CASES = cases()


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints."""
    assert cli.main(arguments) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def same(shown: Any, value: int | Fraction) -> None:
    """A JSON number: an integer where the value is whole, else the decimal number nearest to it."""
    expected = int(value) if value.denominator == 1 else float(value)
    assert (type(shown), shown) == (type(expected), expected)


def both(shown: dict[str, Any], per_pass: int, tokens: int) -> None:
    """FLOPs of a pass and of a token."""
    assert set(shown) == {"per_pass", "per_token"}
    same(shown["per_pass"], per_pass)
    same(shown["per_token"], Fraction(per_pass, tokens))


@pytest.mark.parametrize(("slug", "seq_len"), CASES)
def test_show_as_json(capsys: pytest.CaptureFixture[str], slug: str, seq_len: int) -> None:
    shown = json.loads(printed(capsys, "show", slug, "--seq-len", str(seq_len), "--json"))
    count = second(slug, seq_len)
    model, entry = count.model, anatomy.entries()[slug]
    assert shown["seq_len"] == seq_len
    expected = {
        "slug": slug,
        "name": entry.name,
        "maker": entry.maker,
        "model_type": model.model_type,
        "architecture": model.architecture,
        "stacks": [{"id": one.id, "blocks": one.blocks} for one in model.stacks],
        "width": model.width,
        "vocabulary": model.vocabulary,
        "context": model.context,
    }
    assert {key: shown["model"][key] for key in expected} == expected
    assert shown["model"]["defaults"] == json.loads(json.dumps(dict(model.defaults)))
    expected = {
        "total": count.total,
        "without_embeddings": count.inside,
        "active": count.active,
        "active_without_token_table": count.active - count.table,
        "released_total": entry.released_total,
        "tied_unembedding": any(
            bool(row.tied_to) for row in model.rows if row.part_id == "unembedding" and row.matrices
        ),
    }
    assert {key: shown["parameters"][key] for key in expected} == expected
    assert [(one["id"], one["parameters"]) for one in shown["groups"]] == list(count.groups.items())
    for one in shown["groups"]:
        same(one["share"], Fraction(one["parameters"], count.total))
        assert one["label"]
    kinds = [(stack.id, blocks) for stack in model.stacks for blocks in count.kinds(stack.id)]
    for one, (stack, blocks) in zip(shown["block_kinds"], kinds, strict=True):
        inside = [place for place in count.places() if place.stack == stack and place.blocks == blocks]
        held = sum(count.per_block(count.rows(place)) for place in inside)
        assert (one["stack"], one["blocks"], one["parameters"]) == (stack, inside[0].label, held)
    parts(shown, count)
    memory(shown, count)
    flops(shown, count)
    expected_others = {
        (figure, name): value for figure, found in others(count).items() for name, value in found.items() if name
    }
    told = {(one["figure"], one["id"]): one for one in shown["other_conventions"]}
    for key, value in expected_others.items():
        same(told[key]["value"], value)
        assert told[key]["unit"] is None
    for figure, name in told.keys() - expected_others.keys():
        assert name == "binary"
        unit = told[figure, name]["unit"]
        size = {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}[unit]
        ours = count.total * 2 if figure == "weights" else count.cache() or 0
        assert size <= ours < size * 1024
        same(told[figure, name]["value"], Fraction(ours, size))
    for one in shown["name"]:
        times, number, unit = re.fullmatch(r"[A-Z]?(?:(\d+)x)?([\d.]+)([KMBT])", one["written"]).groups()  # type: ignore[union-attr]
        assert one["claimed"] == Fraction(number) * int(times or 1) * {"M": 10**6, "B": 10**9}[unit]
        assert one["active"] == one["written"].startswith("A")
        assert one["true"] == (count.active if one["active"] else count.total)


def parts(shown: dict[str, Any], count: Second) -> None:
    """Each part with all that it holds and computes."""
    for one, place in zip(shown["parts"], count.places(), strict=True):
        assert (one["id"], one["stack"], one["blocks"]) == (place.id, place.stack, place.label)
        assert one["parameters"] == count.held(place)
        assert one["parameters_per_block"] == (count.per_block(count.rows(place)) if place.blocks else None)
        same(one["share"], Fraction(count.held(place), count.total))
        assert one["label"]
        weights = sorted(
            (weight["symbol"], shaped(weight["shape"]), weight["count"], weight["parameters"])
            for weight in one["weights"]
        )
        expected = []
        for symbol, shape, many, held in expected_weights(count, place):
            number = int(re.sub(r"\D", "", many) or 1)
            expected.append((symbol, shape, number, int(held.partition(" ")[0])))
        assert weights == sorted(expected)
        stored = {(row.name, row.shape, row.tied_to, row.buffer, row.layout or None) for row in count.rows(place)}
        assert stored == {
            (
                weight["stored_name"],
                tuple(weight["stored_shape"]),
                weight["tied_to"],
                weight["buffer"],
                weight["layout"],
            )
            for weight in one["weights"]
        }
        computed = [(tensor["symbol"], shaped(tensor["shape"])) for tensor in one["activations"]]
        assert computed == [(name, shape) for name, shape, _ in activations(count, place)]
    by_part = [(place, count.flops(place)) for place in count.places() if count.flops(place)]
    for one, (place, found) in zip(shown["flops"]["by_part"], by_part, strict=True):
        assert one == {"id": place.id, "stack": place.stack, "blocks": place.label, "per_pass": found}


def shaped(sizes: list[int]) -> str:
    """A shape in words."""
    return " × ".join(f"{size:,}" for size in sizes)


def flops(shown: dict[str, Any], count: Second) -> None:
    """FLOPs of every kind of run."""
    told, t = shown["flops"], count.seq_len
    both(told["full"], count.run(), t)
    assert told["square"] == "full"
    both(told["windows"], count.run(square="windows"), t)
    both(told["causal"], count.run(square="causal"), t)
    both(told["sampling_prefill"], sampled(count), t)
    both(told["training_step"], 3 * count.run(), t)
    both(told["training_step_windows"], 3 * count.run(square="windows"), t)
    both(told["training_step_recomputing"], 4 * count.run(), t)
    step = dict.fromkeys(("full", "windows", "causal"), count.run("decode")) if count.writes else None
    assert told["decode_step"] == step
    assert told["shortcuts"]["2N_per_token"] == 2 * count.active
    assert told["shortcuts"]["6N_per_token"] == 6 * count.active
    blocks = sum(one.blocks for one in count.model.stacks)
    assert told["shortcuts"]["12Ld2_parameters"] == 12 * blocks * count.model.width**2
    crossing = told["attention_overtakes_at"]
    if crossing is not None and "tokens" not in count.model.fixed_lengths:
        at, before = Second(count.model, crossing), Second(count.model, max(1, crossing - 1))
        assert 2 * at.square_alone() > at.run()
        assert 2 * before.square_alone() <= before.run() or crossing == 1


def sampled(count: Second) -> int:
    """FLOPs of a prefill whose unembedding is applied once."""
    places = [place for place in count.places() if place.id == "unembedding"]
    every, once = count.run(), 0
    for place in places:
        for row in count.rows(place):
            for one in row.matrices:
                if row.multiplies == "tokens":
                    every -= 2 * count.seq_len * one.elements
                    once += 2 * one.elements
    return every + once


def memory(shown: dict[str, Any], count: Second) -> None:
    """Bytes of everything."""
    told = shown["memory"]
    types = ("fp32", "bf16", "fp8", "int8", "int4")
    assert {name: told["weights_bytes"][name] for name in types} == {name: count.weights(name) for name in types}
    small = ("fp8", "int8", "int4")
    assert told["mixed_weights_bytes"] == {name: count.weights(name, mixed=True) for name in small}
    peak = told["peak_activation"]
    inner = count.inner
    assert (peak["dtype"], peak["batch"]) == (inner, 1)
    assert (peak["bytes"], peak["bytes_fused"]) == (count.peak(inner), count.peak(inner, fused=True))
    assert told["weights_bytes"]["as_released"] == sum(count.released().values())
    assert told["released"]["bytes_by_type"] == count.released()
    assert told["weights"] == {"dtype": "released", "bytes": count.weights("released")}
    about = count.weights("released") + (count.cache() or 0) + count.peak(inner, fused=True)
    assert (told["about"]["bytes"], told["about"]["attention"]) == (about, "fused")
    assert peak["part"].rpartition("/")[2] in ("attention", "cross-attention", "mlp", "experts", "shared-expert")
    if count.cache() is None:
        assert told["kv_cache"] is None
        return
    expected = {"dtype": "bf16", "batch": 1, "bytes_per_token": int(count.growth()), "bytes": count.cache()}
    assert {key: told["kv_cache"][key] for key in expected} == expected


@pytest.mark.parametrize(("slug", "seq_len"), CASES)
def test_show_in_words(capsys: pytest.CaptureFixture[str], slug: str, seq_len: int) -> None:
    head, *sections = printed(capsys, "show", slug, "--seq-len", str(seq_len)).split("\n\n")
    count, model = second(slug, seq_len), anatomy.load(slug)
    figures, groups, parts_, conventions = (section.strip("\n").split("\n") for section in sections)
    title = head.split("\n")[0]
    without = f" without its {' and its '.join(IMAGES)}" if "vision_config" in anatomy.entries()[slug].config else ""
    assert title.startswith(f"{anatomy.entries()[slug].name} ({model.model_type}, {model.architecture}){without}: ")
    assert f": {', '.join(f'{one.blocks} {one.id} blocks' for one in model.stacks)}, width {model.width:,}, " in title
    assert title.endswith(f"context {model.context:,}" if model.context else "no context limit of its own")
    assert (len(head.split("\n")) == 2) == bool(model.defaults)
    cells = {line.partition("  ")[0]: [cell for cell in re.split(r"\s{2,}", line)[1:] if cell] for line in figures}
    run = count.run()
    expected: dict[str, int | Fraction] = {"parameters": count.total, "without embeddings": count.inside}
    if count.active != count.total:
        expected["active"] = count.active
    expected[f"forward FLOPs, T = {seq_len:,}, full square"] = run
    windows, causal = count.run(square="windows"), count.run(square="causal")
    if windows != run:
        expected |= {"forward FLOPs by windows": windows, "training step by windows": 3 * windows}
    if causal != run:
        expected["forward FLOPs, causal"] = causal
    if count.writes:
        expected[f"decode step, cache of {seq_len:,}"] = count.run("decode")
        expected["prefill, logits of the last token only"] = sampled(count)
    expected |= {"training step, full square": 3 * run, "training step, recomputing": 4 * run}
    expected["2N shortcut for the pass"] = 2 * count.active * seq_len
    if count.cache() is not None:
        expected["KV cache bytes (bf16)"] = count.cache() or 0
        expected["KV cache bytes per token (bf16)"] = int(count.growth())
    for dtype in BYTES:
        if dtype != "fp16":
            floor = ", a floor" if BYTES[dtype] < 2 else ""
            expected[f"weights in {dtype}{floor}"] = count.weights(dtype, mixed=True)
    inner, stored = count.inner, count.weights("released")
    (released,) = (name for name in cells if name.startswith("weights as released ("))
    expected[released] = stored
    expected[f"peak activation of a layer ({inner})"] = count.peak(inner, fused=True)
    expected["the same with scores written out"] = count.peak(inner)
    together = stored + (count.cache() or 0) + count.peak(inner, fused=True)
    expected["together, about (weights as released)"] = together
    assert cells.keys() - expected.keys() == {"per token, full square", "attention overtakes at T"}
    assert reads(cells["per token, full square"][-1], Fraction(run, seq_len))
    for name, value in expected.items():
        exact, words = cells[name]
        assert exact == f"{value:,}"
        for word in words.split(" = "):
            assert reads(word, value)
        assert (" = " in words) == name.startswith(("weights", "peak", "KV", "the same", "together"))
        assert re.search("iB$", words) or " = " not in words or value < 1024
    *groups, last = groups
    assert re.fullmatch(rf"total {{2,}}{count.total:,} {{2,}}100%(, rounded)?", last)
    for line, (_, held) in zip(groups, count.groups.items(), strict=True):
        *_, exact, words = re.split(r"\s{2,}", line)
        assert exact == f"{held:,}"
        assert share(words, Fraction(held, count.total))
    assert re.split(r"\s{2,}", parts_[0]) == ["part", "blocks", "what it is", "parameters", "weights"]
    for line, place in zip(parts_[1:], count.places(), strict=True):
        name = f"{place.stack} {place.id}" if count.several and place.stack else place.id
        assert line.startswith(name + "  ")
        assert not place.label or f"  {place.label}  " in line
        weights = line.partition(f"  {count.held(place):,}")[2].strip()
        told = [
            f"{symbol} {shape}" + (f" (x {re.sub(r'[^0-9,]', '', many)})" if many else "")
            for symbol, shape, many, _ in expected_weights(count, place)
        ]
        assert sorted(re.split(r"(?<=[\d)]), (?=[A-Za-zγβ])", weights)) == sorted(told) or not told
    found = others(count)
    values = [line.split("  ")[-1].strip() for line in conventions[1:] if not line.startswith("in its name")]
    wanted = [f"{round(value):,}" for figure in found.values() for name, value in figure.items() if name]
    assert sorted(one for one in values if one in wanted) == sorted(wanted)
    assert len(values) - len(wanted) == ("kv-cache" in found and (count.cache() or 0) >= 1024) + 1


def test_show_takes_number_types_and_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    switches = ("--batch", "16", "--weights", "fp32", "--cache", "fp8")
    arguments = ("show", "llama-3-70b", "--seq-len", "8192", *switches)
    count = second("llama-3-70b", 8192)
    told = json.loads(printed(capsys, *arguments, "--json"))["memory"]
    cache = 80 * 2 * 8 * 128 * 8192 * 16
    peak = 8192 * (2 * 8192 + 2 * 28672) * 4 * 16
    assert told["kv_cache"] == {"dtype": "fp8", "batch": 16, "bytes_per_token": 163840, "bytes": cache}
    assert told["weights"] == {"dtype": "fp32", "bytes": 4 * count.total}
    assert told["peak_activation"]["bytes_fused"] == peak == count.peak("fp32", 16, fused=True)
    assert told["about"]["bytes"] == 4 * count.total + cache + peak
    cells = dict(re.split(r"\s{2,}", line)[:2] for line in printed(capsys, *arguments).splitlines() if "  " in line)
    assert cells["KV cache bytes (fp8, 16 sequences)"] == f"{cache:,}"
    assert cells["KV cache bytes per token (fp8)"] == "163,840"
    assert cells["together, about (weights in fp32)"] == f"{4 * count.total + cache + peak:,}"


@pytest.mark.parametrize(
    ("switch", "value"),
    [
        ("batch", "0"),
        ("batch", "1000000000000"),
        ("batch", "8_0"),
        ("batch", ""),
        ("weights", "fp7"),
        ("weights", "fp16\n"),
        ("cache", "released"),
        ("cache", "bf16 "),
    ],
)
def test_a_switch_that_says_nothing_to_choose_is_one_line(
    capsys: pytest.CaptureFixture[str], switch: str, value: str
) -> None:
    assert cli.main(["show", "gpt2", f"--{switch}", value]) == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert error.startswith(f"anatomy: --{switch}: ")
    assert ("whole number from 1 to 1,000,000" if switch == "batch" else "accepted: ") in error
    before = choose_seq_len(choose_option(State(), "batch", "3"), "9")
    after = choose_option(before, switch, value)
    assert (after.seq_len, after.options) == (9, before.options)
    assert list(after.notices) == [switch]


@pytest.mark.parametrize("slug", ["gpt2", "t5-small", "bert-base-uncased"])
def test_tensors_in_three_forms(capsys: pytest.CaptureFixture[str], slug: str) -> None:
    expected: list[dict[str, Any]] = [
        {
            "name": one.name,
            "shape": list(one.shape),
            "parameters": 0 if one.row.buffer else prod(one.shape),
            "part": one.part,
            "block": one.block,
        }
        for one in anatomy.load(slug).tensors()
    ]
    assert json.loads(printed(capsys, "tensors", slug, "--json")) == expected
    rows = list(csv.reader(io.StringIO(printed(capsys, "tensors", slug, "--csv"))))
    assert rows == [list(expected[0])] + [
        [
            one["name"],
            "x".join(map(str, one["shape"])),
            str(one["parameters"]),
            one["part"],
            "" if one["block"] is None else str(one["block"]),
        ]
        for one in expected
    ]
    lines = printed(capsys, "tensors", slug).splitlines()
    assert lines == [f"{one['name']}  {shaped(one['shape'])}  {one['parameters']:,}  {one['part']}" for one in expected]


IMAGES = ["image encoder", "projection of image features"]


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    told = json.loads(printed(capsys, "list", "--json"))
    lines = printed(capsys, "list").splitlines()
    assert lines[0].split() == ["slug", "name", "maker", "released", "parameters"]
    for one, line, entry in zip(told, lines[1:], anatomy.entries().values(), strict=True):
        count = Second(anatomy.load(entry.slug), 1)
        assert one == {
            "slug": entry.slug,
            "name": entry.name,
            "maker": entry.maker,
            "released": entry.released,
            "model_type": entry.config["model_type"] if "text_config" not in entry.config else count.model.model_type,
            "parameters": count.total,
            "active": count.active,
            "parts_not_counted": IMAGES if "vision_config" in entry.config else [],
        }
        cells = [entry.slug, entry.name, entry.maker, entry.released, f"{count.total:,}"]
        without = ["without its image encoder and its projection of image features"]
        assert re.split(r"\s{2,}", line) == cells + (without if "vision_config" in entry.config else [])


PAIRS = [
    ("gpt2", "llama-3-8b"),
    ("mixtral-8x7b", "deepseek-v2-lite"),
    ("t5-small", "whisper-tiny"),
    ("gpt2", "vit-base"),
]


@pytest.mark.parametrize("pair", PAIRS)
def test_compare(capsys: pytest.CaptureFixture[str], pair: tuple[str, str]) -> None:
    told = json.loads(printed(capsys, "compare", *pair, "--json"))
    t = 197 if "vit-base" in pair else 8
    counts = [second(slug, t) for slug in pair]
    assert told["seq_len"] == t
    assert told["models"] == [
        {"slug": one.model.slug, "name": one.model.name, "parameters": one.total} for one in counts
    ]
    sides = [one.compared() for one in counts]
    figures = {
        name: [one.get(name) for one in sides]
        for name in {**sides[0], **sides[1]}
        if any(one.get(name) is not None for one in sides)
    }
    parts_: dict[str, list[int | Fraction | None]] = {}
    groups: dict[str, list[int | Fraction | None]] = {}
    for at, one in enumerate(counts):
        for place in one.places():
            if place.id != "residual":
                sums = parts_.setdefault(place.id, [None, None])
                sums[at] = (sums[at] or 0) + one.held(place)
        for name, held in one.groups.items():
            groups.setdefault(name, [None, None])[at] = held
    text = printed(capsys, "compare", *pair)
    head = re.split(r"\s{2,}", text.splitlines()[0])
    assert head == [f"T = {t}", *(one.model.name for one in counts), "ratio"]
    for lines, expected in ((told["figures"], figures), (told["parts"], parts_), (told["groups"], groups)):
        assert sorted(line["id"] for line in lines) == sorted(expected)
        for line in lines:
            for side, value in zip(("first", "second"), expected[line["id"]], strict=True):
                if value is None:
                    assert line[side] is None
                else:
                    same(line[side], value)
            first, other = expected[line["id"]]
            if not first or not other:
                assert (line["ratio"], line["ratio_exact"]) == (None, None)
            else:
                by = Fraction(other) / Fraction(first)
                same(line["ratio"], by)
                assert line["ratio_exact"] == [by.numerator, by.denominator]
    rows = [re.split(r"\s{2,}", line) for line in text.splitlines() if re.search(r"\s{2,}", line)]
    for line, row in zip([*told["figures"], None, *told["parts"]], rows[1:], strict=True):
        if line is None:
            assert row == ["parameters by part", *(one.model.name for one in counts), "ratio"]
            continue
        assert row[0] == line["label"]
        for side, cell in zip(("first", "second"), row[1:3], strict=True):
            value = line[side]
            assert cell == ("–" if value is None else f"{value:,}" if isinstance(value, int) else f"{value:,.2f}")
        assert (row[3] == "–") == (line["ratio"] is None)
    assert [one["sentence"] for one in told["differences"]] == text.strip().split("\n\n")[-1].splitlines()
    for one in told["differences"]:
        assert one["first"] != one["second"]
        assert one["first"].split()[0] in one["sentence"] or one["topic"] == "Heads"


def test_columns_of_numbers_are_flush_right(capsys: pytest.CaptureFixture[str]) -> None:
    figures, parts_, *_ = printed(capsys, "compare", "gpt2", "llama-3-8b").split("\n\n")
    for table in (figures, parts_):
        head, *lines = table.splitlines()
        ends = [head.index(name) + len(name) for name in ("GPT-2 small", "Llama 3 8B", "ratio")]
        widest = [max(len(line) for line in [head, *lines])]
        for line in lines:
            first, second_, ratio = re.split(r"\s{2,}", line)[-3:]
            assert line.endswith(ratio)
            assert [line.index(f"  {first}  ") + 2 + len(first), len(line)] == [ends[0], *widest]
            assert line[: ends[1]].endswith(second_)
