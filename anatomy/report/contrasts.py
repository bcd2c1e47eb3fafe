"""What differs in kind between two models, in words: attention's form, norms, positions, MLPs, ties, wiring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from anatomy.catalog import LoadedModel
from anatomy.model.architecture import Attention
from anatomy.model.blocks import count
from anatomy.model.computation import Computation
from anatomy.report.computed import biased, norm_scale, shifts
from anatomy.words.formatting import exact
from anatomy.words.scales import plain, scaled


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
        # An empty phrase says that a model has no such thing, or that it is not read.
        if one and other and one != other:
            found.append(Contrast(topic, one, other, f"{first.name} {one}; {second.called} {other}."))
    return tuple(found)


def usual_attention(model: LoadedModel) -> Attention:
    """The self-attention of most blocks, a decoder's before an encoder's."""
    own = [record for record in model.attention if record.kind == "self"]
    return max(own, key=lambda record: (record.stack == model.stacks[-1].id, count(record.blocks)))


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
    one, other = usual_attention(first), usual_attention(second)
    if _form(one) == _form(other):
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
    own = [record for record in model.attention if record.kind == "self"]
    if len({record.causal for record in own}) == 2:
        return "attends in both directions in its encoder, to earlier tokens only in its decoder"
    return "attends to earlier tokens only" if own[0].causal else "attends in both directions"


def _window(model: LoadedModel) -> str:
    own = [record for record in model.attention if record.kind == "self"]
    idle = model.context or 0
    local = [record for record in own if record.chunk or (record.window and not 0 < idle <= record.window)]
    if not local:
        banded = model.computation and model.computation.every_other_banded
        return "attends in sparse bands in every other block" if banded else "limits no block to a window"
    reach = " or ".join(dict.fromkeys(exact(record.window or record.chunk or 0) for record in local))
    blocks, total = sum(count(record.blocks) for record in local), sum(count(record.blocks) for record in own)
    what = "a chunk" if any(record.chunk for record in local) else "a window"
    if blocks == total:
        return f"limits every block to {what} of {reach} tokens"
    return f"limits {exact(blocks)} of its {exact(total)} blocks to {what} of {reach} tokens"


def _mlp(model: LoadedModel) -> str:
    gated = any(matrix.symbol == "W_gate" for row in model.rows for matrix in row.matrices)
    return f"has an MLP of {'three' if gated else 'two'} matrices ({model.traits.activation})"


def _experts(model: LoadedModel) -> str:
    traits = model.traits
    if not traits.experts:
        return "has one MLP in every block, which every token passes"
    return f"routes each token to {exact(traits.experts_per_token or 0)} of {exact(traits.experts)} experts"


def _tie(model: LoadedModel) -> str:
    if not any(row.part_id == "unembedding" and row.matrices for row in model.rows):
        held = {row.part_id for row in model.rows}
        ends = [word for part, word in (("pooler", "a pooler"), ("head", "a classifier")) if part in held]
        return f"has {' and '.join(ends)} and no unembedding" if ends else "has no unembedding"
    return "ties its unembedding to the token table" if model.tied_unembedding else "stores an unembedding of its own"


def _biases(model: LoadedModel) -> str:
    """The projections of a model's blocks that have biases: all, all but some, some, or none."""
    held = biased(model)
    if not held:
        return "has no biases on its projections"
    symbols = [(row.part_id, one.symbol) for row in model.rows if row.blocks for one in row.matrices]
    all_of_them = list(dict.fromkeys(f"{part} {symbol.replace('W_', 'b_')}" for part, symbol in symbols))
    without = [one.split(" b_")[1] for one in all_of_them if one not in held]
    if not without:
        return "has biases on all its projections"
    parts = {one.split(" ")[0] for one in held}
    broken = {one.split(" ")[0] for one in all_of_them if one not in held}
    if set(without) == {"K"}:
        return "has biases on all its projections but W_K"
    if not parts & broken:
        return f"has biases in {' and '.join(_INSIDE.get(part, part) for part in sorted(parts))} only"
    return f"has biases on {', '.join('W_' + one.split(' b_')[1] for one in held)} only"


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


def _norm(model: LoadedModel) -> str:
    scale = norm_scale(model)
    if scale is None:
        return f"uses {model.traits.norm} without a scale"
    shift = " and a shift β" if shifts(model) else ""
    return f"uses {model.traits.norm} with a scale of {scale}{shift}"


def _parts_normed(model: LoadedModel) -> str:
    held = {row.part.rsplit("/", 1)[-1] for row in model.rows}
    bare = bool(model.computation and model.computation.bare_qk_norm)
    said = "normalises queries and keys" if "q-norm" in held or bare else "does not normalise queries and keys"
    if bare:
        said += " without a learned scale"
    return said + (", and its embeddings" if any(row.part_id == "embedding-norm" for row in model.rows) else "")


def _computed(of: Callable[[Computation], str]) -> Callable[[LoadedModel], str]:
    # Where either is not read nothing is said: both phrases are empty, or the pair is left out.
    return lambda model: of(model.computation) if model.computation else ""


def _scored(model: LoadedModel) -> str:
    made = model.computation
    if made is None:
        return ""
    scale, size = made.score_scale, model.attention[0].qk_size
    root = scale.root and scale.number == Fraction(1, size)
    said = "divides scores by the root of the head size" if root else f"takes scores {scaled(scale)}"
    if made.score_by_depth:
        said += " and by the block's number"
    return said + (f", capped at {plain(made.score_cap)}" if made.score_cap else "")


def _logits(made: Computation) -> str:
    said = f"takes logits {scaled(made.logit_scale)}"
    return said + (f", capped at {plain(made.logit_cap)}" if made.logit_cap else "")


def _clamps(made: Computation) -> str:
    cut = [f"queries, keys and values at ±{plain(made.qkv_limit)}"] if made.qkv_limit else []
    cut += [f"the gate of its experts at {plain(made.gate.limit)}"] if made.gate else []
    return f"cuts off {' and '.join(cut)}" if cut else "cuts off nothing inside its blocks"


def _rotation(model: LoadedModel) -> str:
    made = model.computation
    rotation = made.rotation if made else None
    if rotation is None:
        return ""
    size, record = rotation.size, model.attention[0]
    whole = size == record.qk_size
    said = f"rotates {'all' if whole else f'{exact(size)} of {exact(record.qk_size)}'} numbers of a head"
    if rotation.without:
        blocks = sum(stack.blocks for stack in model.stacks)
        said += f" in {exact(blocks - count(rotation.without))} of its {exact(blocks)} blocks"
    said += f" from a base of {plain(rotation.base)}"
    said += f" ({plain(rotation.local_base)} in windows)" if rotation.local_base else ""
    if rotation.scaling:
        said += f", stretched {plain(rotation.factor)} times" if rotation.factor else ", stretched"
        said += f" ({_SCALINGS[rotation.scaling]})"
    return said


def _routing(made: Computation) -> str:
    routing = made.routing
    if routing is None:
        return ""
    if routing.weighs == "input":
        return "multiplies what an expert reads by the sigmoid of its score"
    # A softmax over all, rescaled over the chosen, is the softmax over the chosen.
    over = " over the chosen" if routing.normalised and routing.scores == "softmax" else ""
    said = f"weighs experts by the {routing.scores}{over}"
    said += ", rescaled" if routing.normalised and not over else ""
    said += f", times {plain(routing.factor)}" if routing.factor != 1 else ""
    return said + (f", in {exact(routing.best_groups)} of {exact(routing.groups)} groups" if routing.groups > 1 else "")


def _shared(model: LoadedModel) -> str:
    if not model.traits.experts:
        return ""
    has = any(row.part_id == "shared-expert" for row in model.rows)
    return "has a shared expert" if has else "has no shared expert"


def _growth(made: Computation) -> str:
    return "lets queries grow with position in some blocks" if made.query_growth else "lets no query grow with position"


_SCALINGS = {
    "linear": "linear",
    "dynamic": "dynamic",
    "yarn": "YaRN",
    "longrope": "LongRoPE",
    "llama3": "as Llama 3.1",
}
_INSIDE = {"mlp": "the MLP", "attention": "attention", "cross-attention": "cross-attention", "experts": "experts"}

_TOPICS: tuple[tuple[str, Callable[[LoadedModel], str]], ...] = (
    ("Stacks", _stacks),
    ("Mask", _mask),
    ("Reach", _window),
    ("Positions", lambda model: _POSITIONS.get(model.traits.positions, f"has {model.traits.positions} positions")),
    ("Rotation", _rotation),
    ("Norm", _norm),
    ("Norms inside", _parts_normed),
    ("Wiring", _wiring),
    ("Scores", _scored),
    ("MLP", _mlp),
    ("Experts", _experts),
    ("Shared expert", _shared),
    ("Routing", _computed(_routing)),
    ("Biases", _biases),
    ("Embedding", _computed(lambda made: f"takes embeddings {scaled(made.embedding_scale, 'd')}")),
    ("Additions", _computed(lambda made: f"adds results {scaled(made.residual_scale)}")),
    ("Queries", _computed(_growth)),
    ("Clamps", _computed(_clamps)),
    ("Logits", _computed(_logits)),
    ("Unembedding", _tie),
)
