"""The numbers that sentences on a part may name, read off the model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from anatomy.model.architecture import Attention
from anatomy.model.computation import Computation
from anatomy.report.anatomy import Anatomy, Part
from anatomy.teaching import phrases
from anatomy.words.formatting import exact
from anatomy.words.scales import plain, times


@dataclass(frozen=True)
class Facts:
    """What sentences may ask of a part; a reference without an answer is a ``KeyError``, never a gap in a sentence."""

    anatomy: Anatomy
    part: Part

    def __getitem__(self, name: str) -> str:
        value = NUMBERS[name](self)
        if value is None:
            raise KeyError(f"{name} of {self.part.id} of {self.anatomy.model.name}")
        return exact(value) if isinstance(value, int) else value

    @property
    def attention(self) -> Attention | None:
        """The attention record that the part draws on."""
        return self.part.attention

    @property
    def tables(self) -> dict[str, tuple[int, ...]]:
        """What the embedding holds: stored shapes by the last step of their paths."""
        stack = self.part.stack
        rows = [row for row in self.anatomy.model.rows if row.part_id == "embedding" and row.stack in (None, stack)]
        return {row.part.rsplit("/", 1)[-1]: row.shape for row in rows if not row.symbol.startswith("b_")}

    def shape(self, symbol: str) -> tuple[int, ...] | None:
        """The shape of the weight with this symbol."""
        return next((one.shape for one in self.part.weights if symbol in one.symbol.split(", ")), None)

    def holds(self, step: str) -> bool:
        """Whether a row of this part is called so in its path."""
        rows = self.anatomy.model.rows
        return any(row.part_id == self.part.id and row.part.rsplit("/", 1)[-1] == step for row in rows)


def _of(name: str) -> Callable[[Facts], int | None]:
    return lambda facts: getattr(facts.attention, name) if facts.attention else None


def _axis(table: str, axis: int) -> Callable[[Facts], int | None]:
    # Rows and columns are the last two axes: ViT stores its positions with an axis of 1 in front.
    return lambda facts: facts.tables[table][axis] if table in facts.tables else None


def spare(facts: Facts) -> int | None:
    """How many rows of a table of positions no position uses."""
    held, used = _axis("position", -2)(facts), facts.anatomy.model.context
    return held - used if held and used and facts.part.group == "embeddings" else None


def _query_latent(facts: Facts) -> int | None:
    shape = facts.shape("W_DQ")
    return shape[1] if shape else None


def _inner(facts: Facts) -> int | None:
    shape = facts.shape("W_down")
    return shape[0] if shape else None


def _computed(of: Callable[[Computation], str | None]) -> Callable[[Facts], str | None]:
    return lambda facts: of(facts.anatomy.model.computation) if facts.anatomy.model.computation else None


def _rotation(name: str) -> Callable[[Facts], str | None]:
    def told(facts: Facts) -> str | None:
        made = facts.anatomy.model.computation
        value = getattr(made.rotation, name) if made and made.rotation else None
        return plain(Fraction(value)) if value is not None else None

    return told


def _routing(name: str) -> Callable[[Facts], str | None]:
    return _computed(lambda made: plain(Fraction(getattr(made.routing, name))) if made.routing else None)


def _plain_size(facts: Facts) -> int | None:
    record = facts.attention
    return record.qk_size - record.rotary if record and record.rotary else None


def _all_heads(facts: Facts) -> str | None:
    record = facts.attention
    if record is None:
        return None
    heads, size = record.query_heads, record.qk_size
    return f"{exact(heads)} × {exact(size)} = {exact(heads * size)}"


def _every(facts: Facts) -> int | None:
    made = facts.anatomy.model.computation
    without = made.rotation.without if made and made.rotation else ()
    return without[0].step if len(without) == 1 else None


def side_by_side(facts: Facts) -> int | None:
    """How many experts of the routed ones' width a shared expert is as wide as; None where it is no whole number."""
    shared, routed = (
        next((matrix.inputs for row in facts.anatomy.model.rows for matrix in row.matrices
              if row.part_id == part and matrix.symbol == "W_down"), 0)
        for part in ("shared-expert", "experts")
    )  # fmt: skip
    return shared // routed if routed and shared % routed == 0 else None


def _sharing(facts: Facts) -> int | None:
    return facts.attention.query_heads // facts.attention.kv_heads if facts.attention else None


NUMBERS: dict[str, Callable[[Facts], int | str | None]] = {
    "T": lambda facts: facts.anatomy.seq_len,
    "width": lambda facts: facts.anatomy.model.width,
    "things": lambda facts: "positions" if facts.anatomy.model.vocabulary is None else "tokens",
    "context": lambda facts: facts.anatomy.model.context,
    "vocabulary": lambda facts: facts.anatomy.model.vocabulary,
    "activation": lambda facts: facts.anatomy.model.traits.activation,
    "experts": lambda facts: facts.anatomy.model.traits.experts,
    "used": lambda facts: facts.anatomy.model.traits.experts_per_token,
    "heads": _of("query_heads"),
    "kv_heads": _of("kv_heads"),
    "size": _of("qk_size"),
    "window": _of("window"),
    "chunk": _of("chunk"),
    "latent": _of("latent"),
    "rotary": _of("rotary"),
    "sharing": _sharing,
    "query_latent": _query_latent,
    "entries": _axis("token", -2),
    "entry": _axis("token", -1),
    "positions": _axis("position", -2),
    "spare": spare,
    "types": _axis("token-type", -2),
    "inner": _inner,
    "frames": lambda facts: facts.anatomy.model.fixed_lengths.get("frames"),
    "source": lambda facts: facts.anatomy.model.fixed_lengths.get("source"),
    "whole": lambda facts: "image" if "patches" in facts.anatomy.model.fixed_lengths else "text",
    "plain": _plain_size,
    "all_heads": _all_heads,
    "every": _every,
    "side_by_side": side_by_side,
    "read_as": lambda facts: phrases.read_as(facts.anatomy, facts.part),
    "joined": lambda facts: phrases.joined(facts.anatomy, facts.part),
    "workers": lambda facts: phrases.workers(facts.anatomy, facts.part),
    "results": lambda facts: phrases.results(facts.anatomy, facts.part),
    "divided": lambda facts: phrases.divided(facts.anatomy.model.computation),
    "embedding_scale": _computed(lambda made: times(made.embedding_scale)),
    "logit_scale": _computed(lambda made: times(made.logit_scale)),
    "logit_cap": _computed(lambda made: phrases.capped(made.logit_cap)),
    "score_cap": _computed(lambda made: phrases.capped(made.score_cap)),
    "qkv_limit": _computed(lambda made: plain(made.qkv_limit) if made.qkv_limit else None),
    "sharp": _computed(phrases.sharp),
    "growth": _computed(phrases.growth),
    "gate": _computed(phrases.gate),
    "limit": _computed(lambda made: plain(made.gate.limit) if made.gate else None),
    "buckets": _computed(lambda made: exact(made.buckets) if made.buckets else None),
    "rotated": _rotation("size"),
    "base": _rotation("base"),
    "local_base": _rotation("local_base"),
    "factor": _rotation("factor"),
    "groups": _routing("groups"),
    "best_groups": _routing("best_groups"),
    "factor_routed": _routing("factor"),
}
