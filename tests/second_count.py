"""A second count of what the faces show: plain loops over rows and attention records, and no fold of the package.

The rows themselves have outside witnesses; what is held against this module is everything that is made of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, prod

import anatomy
from anatomy import LoadedModel
from anatomy.model.architecture import Attention
from anatomy.model.blocks import label, runs
from anatomy.model.rows import Row

# A model of each kind, and what it is here for.
KINDS = {
    "gpt2": "learned positions, tied, biases",
    "llama-3-8b": "grouped queries",
    "mixtral-8x7b": "experts stored one by one",
    "qwen1.5-moe-a2.7b": "a shared expert",
    "deepseek-v2-lite": "a latent, dense and routed blocks",
    "gemma-3-1b": "windows in some blocks",
    "llama-4-scout": "chunks in some blocks, stacked experts",
    "bert-base-uncased": "an encoder",
    "t5-small": "two stacks and a table for both",
    "whisper-tiny": "a source of fixed length",
    "vit-base": "one length only",
    "gpt-j-6b": "attention and MLP side by side",
    "olmo-2-7b": "norms after each part",
    "gpt-oss-20b": "windows, sinks, experts with biases",
}
BITS = {"fp32": 32, "bf16": 16, "fp16": 16, "fp8": 8, "int8": 8, "int4": 4}
BYTES = {name: Fraction(bits, 8) for name, bits in BITS.items()}
FIRST = ("embedding", "embedding-norm", "residual")
LAST = ("final-norm", "pooler", "head", "unembedding")


def lengths_of(model: LoadedModel) -> tuple[int, ...]:
    """Two lengths that a model runs at, odd, a short one and one beyond its windows; or the one that it runs at."""
    if "tokens" in model.fixed_lengths:
        return (model.fixed_lengths["tokens"],)
    return (7, min(model.context or 9001, 9001))


@dataclass(frozen=True)
class Place:
    """A part by what tells it from others: id, stack, and the indices of its blocks (none outside blocks)."""

    id: str
    stack: str | None
    blocks: tuple[int, ...] = ()

    @property
    def label(self) -> str | None:
        """Its blocks as addresses say them."""
        return label(runs(self.blocks)) if self.blocks else None


class Second:
    """The second count of one model at one length."""

    def __init__(self, model: LoadedModel, seq_len: int) -> None:
        self.model, self.seq_len = model, seq_len
        self.lengths = {"tokens": seq_len, "source": seq_len, "one": 1, **model.fixed_lengths}
        self.several = len(model.stacks) > 1

    # ------------------------------------------------------------------ parts

    def places(self) -> list[Place]:
        """Every part, in order."""
        shared = [row.part_id for row in self.model.rows if self.several and row.stack is None]
        found = [Place(name, None) for name in dict.fromkeys(shared) if name in FIRST]
        for stack in self.model.stacks:
            found += [Place(name, stack.id) for name in FIRST if name == "residual" or self.rows(Place(name, stack.id))]
            for blocks in self.kinds(stack.id):
                for branch in stack.flow:
                    for name in (*branch.parts, *([branch.norm_after] if branch.norm_after else [])):
                        if self.rows(Place(name, stack.id, blocks)) or name in stack.bare:
                            found.append(Place(name, stack.id, blocks))
            found += [Place(name, stack.id) for name in LAST if self.rows(Place(name, stack.id)) or name in stack.bare]
        return found + [Place(name, None) for name in dict.fromkeys(shared) if name in LAST]

    def kinds(self, stack: str) -> list[tuple[int, ...]]:
        """The blocks of a stack, those together that the same rows and records hold."""
        (mine,) = (one for one in self.model.stacks if one.id == stack)
        rows = [row for row in self.model.rows if row.blocks and (not self.several or row.stack == stack)]
        held = [row.blocks for row in rows] + [one.blocks for one in self.model.attention if one.stack == stack]
        kinds: dict[tuple[bool, ...], list[int]] = {}
        for block in range(mine.blocks):
            kinds.setdefault(tuple(any(block in one for one in blocks) for blocks in held), []).append(block)
        return sorted(map(tuple, kinds.values()))

    def rows(self, place: Place) -> list[Row]:
        """The rows of a part."""
        stack = place.stack if self.several else None
        return [
            row
            for row in self.model.rows
            if row.part_id == place.id
            and row.stack == stack
            and (any(place.blocks[0] in one for one in row.blocks) if place.blocks else not row.blocks)
        ]

    def record(self, place: Place) -> Attention | None:
        """The attention record of a part."""
        kind = {"attention": "self", "cross-attention": "cross"}.get(place.id)
        for one in self.model.attention:
            if one.kind == kind and one.stack == place.stack and any(place.blocks[0] in some for some in one.blocks):
                return one
        return None

    # ------------------------------------------------------------- parameters

    @staticmethod
    def per_block(rows: list[Row]) -> int:
        """Parameters of rows in one block."""
        return sum(prod(row.shape) * row.copies for row in rows if not row.tied_to and not row.buffer)

    def held(self, place: Place) -> int:
        """Parameters of a part in all its blocks."""
        return self.per_block(self.rows(place)) * max(1, len(place.blocks))

    @staticmethod
    def of_row(row: Row) -> int:
        """Parameters of a row in the whole model."""
        return Second.per_block([row]) * (sum(map(len, row.blocks)) if row.blocks else 1)

    @property
    def total(self) -> int:
        """All parameters."""
        return sum(map(self.of_row, self.model.rows))

    @property
    def groups(self) -> dict[str, int]:
        """Parameters by group, in order."""
        names = ("embeddings", "attention", "mlp", "experts", "router", "norms", "unembedding")
        sums = {name: sum(self.of_row(row) for row in self.model.rows if row.group == name) for name in names}
        return {name: held for name, held in sums.items() if held}

    @property
    def inside(self) -> int:
        """Parameters without embeddings and unembedding."""
        return sum(held for name, held in self.groups.items() if name not in ("embeddings", "unembedding"))

    @property
    def active(self) -> int:
        """Parameters that one token uses."""
        return int(sum(Fraction(self.of_row(row)) * row.share for row in self.model.rows))

    @property
    def table(self) -> int:
        """Parameters of the token table."""
        return sum(self.of_row(row) for row in self.model.rows if row.part.endswith("embedding/token"))

    # ------------------------------------------------------------------ FLOPs

    @property
    def writes(self) -> bool:
        """Whether it writes token by token."""
        return any(one.causal for one in self.model.attention)

    @property
    def unembeds(self) -> bool:
        """Whether an unembedding is applied to every token."""
        return any(row.part_id == "unembedding" and row.multiplies == "tokens" for row in self.model.rows)

    def tokens(self, run: str = "prefill") -> int:
        """The tokens that a run is over."""
        return 1 if run == "decode" and self.writes else self.seq_len

    def flops(self, place: Place, run: str = "prefill", square: str = "full", unembedding: str = "every") -> int:
        """FLOPs of a part in a run."""
        return self.products(place, run, unembedding) + self.mixing(place, run, square)

    def products(self, place: Place, run: str = "prefill", unembedding: str = "every") -> int:
        """FLOPs of a part's products with weights."""
        decode, times = run == "decode" and self.writes, {"train": 3, "recompute": 4}.get(run, 1)
        lengths = {"tokens": 1, "one": 1} if decode else self.lengths
        last = unembedding == "last" and run in ("prefill", "decode") and self.writes
        found = Fraction(0)
        for row in self.rows(place):
            at = lengths.get(row.multiplies or "", 0)
            if last and row.part_id == "unembedding" and row.multiplies == "tokens":
                at = 1
            for one in row.matrices:
                found += 2 * at * one.inputs * one.outputs * one.count * row.copies * row.share
        return int(found) * max(1, len(place.blocks)) * times

    def mixing(self, place: Place, run: str = "prefill", square: str = "full") -> int:
        """FLOPs of a part's scores and weighted values."""
        record, times = self.record(place), {"train": 3, "recompute": 4}.get(run, 1)
        if record is None:
            return 0
        pairs = self.pairs(record, run == "decode" and self.writes, square)
        return 2 * pairs * record.query_heads * (record.qk_size + record.v_size) * len(place.blocks) * times

    def pairs(self, record: Attention, decode: bool, square: str) -> int:
        """How many queries meet how many keys, one by one where the mask counts."""
        (stack,) = (one for one in self.model.stacks if one.id == record.stack)
        queries = self.lengths[stack.positions]
        keys = self.lengths["source"] if record.kind == "cross" else queries

        def seen(query: int) -> int:
            reach = query + 1 if record.chunk is None else query % record.chunk + 1
            return min(reach, record.window or reach)

        def banded(query: int) -> int:
            if record.chunk:
                start = query - query % record.chunk
                return min(record.chunk, queries - start)
            return min(keys, record.window or keys)

        if square == "full" and not decode:
            return queries * keys
        if not record.causal:
            return (keys if record.kind == "cross" else 0) if decode else queries * keys
        return seen(queries - 1) if decode else sum(map(banded if square == "windows" else seen, range(queries)))

    def run(self, run: str = "prefill", square: str = "full", unembedding: str = "every") -> int:
        """FLOPs of a whole run."""
        return sum(self.flops(place, run, square, unembedding) for place in self.places())

    def square_alone(self, run: str = "prefill", square: str = "full") -> int:
        """FLOPs of scores and weighted values in a whole run."""
        return sum(self.mixing(place, run, square) for place in self.places())

    # ----------------------------------------------------------------- memory

    def weights(self, dtype: str, mixed: bool = False) -> int:
        """Bytes of the weights."""
        if dtype == "released":
            return sum(self.released().values())
        small = sum(
            self.of_row(row) for row in self.model.rows if row.matrices and row.group in ("attention", "mlp", "experts")
        )
        if mixed and BYTES[dtype] < 2:
            return ceil(small * BYTES[dtype] + (self.total - small) * 2)
        return ceil(self.total * BYTES[dtype])

    def released(self) -> dict[str, int]:
        """Bytes of the published file by number type, one tensor at a time, as its configuration says."""
        config = self.model.entry.config if self.model.entry else {}
        method = config.get("quantization_config", {}).get("quant_method")
        named = config.get("torch_dtype") or config.get("dtype")
        plain = {"float32": "fp32", "float16": "fp16"}.get(str(named), "bf16")
        found: dict[str, int] = {}
        for row in self.model.rows:
            held = self.of_row(row)
            if method == "mxfp4" and row.group == "experts" and row.matrices:
                sizes = {"mxfp4": held // 2, "e8m0": held // 32}
            elif method == "fp8" and row.matrices and row.group in ("attention", "mlp", "experts"):
                tensors = held // prod(row.shape)
                sizes = {"fp8": held, "fp32": 4 * ceil(row.shape[0] / 128) * ceil(row.shape[1] / 128) * tensors}
            else:
                sizes = {plain: int(held * BYTES[plain])}
            for name, size in sizes.items():
                found[name] = found.get(name, 0) + size
        return found

    @property
    def caching(self) -> list[Attention]:
        """The records that keep a cache."""
        return [one for one in self.model.attention if one.causal or one.kind == "cross"]

    @staticmethod
    def numbers(record: Attention) -> int:
        """How many numbers a token leaves in one block."""
        if record.latent is not None:
            return record.latent + (record.rotary or 0)
        return record.kv_heads * (record.qk_size + record.v_size)

    def kept(self, record: Attention, dtype: str = "bf16", batch: int = 1) -> Fraction:
        """Bytes that the blocks of a record keep."""
        held = self.seq_len if record.kind == "self" else self.lengths["source"]
        for limit in (record.window, record.chunk):
            held = min(held, limit or held)
        return Fraction(self.numbers(record) * sum(map(len, record.blocks)) * held * batch) * BYTES[dtype]

    def cache(self, dtype: str = "bf16", batch: int = 1) -> int | None:
        """Bytes of the cache."""
        return ceil(sum(self.kept(one, dtype, batch) for one in self.caching)) if self.caching else None

    def growth(self, dtype: str = "bf16") -> Fraction:
        """Bytes that one token more adds below every window."""
        own = [one for one in self.caching if one.kind == "self"]
        return Fraction(sum(self.numbers(one) * sum(map(len, one.blocks)) for one in own)) * BYTES[dtype]

    def compared(self) -> dict[str, int | Fraction | None]:
        """What decides between two models: sizes of most blocks, and of each kind of block how many and how large."""
        model, kinds = self.model, [(stack.id, one) for stack in self.model.stacks for one in self.kinds(stack.id)]
        own = [one for one in model.attention if one.kind == "self"]
        own.sort(key=lambda one: (one.stack == model.stacks[-1].id, sum(map(len, one.blocks))), reverse=True)
        found: dict[str, int | Fraction | None] = {
            "parameters": self.total,
            "without-embeddings": self.inside,
            "active": self.active,
            "weights-bytes": sum(self.released().values()),
            "flops": Fraction(self.run(), self.seq_len),
            "decode-flops": self.run("decode") if self.writes else None,
            "kv-per-token": self.growth() if self.caching else None,
            "kv-cache": self.cache(),
            "blocks": sum(stack.blocks for stack in model.stacks),
            "width": model.width,
            "heads": own[0].query_heads,
            "kv-heads": None if own[0].latent else own[0].kv_heads,
            "head-size": own[0].qk_size,
            "experts": model.traits.experts,
            "experts-per-token": model.traits.experts_per_token,
            "vocabulary": model.vocabulary,
            "context": model.context,
        }
        for name, part in (("mlp-width", "mlp"), ("expert-width", "experts")):
            wide = [one for row in model.rows if row.part_id == part for one in row.matrices if one.symbol == "W_up"]
            found[name] = wide[0].outputs if wide else None
        for stack, blocks in kinds:
            inside = [place for place in self.places() if place.stack == stack and place.blocks == blocks]
            kind = "routed" if any(place.id == "experts" for place in inside) else "dense"
            ident = f"{stack}-{kind}" if self.several else kind
            before = found.get(f"blocks-{ident}") or 0
            found[f"blocks-{ident}"] = before + len(blocks)
            found[f"block-{ident}"] = sum(self.per_block(self.rows(place)) for place in inside)
        return found

    @property
    def inner(self) -> str:
        """The number type of activations: what the released weights are in."""
        return "fp32" if "fp32" in self.released() and "fp8" not in self.released() else "bf16"

    def peak(self, dtype: str = "bf16", batch: int = 1, fused: bool = False, run: str = "prefill") -> int:
        """Bytes that one block holds at most."""
        return int(max(size for size, *_ in self.steps(fused, run)) * BYTES[dtype] * batch)

    def peak_in(self, fused: bool = False, run: str = "prefill") -> str:
        """What the part is called in which that is, and in which blocks."""
        _, name, blocks = max(self.steps(fused, run), key=lambda step: step[0])
        many = sum(one.blocks for one in self.model.stacks)
        return f"{name} of {'every block' if blocks == many else f'{blocks} of {many} blocks'}"

    def steps(self, fused: bool, run: str) -> list[tuple[Fraction, str, int]]:
        """The numbers that a block holds at each of its steps, the part that it is in, and how many blocks do so."""
        width, alone = self.model.width, run == "decode" and self.writes
        steps: list[tuple[Fraction, str, int]] = []
        for one in self.model.attention:
            (stack,) = (some for some in self.model.stacks if some.id == one.stack)
            queries = 1 if alone else self.lengths[stack.positions]
            keys = self.lengths["source"] if one.kind == "cross" else self.lengths[stack.positions]
            if alone and not one.causal and one.kind != "cross":
                continue
            made = (1 if one.kind == "self" else 0) if alone else keys
            met = self.pairs(one, alone, "full") if alone else queries * keys
            kept = queries * width + queries * one.query_heads * one.qk_size
            kept += made * one.kv_heads * (one.qk_size + one.v_size)
            name = "attention" if one.kind == "self" else "cross-attention"
            name = f"{one.stack} {name}" if self.several else name
            steps.append((Fraction(kept + (0 if fused else one.query_heads * met)), name, sum(map(len, one.blocks))))
        hidden: dict[str, set[tuple[str, int, Fraction, int]]] = {}
        blocks: dict[str, int] = {}
        for row in self.model.rows:
            if row.part_id in ("mlp", "experts", "shared-expert") and row.multiplies:
                for matrix in row.matrices:
                    if matrix.symbol != "W_down":
                        used = matrix.count * row.copies * row.share
                        at = (
                            (1 if row.multiplies in ("tokens", "one") else 0) if alone else self.lengths[row.multiplies]
                        )
                        path = row.part.rpartition("/")[0]
                        blocks[path] = sum(map(len, row.blocks))
                        hidden.setdefault(path, set()).add((matrix.symbol, matrix.outputs, Fraction(used), at))
        for path, found in hidden.items():
            (length,) = {one[3] for one in found}
            name = path.replace("block/", "").replace("/", " ").replace("mlp", "MLP").replace("-", " ")
            held = length * (2 * width + sum((size * used for _, size, used, _ in found), Fraction(0)))
            steps.append((held, name, blocks[path]))
        return steps


@lru_cache(maxsize=64)
def second(slug: str, seq_len: int) -> Second:
    """The second count of a model of the catalogue."""
    return Second(anatomy.load(slug), seq_len)


def cases() -> list[tuple[str, int]]:
    """Every kind of model at its lengths."""
    return [(slug, seq_len) for slug in KINDS for seq_len in lengths_of(anatomy.load(slug))]


# --------------------------------------------------------------------- words

_UNITS = {
    "": 1, "bytes": 1, "K": 10**3, "M": 10**6, "B": 10**9, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
    "Q": 10**15, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15, "KiB": 2**10, "MiB": 2**20,
    "GiB": 2**30, "TiB": 2**40, "PiB": 2**50,
}  # fmt: skip
_WORDED = re.compile(r"([\d,]+)(?:\.(\d+))? ?([A-Za-z]*)")


def reads(text: str, value: int | Fraction) -> bool:
    """Whether a worded number is the value rounded to the digits it shows, three of them where it is rounded."""
    found = _WORDED.fullmatch(text)
    if not found or found[3] not in _UNITS:
        return False
    unit, decimals = _UNITS[found[3]], found[2] or ""
    shown = Fraction(found[1].replace(",", "") + (f".{decimals}" if decimals else ""))
    exactly = Fraction(value) / unit
    if shown == exactly:
        return unit == 1 or len((found[1] + decimals).replace(",", "").lstrip("0")) >= 3
    digits = len(f"{found[1]}{decimals}".replace(",", "").lstrip("0"))
    return abs(shown - exactly) <= Fraction(1, 2 * 10 ** len(decimals)) and digits >= 2


def share(text: str, value: Fraction) -> bool:
    """Whether a percentage is the share rounded half up, and says where it would round to nothing or all."""
    if value in (0, 1):
        return text == f"{100 * value}%"
    if value < Fraction(1, 1000):
        return text == "under 0.1%"
    if value > Fraction(999, 1000):
        return text == "over 99.9%"
    places = 1 if value < Fraction(95, 10_000) or value >= Fraction(995, 1000) else 0
    scaled = value * 100 * 10**places
    rounded = int(scaled + Fraction(1, 2))
    return text == (f"{rounded / 10:.1f}%" if places else f"{rounded}%")


def rounded(value: Fraction, places: int) -> str:
    """A value rounded half up to some decimals."""
    scaled = int(value * 10**places + Fraction(1, 2))
    return f"{scaled // 10**places}.{scaled % 10**places:0{places}d}"


def numbers_in(text: str) -> Iterator[int]:
    """Every whole number in a text."""
    for found in re.findall(r"\d[\d,]*", text):
        yield int(found.replace(",", "").rstrip(","))
