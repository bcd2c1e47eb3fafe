"""The further challenges, in two levels: what a part holds and does, then what lengths and pairs of models cost."""

from __future__ import annotations

from fractions import Fraction

from anatomy.model.blocks import count
from anatomy.report.anatomy import Part
from anatomy.teaching.challenges import FIRST, MLP_GROUPS, Challenge, Shown
from anatomy.words.formatting import exact, percent, shape, size_in_bytes

# Where a challenge draws the line.
LOOKED_UP = Fraction(1, 5)  # of all parameters
ACTIVE = Fraction(1, 10)
WINDOWED = Fraction(1, 2)  # of what the cache would hold without windows
COMPRESSED = Fraction(1, 50)  # of the numbers in the keys and values
ALIKE = Fraction(2, 100)  # of the larger one's size
APART = 8  # times the other's cache
MLP_PARTS = ("mlp", "experts", "shared-expert")


def _attention(shown: Shown) -> Part | None:
    return shown.selected if shown.selected.id == "attention" else None


def table_outweighs_blocks(shown: Shown) -> str | None:
    """Whether the embeddings hold more than attention and MLPs together."""
    held = {group.id: group.parameters for group in shown.anatomy.groups}
    tables = held.get("embeddings", 0)
    rest = sum(held.get(name, 0) for name in ("attention", *MLP_GROUPS))
    if tables <= rest:
        return None
    return f"the embeddings hold {exact(tables)} parameters, attention and MLPs together {exact(rest)}"


def norms_hold_nothing(shown: Shown) -> str | None:
    """Whether the model has norms, and no parameter in any of them."""
    norms = [part for part in shown.anatomy.parts if part.group == "norms"]
    if not norms or any(group.id == "norms" for group in shown.anatomy.groups):
        return None
    return f"its {exact(sum(count(part.blocks) if part.blocks else 1 for part in norms))} norms hold 0 parameters"


def multiplies_and_holds_nothing(shown: Shown) -> str | None:
    """Whether the selected part multiplies without holding a parameter of its own."""
    part = shown.selected
    if part.parameters or not part.flops:
        return None
    return f"{part.label} holds 0 parameters and costs {exact(part.flops)} FLOPs in this pass"


def holds_and_multiplies_nothing(shown: Shown) -> str | None:
    """Whether the selected part holds more than a fifth of the model without a FLOP."""
    part = shown.selected
    if part.flops or part.share <= LOOKED_UP:
        return None
    return f"{part.label} holds {exact(part.parameters)} parameters, {percent(part.share)}, and costs 0 FLOPs"


def output_is_not_square(shown: Shown) -> str | None:
    """Whether the selected attention's W_O has more inputs than outputs, or fewer."""
    part = _attention(shown)
    sizes = next((weight.shape for weight in part.weights if weight.symbol == "W_O"), ()) if part else ()
    return f"W_O is {shape(sizes)}" if len(set(sizes)) > 1 else None


def one_key_head(shown: Shown) -> str | None:
    """Whether all heads of the selected attention share one key and value head."""
    part = _attention(shown)
    record = part.attention if part else None
    if not record or not record.kv_heads == 1 < record.query_heads:
        return None
    return f"{exact(record.query_heads)} query heads share {exact(record.kv_heads)} key and value head"


def few_are_active(shown: Shown) -> str | None:
    """Whether a token's pass uses less than a tenth of the parameters."""
    used, total = shown.anatomy.model.active_parameters, shown.anatomy.model.parameters
    share = Fraction(used, total)
    return f"{exact(used)} of {exact(total)} parameters are active, {percent(share)}" if share < ACTIVE else None


def cache_outgrows_weights(shown: Shown) -> str | None:
    """Whether the KV cache of one sequence takes more bytes than the weights, both in 16 bits."""
    cache, weights = shown.anatomy.kv_bytes, int(shown.anatomy.costs.weights("bf16").result)
    if cache is None or cache <= weights:
        return None
    return f"the KV cache takes {exact(cache)} bytes, the weights {exact(weights)}"


def mixing_outgrows_mlps(shown: Shown) -> str | None:
    """Whether scores and mixing cost more FLOPs than the MLPs."""
    mixing = shown.anatomy.full.attention
    mlps = sum(part.flops for part in shown.anatomy.parts if part.id in MLP_PARTS)
    if not mlps or mixing <= mlps:
        return None
    return f"scores and mixing cost {exact(mixing)} FLOPs in this pass, the MLPs {exact(mlps)}"


def windows_halve_the_cache(shown: Shown) -> str | None:
    """Whether windows keep the KV cache below half of what it would hold without them."""
    costs, growth, kept = shown.anatomy.costs, shown.anatomy.kv_bytes_per_token, shown.anatomy.kv_bytes
    if growth is None or kept is None or not any(one.window or one.chunk for one in costs.cached):
        return None
    whole = growth * shown.anatomy.seq_len
    if kept >= WINDOWED * whole:
        return None
    return f"the KV cache takes {exact(kept)} bytes; without windows it would take {exact(int(whole))}"


def latent_is_small(shown: Shown) -> str | None:
    """Whether the selected attention caches less than a fiftieth of its heads' keys and values, none of them shared."""
    part = _attention(shown)
    record = part.attention if part else None
    if not record or record.latent is None:
        return None
    kept = record.latent + (record.rotary or 0)
    made = record.query_heads * (record.qk_size + record.v_size)
    if kept >= COMPRESSED * made:
        return None
    return f"{exact(kept)} numbers are cached for each token and block, and {exact(made)} keys and values made of them"


def alike_and_far_apart(shown: Shown) -> str | None:
    """Whether the model and the one beside it are alike in size, and one caches eight times what the other does."""
    if shown.other is None:
        return None
    both = shown.anatomy, shown.other
    small, large = sorted(one.model.parameters for one in both)
    caches = [one.kv_bytes_per_token for one in both]
    if (large - small) > ALIKE * large or None in caches:
        return None
    least, most = sorted(one for one in caches if one is not None)
    if most < APART * least:
        return None
    return (
        f"{exact(small)} and {exact(large)} parameters, "
        f"{size_in_bytes(least)} and {size_in_bytes(most)} of KV cache per token"
    )


LEVELS = (
    (
        Challenge(
            "tables",
            "Find a model whose embeddings hold more parameters than its attention and MLPs together.",
            (
                "A table has a row for each token of the vocabulary, whatever the model’s depth: look among the "
                "smallest.",
                "The smallest Pythia has few blocks and the same tokens as the largest.",
            ),
            "#model=pythia-70m",
            table_outweighs_blocks,
        ),
        Challenge(
            "norms",
            "Find a model that has norms and not a single parameter in them.",
            (
                "A norm’s scale and shift are trained numbers; a norm may do without both. The bar of where the "
                "parameters live has no norms then.",
                "The first OLMo normalises so; OLMo 2 no longer does.",
            ),
            "#model=olmo-1b",
            norms_hold_nothing,
        ),
        Challenge(
            "tied",
            "Select a part that multiplies and holds nothing.",
            (
                "A matrix can be used twice and stored once.",
                "In GPT-2 small the scores of the possible next tokens are made with the token table.",
            ),
            "#model=gpt2&part=unembedding",
            multiplies_and_holds_nothing,
        ),
        Challenge(
            "lookup",
            "Select a part that holds more than a fifth of its model’s parameters and costs no FLOPs.",
            (
                "Reading a row of a table multiplies nothing.",
                "In GPT-2 small it is where tokens become numbers.",
            ),
            "#model=gpt2&part=embedding",
            holds_and_multiplies_nothing,
        ),
        Challenge(
            "output",
            "With attention selected, find a model whose output projection W_O is not square.",
            (
                "W_O reads all heads and writes the model’s width. Some models state a head size that is not the width "
                "divided by the heads.",
                "Gemma 7B’s heads are larger than that, as are those of Qwen3 0.6B.",
            ),
            "#model=gemma-7b&part=attention",
            output_is_not_square,
        ),
        Challenge(
            "one-key",
            "With attention selected, find a model all of whose query heads share one key and value head.",
            (
                "This is called multi-query attention, and came some years before grouped queries.",
                "Falcon 7B has it, as has StarCoderBase.",
            ),
            "#model=falcon-7b&part=attention",
            one_key_head,
        ),
    ),
    (
        Challenge(
            "active",
            "Find a model that uses less than a tenth of its parameters for each token.",
            (
                "A router sends each token to a few of many experts: the more experts, the fewer of all parameters.",
                "Mixtral uses two of eight, which is far too many. Look among those of 2025.",
            ),
            "#model=deepseek-v3",
            few_are_active,
        ),
        Challenge(
            "cache",
            "Find a model and a T at which the KV cache of one sequence is larger than the weights, both in 16 bits.",
            (
                "The weights stay as they are, the cache grows with each token: take a small model with a long "
                "context.",
                "Llama 3.2 1B reads far more tokens than it takes.",
            ),
            "#model=llama-3.2-1b&t=131072",
            cache_outgrows_weights,
        ),
        Challenge(
            "mixing",
            "Find a model and a T at which attention’s scores and mixing cost more FLOPs than its MLPs.",
            (
                "For each token the MLPs cost the same at every T, while scores and mixing grow with it.",
                "In SmolLM2 135M they meet before T is as long as it can be.",
            ),
            "#model=smollm2-135m&t=8192",
            mixing_outgrows_mlps,
        ),
        Challenge(
            "windows",
            "Find a model and a T at which windows keep the KV cache below half of what it would be without them.",
            (
                "A block with a window keeps no more tokens than fit into it. T has to be a few times as long, and "
                "most blocks need one.",
                "In Gemma 3 five of six blocks have a window.",
            ),
            "#model=gemma-3-27b&t=131072",
            windows_halve_the_cache,
        ),
        Challenge(
            "latent",
            "With attention selected, find a model that caches less than a fiftieth of the numbers in its heads’ keys "
            "and values, though no two heads share any.",
            (
                "What is kept can be one short vector, of which each head makes its own keys and values.",
                "Multi-head latent attention: the large DeepSeek models have it.",
            ),
            "#model=deepseek-v3&part=attention",
            latent_is_small,
        ),
        Challenge(
            "twins",
            "Compare two models within 2% of each other in size, one of which caches at least 8 times as many bytes "
            "per token as the other.",
            (
                "Sharing keys and values costs hardly any parameters. Look for two models of some seven billion.",
                "Choose Falcon 7B, and compare it with OLMo 7B.",
            ),
            "#model=falcon-7b&with=olmo-7b",
            alike_and_far_apart,
        ),
    ),
)
FURTHER = tuple(one for level in LEVELS for one in level)
CHALLENGES = (*FIRST, *FURTHER)
