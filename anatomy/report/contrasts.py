"""What differs in kind between two models, in words: attention's form, norms, positions, MLPs, ties, wiring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anatomy.catalog import LoadedModel
from anatomy.model.architecture import Attention
from anatomy.model.blocks import count
from anatomy.words.formatting import exact


@dataclass(frozen=True, slots=True)
class Contrast:
    """A difference in kind: how either model has it (a phrase that follows its name), and both in one sentence."""

    topic: str
    first: str
    second: str
    sentence: str


_POSITIONS = {
    "learned": "learns a table of positions",
    "rotary": "turns queries and keys by their position (rotary)",
    "alibi": "adds a penalty for distance to the scores (ALiBi)",
    "relative": "adds a learned bias for relative positions to the scores",
    "sinusoidal": "adds fixed sinusoids for positions",
    "none": "has no positions of its own",
}


def between(first: LoadedModel, second: LoadedModel) -> tuple[Contrast, ...]:
    """What differs in kind between two models, topic by topic; sizes alone are no difference in kind.

    >>> import anatomy
    >>> gpt2, llama = anatomy.load("gpt2"), anatomy.load("llama-3-70b")
    >>> between(gpt2, llama)[0].sentence
    'In Llama 3 70B, 64 query heads share 8 KV heads; GPT-2 small has 12 of each.'
    """
    found = []
    heads = _heads(first, second)
    if heads:
        found.append(heads)
    for topic, phrase in _TOPICS:
        one, other = phrase(first), phrase(second)
        if one != other:
            found.append(Contrast(topic, one, other, f"{first.name} {one}; {second.called} {other}."))
    return tuple(found)


def _record(model: LoadedModel) -> Attention | None:
    """The self-attention of most blocks, a decoder's before an encoder's."""
    own = [record for record in model.attention if record.kind == "self"]
    last = model.stacks[-1].id if model.stacks else None
    own.sort(key=lambda record: (record.stack == last, count(record.blocks)), reverse=True)
    return own[0] if own else None


def _sharing(record: Attention) -> str:
    """How a model's query heads stand to its KV heads, after the word "has" or in a sentence of its own."""
    queries, held = exact(record.query_heads), exact(record.kv_heads)
    if record.latent is not None:
        return f"{queries} heads read keys and values from one latent of {exact(record.latent)} numbers per token"
    if record.kv_heads == record.query_heads:
        return f"{queries} query heads have {held} KV heads, one each"
    if record.kv_heads == 1:
        return f"{queries} query heads share one KV head"
    return f"{queries} query heads share {held} KV heads"


def _heads(first: LoadedModel, second: LoadedModel) -> Contrast | None:
    records = _record(first), _record(second)
    one, other = records
    if one is None or other is None or _form(one) == _form(other):
        return None
    words = _sharing(one), _sharing(other)
    named = [(first.called, one, words[0]), (second.called, other, words[1])]
    # The model whose heads share is said first; the other then needs few words.
    named.sort(key=lambda item: item[1].kv_heads == item[1].query_heads and item[1].latent is None)
    (name, sharing, said), (plain, record, full) = named
    each = record.kv_heads == record.query_heads and sharing.latent is None
    rest = f"{plain} has {exact(record.query_heads)} of each" if each else f"in {plain}, {full}"
    return Contrast("Heads", *words, f"In {name}, {said}; {rest}.")


def _form(record: Attention) -> tuple[bool, int, int]:
    latent = record.latent is not None
    return latent, 0 if latent else record.query_heads // record.kv_heads, min(record.kv_heads, 2) if not latent else 0


def _stacks(model: LoadedModel) -> str:
    ids = [stack.id for stack in model.stacks]
    return (
        f"has an {ids[0]} and a {ids[1]}" if len(ids) == 2 else f"is {'an' if ids[0][0] in 'aeiou' else 'a'} {ids[0]}"
    )


def _mask(model: LoadedModel) -> str:
    record = _record(model)
    return "attends to earlier tokens only" if record and record.causal else "attends in both directions"


def _window(model: LoadedModel) -> str:
    own = [record for record in model.attention if record.kind == "self"]
    local = [record for record in own if record.window or record.chunk]
    if not local:
        return "lets every block see all tokens"
    reach = " or ".join(dict.fromkeys(exact(record.window or record.chunk or 0) for record in local))
    blocks, total = sum(count(record.blocks) for record in local), sum(count(record.blocks) for record in own)
    if blocks == total:
        return f"lets every block see {reach} tokens at most"
    return f"lets {exact(blocks)} of its {exact(total)} blocks see {reach} tokens at most"


def _mlp(model: LoadedModel) -> str:
    gated = any(row.part.endswith("/gate") or row.part.endswith("/gate-up") for row in model.rows)
    gated = gated or any(matrix.symbol == "W_gate" for row in model.rows for matrix in row.matrices)
    return f"has an MLP of {'three' if gated else 'two'} matrices ({model.traits.activation})"


def _experts(model: LoadedModel) -> str:
    traits = model.traits
    if not traits.experts:
        return "has one MLP in every block, which every token passes"
    return f"routes each token to {exact(traits.experts_per_token or 0)} of {exact(traits.experts)} experts"


def _tie(model: LoadedModel) -> str:
    if not any(row.part_id == "unembedding" and row.matrices for row in model.rows):
        return "has no unembedding"
    return "ties its unembedding to the token table" if model.tied_unembedding else "stores an unembedding of its own"


def _biases(model: LoadedModel) -> str:
    # T5's table of relative positions is called b_rel, and is no projection's bias.
    named = [row for row in model.rows if row.blocks and row.symbol.startswith("b_") and row.symbol != "b_rel"]
    fed = [row for row in named if not row.buffer]
    if not fed:
        return "has no biases in its blocks"
    parts = list(dict.fromkeys(row.part_id for row in fed))
    everywhere = {row.part_id for row in model.rows if row.blocks and row.matrices} <= set(parts)
    return "has biases on its projections" if everywhere else f"has biases in {' and '.join(parts)} only"


def _wiring(model: LoadedModel) -> str:
    flow = model.stacks[-1].flow
    present = {row.part_id for row in model.rows}
    if any(branch.reads != "stream" for branch in flow):
        return "computes attention and MLP side by side"
    if any(branch.norm_after for branch in flow):
        return "normalises after each addition"
    after = [one for one in present if one.startswith("norm-post-")]
    before = [one for one in present if one.startswith("norm-") and one not in after]
    if after:
        return "normalises before and after each part" if before else "normalises each part's output"
    return "normalises before each part"


_TOPICS: tuple[tuple[str, Callable[[LoadedModel], str]], ...] = (
    ("Stacks", _stacks),
    ("Mask", _mask),
    ("Reach", _window),
    ("Positions", lambda model: _POSITIONS.get(model.traits.positions, f"has {model.traits.positions} positions")),
    ("Norm", lambda model: f"uses {model.traits.norm}"),
    ("Wiring", _wiring),
    ("MLP", _mlp),
    ("Experts", _experts),
    ("Biases", _biases),
    ("Unembedding", _tie),
)
