"""Sentences on costs, by id: why another convention counts otherwise, what lies between a shortcut and the count."""

from __future__ import annotations

from collections.abc import Mapping

from anatomy.model.storage import Storage

# What another convention does, and why; a heading, then a sentence.
CONVENTIONS: Mapping[str, tuple[str, str]] = {
    "no-embeddings": (
        "Embeddings left out",
        "Scaling laws count what grows with depth and width, so tables and unembedding are taken off.",
    ),
    "no-unembedding": (
        "Unembedding left out",
        "A bare model class, or a tool that counts blocks and tables only, has no matrix for the vocabulary.",
    ),
    "tied-twice": (
        "Tied tables counted twice",
        "A tool that adds up modules meets the shared table once in each module that uses it; it is stored once.",
    ),
    "buffers": (
        "Buffers counted too",
        "Adding up everything in the file takes in masks, frequencies and correction terms that no gradient trains.",
    ),
    "active": (
        "Only what one token uses",
        "Of the routed experts each token visits a few: the active parameters set the speed, all of them the memory.",
    ),
    "active-no-table": (
        "Active, token table left out",
        "A token reads one row of the table, so some papers leave the table out of what is active.",
    ),
    "twelve": (
        "12 L d²",
        "Four square matrices for attention and eight for an MLP of width 4d, in each block; nothing else.",
    ),
    "macs": (
        "MACs, not FLOPs",
        "Many counters report multiply-accumulates, one for each multiply-add: exactly half.",
    ),
    "windows": (
        "Windows honoured",
        "A kernel for windows multiplies every query with min(T, window) keys, of chunks the square of each.",
    ),
    "causal-half": (
        "Half the square",
        "A causal mask hides about half of the scores, so attention is simply halved.",
    ),
    "causal": (
        "The causal triangle, exactly",
        "Only the pairs that mask and window let through: T(T + 1)/2 for each head without a window.",
    ),
    "no-square": (
        "No attention square",
        "Only products with weights: scores and weighted values, which grow with T, are dropped.",
    ),
    "flops-no-unembedding": (
        "No unembedding product",
        "Taken for a look-up because it is tied, or left out as an embedding: but it multiplies at every position.",
    ),
    "last-only": (
        "Unembedding at the last position",
        "A server that samples one token needs the logits of the last position only.",
    ),
    "two-n": (
        "2N",
        "Each parameter multiplied and added once: it charges look-ups and vectors, and forgets the attention square.",
    ),
    "all-experts": (
        "All experts run",
        "A counter that sums over modules runs every expert for every token; a router sends each to a few.",
    ),
    "look-up": (
        "Look-up as a product",
        "The embedding is sometimes charged as a one-hot vector times the table; reading a row multiplies nothing.",
    ),
    "whole-pass": (
        "The whole pass",
        "The FLOPs of all T tokens, shown as if they were those of one.",
    ),
    "query-heads": (
        "A cache for every query head",
        "Keys and values belong to KV heads, which query heads share; counting query heads stores each many times.",
    ),
    "no-window": (
        "Windows forgotten",
        "A layer that looks back a limited way keeps that many tokens, however long the text.",
    ),
    "expanded": (
        "Keys and values of all heads",
        "Eager code caches what the latent is expanded to; the released method keeps the latent and one rotary key.",
    ),
    "one-of-two": (
        "Keys only",
        "Keys and values are both kept: forgetting the factor 2 halves the cache.",
    ),
    "binary": (
        "{binary} printed as {decimal}",
        "Divided by a power of 1,024 and labelled {decimal}: the same bytes, under the name of another unit.",
    ),
    "fp32": (
        "4 bytes a number",
        "PyTorch makes models in fp32 unless told otherwise, at twice the bytes of 16 bits.",
    ),
}


def convention(ident: str, binary: str = "") -> tuple[str, str]:
    """The heading and the sentence of a convention; ``binary`` is the unit that it calls by a decimal name.

    >>> convention("binary", "GiB")[0]
    'GiB printed as GB'
    """
    heading, sentence = CONVENTIONS[ident]
    words = {"binary": binary, "decimal": binary.replace("i", "")}
    return heading.format_map(words), sentence.format_map(words)


# The figures that have other conventions.
PARAMETERS, FLOPS, KV_CACHE, WEIGHTS = "parameters", "flops", "kv-cache", "weights"
FIGURES: Mapping[str, str] = {
    PARAMETERS: "Parameters",
    FLOPS: "Forward FLOPs per token",
    KV_CACHE: "KV cache",
    WEIGHTS: "Bytes of the weights in 16 bits",
}
# What lies between a shortcut and the exact figure, by shortcut and step; a sentence for whoever subtracts.
STEPS: Mapping[str, str] = {
    "tables": "look-up tables, which multiply nothing",
    "vectors": "biases and other vectors, which are added, not multiplied",
    "positions": "matrices that are applied to fewer or more positions than T",
    "tied": "tied matrices, which hold no parameters of their own but multiply",
    "attention": "scores and weighted values of attention, which have no parameters",
    "attention-matrices": "attention that is not four square matrices",
    "mlp-matrices": "MLPs and experts that are not eight square matrices",
    "norms": "norms",
}
STEPS_OF_PARAMETERS: Mapping[str, str] = {"vectors": "biases and other vectors", "norms": "scales and shifts of norms"}
RUNS: Mapping[str, tuple[str, str]] = {
    "prefill": ("Prefill", "all T tokens go through at once"),
    "decode": ("Decode step", "token T alone; the others lie in the cache"),
    "train": ("Training step", "forward and backward: three passes"),
    "recompute": ("Training, recomputing", "activations computed again: four passes"),
}
SQUARES: Mapping[str, tuple[str, str]] = {
    "full": ("Full", "every query meets all keys"),
    "windows": ("Windows", "min(T, window) keys, as banded kernels multiply"),
    "causal": ("Causal", "only what mask and window let through"),
}
# The same beside a figure, in few words and in more.
SQUARE_SHORT: Mapping[str, str] = {"full": "full square", "windows": "by windows", "causal": "causal"}
SQUARE_COUNTED: Mapping[str, str] = {
    "full": "full square, all keys for each query",
    "windows": "windows, min(T, window) keys for each query",
    "causal": "causal, only the pairs that mask and window let through",
}
# A decode step is one query, which meets what its window or chunk lets it see, whatever the square.
STEP_COUNTED = "one query, and the keys that its window or chunk lets it see"
UNEMBEDDINGS: Mapping[str, tuple[str, str]] = {
    "every": ("Every position", "as a forward pass gives logits"),
    "last": ("Last only", "as a server that samples"),
}
DTYPES: Mapping[str, str] = {
    "released": "as released",
    "fp32": "fp32 (4 bytes)",
    "bf16": "bf16 or fp16 (2 bytes)",
    "fp8": "fp8 (1 byte)",
    "int8": "int8 (1 byte)",
    "int4": "int4 (half a byte, a floor)",
}
METHODS: Mapping[str, str] = {"fp8": "FP8 with scales", "mxfp4": "MXFP4 with scales"}
# What a sum of weights, cache and activations does not hold.
LEFT_OUT = "runtime, buffers, copies"


def released(storage: Storage, counted: bool) -> str:
    """In which number types a release stores its weights; ``counted`` says whether its packing is one that is counted.

    >>> released(Storage("bf16"), True), released(Storage(), True), released(Storage("bf16", "fp8", (128, 128)), True)
    ('bf16', '16 bits assumed', 'FP8 with scales, else bf16')
    >>> released(Storage("bf16", "gptq"), False)
    'packed in a way that is not counted here, 16 bits assumed'
    """
    if not counted:
        return "packed in a way that is not counted here, 16 bits assumed"
    if storage.method and storage.method in METHODS:
        return f"{METHODS[storage.method]}, else {storage.dtype or '16 bits'}"
    return storage.dtype or "16 bits assumed"
