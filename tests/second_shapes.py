"""A second count of the shapes that faces show: what a part stores and computes, by hand from rows and sizes."""

from __future__ import annotations

from tests.second_count import Place, Second


def expected_weights(count: Second, place: Place) -> list[tuple[str, str, str, str]]:
    """The same from the rows."""
    found = []
    for row in count.rows(place):
        for symbol, shape, many, each in [
            *((one.symbol, (one.inputs, one.outputs), one.count, one.elements) for one in row.matrices),
            *([(row.symbol, row.shape, 1, row.elements)] if not row.matrices else []),
        ]:
            often = many * row.copies
            buffer = "a buffer: set by a rule, not by gradients"
            why = "tied: counted where it is stored" if row.tied_to else buffer if row.buffer else ""
            worded = (f"× {often:,} expert{'s' * (often > 1)}" if place.id == "experts" else f"× {often:,}") * (
                often > 1
            )
            held = 0 if why else each * row.copies
            found.append((symbol, " × ".join(f"{size:,}" for size in shape), worded, f"{held} {why}"))
    return found


def activations(count: Second, place: Place) -> list[tuple[str, str, str]]:
    """What a part computes: name, shape, what it grows with; by hand from the model's sizes."""
    model, t = count.model, count.seq_len
    fixed = model.fixed_lengths
    stack = next((one for one in model.stacks if one.id == place.stack), None)
    over = stack.positions if stack else "tokens"
    n = count.lengths[over]
    axis = "" if over in fixed else "T" if over == "tokens" else "S"
    source = "" if "source" in fixed else "S"
    d = model.width
    found: list[tuple[str, tuple[int, ...], str]] = []
    matrices = {one.symbol: one for row in count.rows(place) for one in row.matrices}
    record = count.record(place)
    out = [("Out", (n, d), axis)]
    traits = model.traits
    if place.id == "embedding":
        if stack is None:
            for side, length, which in (("source", count.lengths["source"], source), ("target", t, "T")):
                found += [(f"Token ids, {side}", (length,), which), (f"Out, {side}", (length, d), which)]
            out = []
        elif any(row.part.endswith("/token") for row in count.rows(place)):
            found.append(("Token ids", (n,), axis))
        if "W_patch" in matrices:
            found.append(("Patches", (fixed["patches"], matrices["W_patch"].inputs), ""))
        if "W_conv1" in matrices:
            found.append(("Frames", (fixed["frames"], matrices["W_conv1"].inputs // 3), ""))
            found.append(("After convolution 1", (fixed["frames"], matrices["W_conv1"].outputs), ""))
    elif record:
        keys, of = (count.lengths["source"], source) if record.kind == "cross" else (n, axis)
        per = "head" if record.kv_heads == record.query_heads else "KV head"
        if "W_DQ" in matrices:
            found.append(("Query latent", (n, matrices["W_DQ"].outputs), axis))
        found.append(("Queries, per head", (n, record.qk_size), axis))
        if record.latent:
            found += [
                ("KV latent", (keys, record.latent), of),
                ("Rotary key, all heads", (keys, record.rotary or 0), of),
            ]
        found += [(f"Keys, per {per}", (keys, record.qk_size), of), (f"Values, per {per}", (keys, record.v_size), of)]
        both = f"{axis}²" if axis == of and axis else " × ".join(one for one in (axis, of) if one)
        found.append(("Scores, per head", (n, keys), both))
    elif place.id in ("mlp", "shared-expert"):
        names = ["Gate", "Up", "Hidden"] if "W_gate" in matrices else ["Hidden"]
        found += [(name, (n, matrices["W_down"].inputs), axis) for name in names]
        found += [("Weight of the shared expert", (n, 1), axis)] if "W_scale" in matrices else []
    elif place.id == "router":
        found += [("Expert scores", (n, traits.experts or 0), axis)]
        found += [("Weights of experts used", (n, traits.experts_per_token or 0), axis)]
        out = []
    elif place.id == "experts":
        inside = (n, traits.experts_per_token or 0, matrices["W_down"].inputs)
        names = ["Gate", "Up", "Hidden"] if "W_gate" in matrices else ["Hidden"]
        found += [(f"{name}, experts used", inside, axis) for name in names]
    elif place.id == "pooler":
        return [("Pooled", f"1 × {matrices['W_pool'].outputs:,}", "")]
    elif place.id in ("unembedding", "head"):
        out = []
        if "W_T" in matrices:
            found.append(("Hidden", (n, matrices["W_T"].outputs), axis))
        for row in count.rows(place):
            for one in row.matrices:
                if one.symbol != "W_T":
                    once = row.multiplies == "one"
                    found.append(("Logits", (1 if once else n, one.outputs), "" if once else axis))
    return [(name, " × ".join(f"{size:,}" for size in shape), how) for name, shape, how in [*found, *out]]


def depending(count: Second, place: Place) -> str:
    """The sentence on which shapes depend on T."""
    grown: dict[str, list[str]] = {}
    for name, _, how in activations(count, place):
        if how:
            word = name.partition(",")[0]
            grown.setdefault(how, []).append(word if word.startswith("KV") else word[0].lower() + word[1:])
    if not grown:
        return "None of these shapes depends on T."
    said = []
    for how, names in grown.items():
        several = len(names) > 1 or names[0].endswith("s")
        listed = f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
        said.append(f"{listed} {'grow' if several else 'grows'} with {how}")
    text = "; ".join(said)
    return f"{text[0].upper()}{text[1:]}." + (" No weight depends on T." if count.rows(place) else "")
