"""The equation of each part in the symbols of its table, a common misunderstanding, and the papers it is from.

Equations are written with spaces between their signs: ``a_b`` and ``a^b`` stand low and high, ``√a`` is a root.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from anatomy.model.architecture import Attention
from anatomy.model.computation import Computation, Scale
from anatomy.report.anatomy import Anatomy, Part
from anatomy.words.formatting import exact
from anatomy.words.scales import plain

_GATES = {"SwiGLU": "SiLU", "GeGLU": "GELU", "ReGLU": "ReLU"}


def equations(anatomy: Anatomy, part: Part) -> list[str]:
    """What a part computes; nothing where no equation says more than its paragraph.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("gpt2"))
    >>> equations(shown, shown.find("attention"))[0]
    'head = softmax ( Q K^⊤ / √64 + mask ) V'
    """
    made = _EQUATIONS.get("norm" if "norm" in part.id else part.id)
    return list(made(anatomy, part)) if made else []


def _symbols(part: Part) -> set[str]:
    return {symbol for weight in part.weights for symbol in weight.symbol.split(", ")}


def _embedding(anatomy: Anatomy, part: Part) -> Iterator[str]:
    held = _symbols(part)
    if "W_E" not in held:
        return
    made = anatomy.model.computation
    scaled = f"{_factor(made.embedding_scale)} · " if made and made.embedding_scale.changes else ""
    inward = " W_in" if "W_in" in held else ""
    added = (" + W_pos [ t ]" if "W_pos" in held else "") + (" + W_type [ type_t ]" if "W_type" in held else "")
    yield f"x_t = {scaled}W_E [ id_t ]{inward}{added}"


def _factor(scale: Scale) -> str:
    return f"√{plain(scale.number)}" if scale.root else plain(scale.number)


def _residual(anatomy: Anatomy, part: Part) -> Iterator[str]:
    flow = next((stack.flow for stack in anatomy.model.stacks if stack.id == part.stack), anatomy.model.stacks[0].flow)
    made = anatomy.model.computation
    times = f"{_factor(made.residual_scale)} · " if made and made.residual_scale.changes else ""
    parts = flow[0].parts
    inside = "norm ( x )" if parts[0].startswith("norm-") else "x"
    held = {one.id for one in anatomy.parts if one.stack == part.stack}
    last = "MLP" if "mlp" in held else "experts"
    names = ["attention", *(["cross-attention"] if "cross-attention" in held else []), last]
    results = [f"{name} ( {inside} )" for name in names]
    if flow[0].norm_after:
        yield from (f"x ← norm ( x + {result} )" for result in results)
    elif flow[-1].reads != "stream":
        yield f"x ← x + {times}{f' + {times}'.join(results)}"
    else:
        behind = parts[-1].startswith("norm-post-")
        yield from (f"x ← x + {times}" + (f"norm ( {result} )" if behind else result) for result in results)


def _norm(anatomy: Anatomy, part: Part) -> Iterator[str]:
    made = anatomy.model.computation
    scale = " · γ" if "γ" in _symbols(part) else ""
    scale = " · ( 1 + γ )" if scale and made and made.norm_offset else scale
    if anatomy.model.traits.norm == "RMSNorm":
        yield f"y = x / rms ( x ){scale}"
    else:
        yield f"y = ( x − mean ( x ) ) / deviation ( x ){scale}" + (" + β" if "β" in _symbols(part) else "")


def _attention(anatomy: Anatomy, part: Part) -> Iterator[str]:
    record = part.attention
    if record is None:
        return
    scores = f"Q K^⊤{_divided(anatomy.model.computation)}"
    made = anatomy.model.computation
    if made and made.score_cap:
        cap = plain(made.score_cap)
        scores = f"{cap} · tanh ( {scores} / {cap} )"
    sink = " , sink" if "sinks" in _symbols(part) else ""
    yield f"head = softmax ( {scores}{_added(anatomy, record)}{sink} ) V"
    yield f"Out = [ head_1 … head_{exact(record.query_heads)} ] W_O" + (" + b_O" if "b_O" in _symbols(part) else "")


def _divided(made: Computation | None) -> str:
    scale = made.score_scale if made else Scale()
    if not scale.changes:
        return ""
    rotation = made.rotation if made else None
    sharp = ""
    if rotation and rotation.sharpening is not None and rotation.factor is not None:
        sharp = f" · ( {plain(rotation.sharpening)} · ln {plain(rotation.factor)} + 1 )^2"
    if scale.number.numerator == 1:
        return f" / {'√' if scale.root else ''}{exact(scale.number.denominator)}{sharp}"
    return f" · {_factor(scale)}{sharp}"


def _added(anatomy: Anatomy, record: Attention) -> str:
    by = {"alibi": " − slope · distance", "relative": " + b_rel"}.get(anatomy.model.traits.positions, "")
    by = "" if record.kind == "cross" else by
    return by + (" + mask" if record.causal or record.window else "")


def _mlp(anatomy: Anatomy, part: Part) -> Iterator[str]:
    held, activation = _symbols(part), anatomy.model.traits.activation
    made = anatomy.model.computation
    up, down = (f" + b_{name}" if f"b_{name}" in held else "" for name in ("up", "down"))
    if made and made.gate and part.id == "experts":
        yield "g = min ( x W_gate + b_gate , " + plain(made.gate.limit) + " )"
        yield f"u = max ( −{plain(made.gate.limit)} , min ( x W_up + b_up , {plain(made.gate.limit)} ) )"
        yield f"y = ( ( u + 1 ) · g · sigmoid ( {plain(made.gate.slope)} · g ) ) W_down + b_down"
    elif "W_gate" in held:
        gate = " + b_gate" if "b_gate" in held else ""
        yield f"y = ( {_GATES.get(activation, activation)} ( x W_gate{gate} ) · ( x W_up{up} ) ) W_down{down}"
    else:
        yield f"y = {activation} ( x W_up{up} ) W_down{down}"


def _router(_: Anatomy, part: Part) -> Iterator[str]:
    trained = any(weight.symbol == "b_router" and not weight.buffer for weight in part.weights)
    yield "scores = x W_router" + (" + b_router" if trained else "")


def _unembedding(anatomy: Anatomy, part: Part) -> Iterator[str]:
    made = anatomy.model.computation
    logits = "x W_U" + (" + b_U" if "b_U" in _symbols(part) else "")
    if made and made.logit_scale.changes:
        scale = made.logit_scale
        logits = f"{logits} / {'√' if scale.root else ''}{exact(scale.number.denominator)}" \
            if scale.number.numerator == 1 else f"{_factor(scale)} · {logits}"  # fmt: skip
    if made and made.logit_cap:
        logits = f"{plain(made.logit_cap)} · tanh ( {logits} / {plain(made.logit_cap)} )"
    yield f"p = softmax ( {logits} )"


_EQUATIONS: dict[str, Callable[[Anatomy, Part], Iterator[str]]] = {
    "embedding": _embedding,
    "residual": _residual,
    "norm": _norm,
    "attention": _attention,
    "cross-attention": _attention,
    "mlp": _mlp,
    "experts": _mlp,
    "shared-expert": _mlp,
    "router": _router,
    "unembedding": _unembedding,
    "pooler": lambda *_: iter(("y = tanh ( x_1 W_pool + b_pool )",)),
}

_MISTAKES = {
    "embedding": "That tokens are words: most are pieces of words, and the same word may be cut in several ways.",
    "residual": "That it is a part with weights of its own: it is only a running sum, which norms and matrices read.",
    "norm": "That it mixes positions or tokens: each vector is normalised by itself, from its own numbers.",
    "attention": "That each head gets its own slice of the vector: each reads all of it, through matrices of its own.",
    "cross-attention": "That the encoder runs again for each token written: it runs once; keys and values are kept.",
    "mlp": "That attention does most of the work: in most models the MLPs hold more parameters, and over short texts "
    "cost more FLOPs.",
    "router": "That it picks an expert for a text or a topic: it chooses anew for every token, in every block.",
    "experts": "That experts are specialists for fields of knowledge: what they share out is mostly kinds of tokens.",
    "shared-expert": "That it is chosen by the router: it always runs, and all of it counts as active.",
    "unembedding": "That a tied one is free: it holds no parameters of its own, but it multiplies like any matrix.",
    "pooler": "That it averages the positions: it reads the first one alone.",
    "head": "That it is part of the pretrained blocks: it is a small matrix on top, trained for the task.",
}


def misunderstanding(part: Part) -> str | None:
    """What is often believed of such a part, and what is so.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> misunderstanding(describe(anatomy.load("gpt2")).find("final-norm"))[:41]
    'That it mixes positions or tokens: each v'
    """
    return _MISTAKES.get("norm" if "norm" in part.id else part.id)


_PAPERS = {
    "multi-head": ("Attention Is All You Need", "1706.03762"),
    "multi-query": ("Fast Transformer Decoding", "1911.02150"),
    "grouped-query": ("GQA", "2305.13245"),
    "latent": ("DeepSeek-V2", "2405.04434"),
    "rotary": ("RoFormer", "2104.09864"),
    "alibi": ("Train Short, Test Long", "2108.12409"),
    "relative": ("T5", "1910.10683"),
    "yarn": ("YaRN", "2309.00071"),
    "LayerNorm": ("Layer Normalization", "1607.06450"),
    "RMSNorm": ("Root Mean Square Layer Normalization", "1910.07467"),
    "gated": ("GLU Variants Improve Transformer", "2002.05202"),
    "GELU": ("Gaussian Error Linear Units", "1606.08415"),
    "experts": ("Outrageously Large Neural Networks", "1701.06538"),
    "shared-expert": ("DeepSeekMoE", "2401.06066"),
    "tied": ("Using the Output Embedding", "1608.05859"),
    "residual": ("Deep Residual Learning", "1512.03385"),
}


def papers(anatomy: Anatomy, part: Part) -> list[tuple[str, str]]:
    """The papers behind what is said of a part: title and arXiv number.

    >>> import anatomy
    >>> from anatomy.report import describe
    >>> shown = describe(anatomy.load("llama-3-8b"))
    >>> papers(shown, shown.find("attention"))
    [('GQA', '2305.13245'), ('RoFormer', '2104.09864')]
    """
    return [_PAPERS[key] for key in _sources(anatomy, part) if key in _PAPERS]


def _sources(anatomy: Anatomy, part: Part) -> Iterator[str]:
    model, record = anatomy.model, part.attention
    if record and record.latent is not None:
        yield "latent"
    elif record:
        few = "multi-query" if record.kv_heads == 1 else "grouped-query"
        yield "multi-head" if record.kv_heads == record.query_heads else few
    if record and record.kind == "self":
        yield model.traits.positions
        rotation = model.computation.rotation if model.computation else None
        yield rotation.scaling or "" if rotation else ""
    if "norm" in part.id:
        yield model.traits.norm
    if part.id in ("mlp", "experts", "shared-expert"):
        yield "gated" if "W_gate" in _symbols(part) else model.traits.activation
    yield {"router": "experts", "experts": "experts"}.get(part.id, "")
    yield part.id if part.id in ("residual", "shared-expert") else ""
    yield "tied" if part.id == "unembedding" and model.tied_unembedding else ""
