"""Every value that the page shows of costs, whatever the switches say, against a second count."""

import re
from fractions import Fraction
from functools import lru_cache
from math import ceil

import pytest

import anatomy
from anatomy.views.page import regions
from anatomy.visit.state import State
from anatomy.visit.steps import choose_model, choose_option, choose_seq_len
from tests.elements import Element, elements
from tests.formulas import holds, worth
from tests.second_conventions import Alone, others
from tests.second_count import BYTES, Second, cases, reads, rounded, second, share

CASES = cases()
RUNS = ("prefill", "decode", "train", "recompute")
UNITS = {
    "parameters": r"\d[KMBTQ]?$",
    "flops": r"\d( [KMGTPE])?$",
    "kv-cache": " (bytes|[KMGTP]B)$",
    "weights": " (bytes|[KMGTP]B)$",
}
PASSES = {"prefill": 1, "decode": 1, "train": 3, "recompute": 4}


@lru_cache(maxsize=64)
def at(slug: str, seq_len: int) -> State:
    """The page with that model at that length, come to by its controls."""
    return choose_seq_len(choose_model(State(), slug), str(seq_len))


def region(state: State, name: str, **switches: str) -> Element:
    """A region as elements, with the switches set."""
    for switch, value in switches.items():
        state = choose_option(state, switch, value)
        assert not state.notices
    return elements(regions(state, (name,))[name])


def worked(element: Element, value: int | Fraction) -> None:
    """The working in an element: every equation holds, and its last one comes to the value."""
    shown = [one.text for one in element.all("span", "equation")]
    for equation in shown:
        assert holds(equation), equation
    symbols = [one.text for one in element.all("p", "symbols")]
    assert symbols
    assert all(symbols)
    assert all(one.text == one.text.strip() for one in element.all("p"))
    shown = shown or [one.text for one in element.all("span", "value")]
    assert worth(shown[-1].split(" = ")[-1]) == value


def same(element: Element, value: int | Fraction) -> None:
    """A worded number that carries this value."""
    assert float(element["value"]) == float(value)
    assert value.denominator != 1 or element["value"] == str(int(value))


# ------------------------------------------------------------------- compute


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize(("slug", "seq_len"), CASES)
def test_what_a_pass_computes(slug: str, seq_len: int, run: str) -> None:
    count, state = second(slug, seq_len), at(slug, seq_len)
    for square, unembedding in (("full", "every"), ("causal", "last")) if run == "prefill" else (("causal", "every"),):
        shown = region(state, "compute", run=run, square=square, unembedding=unembedding)
        last = unembedding if count.unembeds else "every"
        parts = [(place, count.flops(place, run, square, last)) for place in count.places()]
        parts = [(place, flops) for place, flops in parts if flops]
        whole, tokens = sum(flops for _, flops in parts), count.tokens(run)
        assert whole == count.run(run, square, last)
        total = shown.one("div", data_cost="run-pass")
        same(total.one("data"), whole)
        assert reads(total.one("data").text, whole)
        assert total.one("dd", "convention").text == f"{whole:,}"
        worked(total, whole)
        per_token = shown.all("div", data_cost="run-token")
        assert len(per_token) == (tokens > 1)
        for one in per_token:
            each = Fraction(whole, tokens)
            same(one.one("data"), each)
            assert reads(one.one("data").text, each)
            digits = f"{int(each):,}" if each.denominator == 1 else f"about {round(each):,}"
            assert one.one("dd", "convention").text == digits
            worked(one, each)
        costs = shown.one("div", "costs").children
        named = [one.one("summary").one("span", "name") for one in costs]
        told = [", ".join(one if isinstance(one, str) else one.text for one in name.inside) for name in named]
        lines = [one.text for one in total.all("span", "label")]
        assert not lines or lines == told
        for (_, flops), one in zip(parts, costs, strict=True):
            line, portion = one.one("summary"), Fraction(flops, whole)
            same(line.one("data"), flops)
            assert reads(line.one("data").text, flops)
            assert share(line.one("span", "percent").text, portion)
            assert line.one("rect", "fill")["width"] == f"{rounded(portion * 100, 1)}%"
            assert line.one("rect", "track")["width"] == "100%"
            worked(one, flops)
        said = shown.all("p", "reading")[0]
        same(said.one("data"), whole)
        portion = Fraction(count.square_alone(run, square), whole)
        counted = {"full": "full square", "windows": "by windows", "causal": "causal"}[square]
        counted = (
            "one query, and the keys that its window or chunk lets it see"
            if run == "decode" and count.writes
            else counted
        )
        words = said.text.partition(f" FLOPs ({counted}); ")[2].partition(" of that")[0]
        assert share(words, portion)
        assert f"{seq_len:,} token{'' if seq_len == 1 else 's'}" in said.text
        shortcut(shown, count, run, square, last)


def shortcut(shown: Element, count: Second, run: str, square: str, unembedding: str) -> None:
    """2N, 6N or 8N, and what lies between it and the count."""
    run = run if run != "decode" or count.writes else "prefill"
    whole, tokens, often = count.run(run, square, unembedding), count.tokens(run), PASSES[run]
    ledger = shown.one("details", id="w-shortcut")
    value = 2 * count.active * tokens * often
    steps: dict[str, Fraction | int] = dict.fromkeys(("tables", "vectors", "positions", "tied"), 0)
    for place in count.places():
        for row in count.rows(place):
            held = count.per_block([row]) * max(1, len(place.blocks))
            charged = 2 * tokens * often * held * row.share
            if not (row.matrices and row.multiplies):
                steps["tables" if row.group == "embeddings" else "vectors"] -= charged
                continue
            alone = Alone(count, row)
            flops = alone.products(place, run, unembedding)
            if row.tied_to:
                steps["tied"] += flops
            else:
                steps["positions"] += flops - charged
    steps["attention"] = count.square_alone(run, square)
    exact = value + sum(steps.values())
    assert exact == whole
    title = ledger.children[0].text
    assert title.startswith(f"{2 * often}N: ")
    told = re.findall(r"(?:about )?\d[\d,]*", title.partition(": ")[2])
    for words, figure in zip(told, (Fraction(value, tokens), Fraction(whole, tokens)), strict=True):
        assert words.removeprefix("about ") == f"{round(figure):,}"
        assert words.startswith("about ") == (figure.denominator != 1)
    first, *_, last = ledger.all("data")
    same(first, value)
    same(last, whole)
    assert (first.text, last.text) == (f"{value:,}", f"{whole:,}")
    worked(ledger.one("details", id="w-shortcut-whole"), value)
    for name, gone in steps.items():
        found = ledger.all("details", id=f"w-shortcut-{name}")
        assert bool(found) == bool(gone) or name == "positions"
        for one in found:
            same(one.one("data"), gone)
            assert one.one("data").text == f"{'−' if gone < 0 else '+'} {abs(int(gone)):,}"
            worked(one, gone)
    assert ("passes. " in ledger.text) == (often > 1)
    assert f"in {often} passes" in ledger.text or often == 1


@pytest.mark.parametrize("slug", dict(CASES))
def test_twelve_l_d_squared(slug: str) -> None:
    count = second(slug, dict(CASES)[slug])
    ledger = region(at(slug, count.seq_len), "compute").one("details", id="w-blocks-shortcut")
    square = sum(one.blocks for one in count.model.stacks) * count.model.width**2
    rows = [row for row in count.model.rows if row.group not in ("embeddings", "unembedding") and count.of_row(row)]
    steps = {
        "attention-matrices": sum(count.of_row(row) for row in rows if row.matrices and row.group == "attention")
        - 4 * square,
        "mlp-matrices": sum(
            count.of_row(row) for row in rows if row.matrices and row.group != "attention" and row.group != "norms"
        )
        - 8 * square,
        "vectors": sum(count.of_row(row) for row in rows if not row.matrices and row.group != "norms"),
        "norms": sum(count.of_row(row) for row in rows if row.group == "norms"),
    }
    assert 12 * square + sum(steps.values()) == count.inside
    first, *_, last = ledger.all("data")
    assert (first["value"], first.text) == (str(12 * square), f"{12 * square:,}")
    assert (last["value"], last.text) == (str(count.inside), f"{count.inside:,}")
    assert f"12 L d²: {12 * square:,} parameters, where all but embeddings are {count.inside:,}" in ledger.text
    worked(ledger.one("details", id="w-blocks-shortcut-whole"), 12 * square)
    for name, gone in steps.items():
        found = ledger.all("details", id=f"w-blocks-shortcut-{name}")
        assert len(found) == bool(gone)
        for one in found:
            same(one.one("data"), gone)
            worked(one, gone)


def behind(shown: Element, ident: str) -> list[tuple[int, list[Element], bool]]:
    """The rows of a table behind a curve: T, the cells, and whether it is the T of the page."""
    rows = shown.one("details", id=ident).one("tbody").all("tr")
    return [(int(row.one("th").text.replace(",", "")), row.all("td"), row.classes == ["now"]) for row in rows]


@pytest.mark.parametrize(("slug", "seq_len"), CASES)
@pytest.mark.parametrize(("run", "square"), [("prefill", "full"), ("decode", "causal"), ("train", "causal")])
def test_the_figures_behind_the_curve_of_flops(slug: str, seq_len: int, run: str, square: str) -> None:
    model, state = anatomy.load(slug), at(slug, seq_len)
    shown = region(state, "compute", run=run, square=square)
    rows = behind(shown, "compute-table")
    top = model.context or 1_048_576

    def split(length: int) -> tuple[Fraction, Fraction]:
        count = second(slug, length)
        attention = Fraction(count.square_alone(run, square), count.tokens(run))
        return Fraction(count.run(run, square), count.tokens(run)) - attention, attention

    usual = {1, 8, 128, 1024, 8192, 65_536, 524_288}
    lengths = {one for one in usual if one < top} | {top, seq_len}
    fixed = "tokens" in model.fixed_lengths
    lengths = {seq_len} if fixed else lengths
    more = {length for length, _, _ in rows} - lengths
    assert len(more) <= 1
    assert lengths <= {length for length, _, _ in rows}
    assert [length for length, _, _ in rows] == sorted(length for length, _, _ in rows)
    for length, cells, now in rows:
        assert now == (length == seq_len)
        if length > 20_000 and square == "causal":
            continue
        weights, attention = split(length)
        for cell, value in zip(cells, (weights, attention, weights + attention), strict=True):
            same(cell.one("data"), value)
            assert reads(cell.text, value)
    said = next(one.text for one in shown.all("p", "reading") if one.text.startswith("At T = "))
    weights, attention = split(seq_len)
    found = re.fullmatch(
        r"At T = ([\d,]+) a token costs (.+?) FLOPs of products with weights and (.+?) of attention\. (.+)", said
    )
    assert found
    assert found[1] == f"{seq_len:,}"
    assert reads(found[2], weights)
    assert reads(found[3], attention)
    overtaking = re.search(r"at T = ([\d,]+)", found[4])
    if overtaking:
        crossing = int(overtaking[1].replace(",", ""))
        assert {length for length, _, _ in rows} == lengths | {crossing}
        if square == "full" or crossing < 20_000:
            weights, attention = split(crossing)
            assert attention > weights
            weights, attention = split(crossing - 1) if crossing > 1 else (Fraction(1), Fraction(0))
            assert attention <= weights
        assert (f", beyond the {top:,} that the model takes" in found[4]) == (crossing > top)


# -------------------------------------------------------------------- memory


def entry(shown: Element, ident: str, value: int | Fraction) -> None:
    """A line of the ledger: exact bytes, in decimal and binary units, and its working."""
    one = shown.one("details", id=ident)
    line, size = one.one("summary"), ceil(value)
    assert line.one("span", "exact").text == f"{size:,}"
    assert line.one("data")["value"] == str(size)
    decimal, binary = line.one("span", "size").text.split(" · ")
    assert line.one("data").text == decimal
    assert reads(decimal, size)
    assert not re.search("[KMGTP]iB", decimal)
    assert reads(binary, size)
    assert re.search("[KMGTP]iB", binary) or size < 1024
    first = [words.text for words in one.all("span", "equation")] + [words.text for words in one.all("span", "value")]
    worths = [worth(words.split(" = ")[-1]) for words in first]
    assert value in worths
    assert all(holds(words) for words in first if "=" in words)
    assert ("Half a byte takes a whole one." in one.text) == (size != value)


@pytest.mark.parametrize(
    ("weights", "cache", "batch", "run"),
    [
        ("released", "bf16", "1", "prefill"),
        ("fp32", "int4", "3", "decode"),
        ("int4", "fp8", "1000", "prefill"),
        ("int8", "fp32", "2", "decode"),
    ],
)
@pytest.mark.parametrize(("slug", "seq_len"), CASES)
def test_what_it_takes_in_memory(slug: str, seq_len: int, weights: str, cache: str, batch: str, run: str) -> None:
    count, many = second(slug, seq_len), int(batch)
    shown = region(at(slug, seq_len), "memory", weights=weights, cache=cache, batch=batch, run=run)
    small = sum(
        count.of_row(row) for row in count.model.rows if row.matrices and row.group in ("attention", "mlp", "experts")
    )
    for dtype in ("fp32", "bf16", "fp8", "int8", "int4"):
        mixed = (
            Fraction(count.total * 2) + small * (BYTES[dtype] - 2) if BYTES[dtype] < 2 else count.total * BYTES[dtype]
        )
        entry(shown, f"w-weights-{dtype}", mixed)
        one = shown.one("details", id=f"w-weights-{dtype}")
        assert (one.get("data-current") == "true") == (dtype == weights)
        assert ("chosen" in one.children[0].text) == (dtype == weights)
        if BYTES[dtype] < 2:
            plain = [words.text for words in one.all("span", "equation")][-1]
            assert worth(plain.split(" = ")[1]) == count.total * BYTES[dtype]
            assert f"Every parameter in {dtype}, as some" in one.text
        else:
            assert "Every parameter" not in one.text
    entry(shown, "w-weights-released", count.weights("released"))
    if weights == "released":
        chosen: Fraction | int = count.weights("released")
    elif BYTES[weights] < 2:
        chosen = Fraction(count.total * 2) + small * (BYTES[weights] - 2)
    else:
        chosen = count.total * BYTES[weights]
    inner = count.inner if weights == "released" else "fp32" if weights == "fp32" else "bf16"
    kept = [(one, count.kept(one, cache, many)) for one in count.caching]
    peaks = count.peak(inner, many, fused=True, run=run), count.peak(inner, many, run=run)
    needed = chosen + sum(size for _, size in kept) + peaks[0]
    entry(shown, "w-needed", needed)
    whole = shown.all("p", "reading")[0]
    assert whole.one("data")["value"] == str(ceil(needed))
    assert reads(whole.one("data").text, ceil(needed))
    assert reads(whole.text.partition(" (")[2].partition(")")[0], ceil(needed))
    sequences = f"{many:,} sequence{'s' if many > 1 else ''}"
    name, writes = count.model.name, run == "decode" and count.writes
    doing = f"To write token {seq_len:,} of {sequences} with {name}" if writes else f"on {sequences} of {seq_len:,}"
    assert f"{doing} takes about " in whole.text
    assert "Left out: runtime, buffers, copies." in whole.text
    assert (f"weights ({weights}, a floor)" in whole.text) == (weights in ("fp8", "int8", "int4"))
    entry(shown, "w-peak", peaks[0])
    said = shown.one("details", id="w-peak").one("p", "reading").text
    assert said.startswith(f"It is reached in the {count.peak_in(fused=True, run=run)}, which holds there for ")
    assert said.endswith(f". Numbers in {inner}.")
    assert len(shown.all("details", id="w-peak-eager")) == (peaks[0] != peaks[1])
    if peaks[0] != peaks[1]:
        entry(shown, "w-peak-eager", peaks[1])
        said = shown.one("details", id="w-peak-eager").one("p", "reading").text
        assert f" It is reached in the {count.peak_in(run=run)}, which holds there for " in said
    assert bool(kept) != ("It keeps no KV cache" in shown.text)
    assert (", KV cache, the peak" in whole.text) == bool(kept)
    if not kept:
        assert not shown.all("table")
        return
    entry(shown, "w-kv", sum(size for _, size in kept))
    assert f"KV cache at T = {seq_len:,}" in shown.one("details", id="w-kv").text
    entry(shown, "w-kv-token", count.growth(cache))
    assert len([one for one in shown.all("details") if re.fullmatch(r"w-kv-\d+", one.get("id") or "")]) == (
        len(kept) if len(kept) > 1 else 0
    )
    for number, (record, size) in enumerate(kept if len(kept) > 1 else []):
        entry(shown, f"w-kv-{number}", size)
        layers = sum(map(len, record.blocks))
        assert f"of which {layers} layer{'s' if layers > 1 else ''}, " in shown.one("details", id=f"w-kv-{number}").text
    top = count.model.context or 1_048_576
    bends = {one.window or one.chunk or top for one in count.caching if one.kind == "self"}
    usual = {one for one in (1, 8, 128, 1024, 8192, 65_536, 524_288) if one < top}
    rows = behind(shown, "cache-table")
    assert [length for length, _, _ in rows] == sorted(usual | {top, seq_len} | {one for one in bends if one < top})
    for length, cells, now in rows:
        other = second(slug, length)
        held = sum(ceil(other.kept(one, cache, many)) for one in other.caching)
        assert now == (length == seq_len)
        assert (cells[0].text, cells[1].one("data")["value"]) == (f"{held:,}", str(held))
        assert reads(cells[1].text, held)
        assert reads(cells[2].text, held)
        assert "iB" in cells[2].text or held < 1024
        assert "iB" not in cells[1].text
    text = next(one.text for one in shown.all("p", "reading") if one.text.startswith("At T = "))
    assert reads(text.partition("the cache holds ")[2].partition(". It")[0], ceil(sum(size for _, size in kept)))


# --------------------------------------------------------------- conventions


@pytest.mark.parametrize(("slug", "seq_len"), CASES)
def test_why_two_tools_disagree(slug: str, seq_len: int) -> None:
    count = second(slug, seq_len)
    shown = region(at(slug, seq_len), "conventions")
    expected = others(count)
    folds = shown.all("details", "fold")
    ids = {one["id"] for fold in folds for one in fold.all("details") if not one["id"].endswith("-slight")}
    binary = {
        f"o-{figure}-binary"
        for figure in ("kv-cache", "weights")
        if figure in expected and expected[figure][""] >= 1024
    }
    assert ids == {f"o-{figure}-{name}" for figure, found in expected.items() for name in found if name} | binary
    for fold, (figure, found) in zip(folds[:-2], expected.items(), strict=True):
        assert fold["id"] == f"o-{figure}"
        heading = fold.children[0]
        number = len(found) - 1 + (f"o-{figure}-binary" in binary)
        assert heading.text.endswith(f" here, {number} other{'s' * (number > 1)} elsewhere")
        folded = {one["id"] for slight in fold.all("details", id=f"o-{figure}-slight") for one in slight.all("details")}
        close = {name for name, value in found.items() if name and abs(value / found[""] - 1) < Fraction(1, 100)}
        assert folded == {f"o-{figure}-{name}" for name in close}
        same(heading.one("data"), found[""])
        assert reads(heading.one("data").text, found[""])
        assert (f" at T = {seq_len:,}" in heading.text) == (figure in ("flops", "kv-cache"))
        for name, value in found.items():
            if not name:
                continue
            one = shown.one("details", id=f"o-{figure}-{name}")
            line = one.one("summary")
            same(line.one("data"), value)
            assert reads(line.one("data").text, value)
            assert re.search(UNITS[figure], line.one("data").text)
            assert line.one("span", "exact").text == f"{round(value):,}"
            why = one.all("p", "reading")[0].text
            assert len(why) > 20
            assert why.endswith(".")
            times = line.one("span", "size").text.split(" · ")[1]
            by = value / found[""]
            if by >= 2:
                assert re.fullmatch(r"[\d,.]+ times ours", times)
                assert abs(Fraction(times.partition(" ")[0].replace(",", "")) - by) <= by / 20
            else:
                assert share(times.rpartition(" ")[0], abs(by - 1))
                assert times.endswith(" more" if by > 1 else " less")
            worked(one, value)
        if f"o-{figure}-binary" in binary:
            one = shown.one("details", id=f"o-{figure}-binary")
            unit = next(
                unit
                for size, unit in ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
                if found[""] >= size
            )
            words = one.one("span", "exact").text
            assert words.endswith(f" {unit.replace('i', '')}”")
            assert reads(f"{words[1:].partition(' ')[0]} {unit}", found[""])
            assert reads(one.one("span", "size").text.removeprefix("really "), found[""])
            assert f"{unit} printed as {unit.replace('i', '')}" in one.text


@pytest.mark.parametrize(
    ("slug", "said", "rows"),
    [
        ("gpt2", "GPT-2 small has no size in its name.", ""),
        ("gemma-7b", "Its name says 7B; it holds 8,537,680,896, 22.0% more.", "7B 8537680896 8.54B 22.0% more"),
        (
            "llama-3-8b",
            "Its name says 8B; it holds 8,030,261,248, which rounds to it.",
            "8B 8030261248 8.03B 0.4% more",
        ),
        (
            "mixtral-8x7b",
            "Its name says 8x7B; it holds 46,702,792,704, 16.6% less.",
            "8x7B 46702792704 46.7B 16.6% less",
        ),
        (
            "qwen2-57b-a14b",
            "Its name says 57B; it holds 57,408,658,944, which rounds to it. "
            "Its name says A14B; it uses 14,249,270,784, which rounds to it.",
            "57B 57408658944 57.4B 0.7% more, A14B active 14249270784 14.2B 1.8% more",
        ),
    ],
)
def test_what_is_in_a_name(slug: str, said: str, rows: str) -> None:
    shown = region(choose_model(State(), slug), "conventions")
    assert shown.one("details", id="names-table").children[0].text == f"What’s in a name? {said}"
    table = shown.one("details", id="names-table").one("tbody").all("tr")
    now = [row for row in table if row.get("aria-current") == "true"]
    assert all(row.classes == ["now"] for row in now)
    told = [
        (row.all("td")[0].text, row.one("data")["value"], row.one("data").text, row.all("td")[2].text) for row in now
    ]
    assert ", ".join(map(" ".join, told)) == rows
    for row in table:
        cells = [cell.text for cell in row.all("td")]
        times, size, unit = re.fullmatch(r"A?R?(?:(\d+)x)?([\d.]+)([MBT])(?: active)?", cells[0]).groups()  # type: ignore[union-attr]
        claimed = Fraction(size) * int(times or 1) * {"M": 10**6, "B": 10**9, "T": 10**12}[unit]
        true = int(row.one("data")["value"])
        assert reads(cells[1], true)
        assert cells[2] == f"{rounded(abs(true - claimed) / claimed * 100, 1)}% {'more' if true > claimed else 'less'}"
