"""The terms of the page, each in a sentence or two: shown where a part's text meets them, and whole in the notes."""

from __future__ import annotations

import re
from collections.abc import Iterable

_GLOSSARY = """
token (tokens)
    A piece of text, a word or part of one, that the model knows by a number, its id.
parameter (parameters)
    A number that training has set. A model's size is how many it has.
d
    The width of the model: how many numbers the vector of one position has.
T
    How many tokens (or other positions) go through the model at once.
vector (vectors)
    A row of numbers: here what the model knows of one position.
embedding (embeddings)
    The vector that stands for a token, a patch or a position before the first block.
residual stream (stream)
    The vectors that run from the first block to the last; parts read them and add to them.
block (blocks)
    One layer of the model: attention, an MLP, and the norms around them.
norm (LayerNorm, RMSNorm)
    Brings a vector to a common size, so that what is read never grows or shrinks too far.
γ
    What a norm multiplies each number by, learned in training.
head (heads)
    One of several attentions that run side by side, each with matrices of its own.
query (queries)
    What a position looks for, as a vector that is held against the keys.
key (keys)
    What a position offers to be found by.
value (values)
    What a position hands over to those that find it.
dot product (dot products)
    Two vectors multiplied number by number and added up: large where they point the same way.
score (scores)
    How well a query and a key fit, or how well a token or an expert does.
softmax
    Turns scores into shares between nought and one that add up to one; the highest gets the most.
mask
    Takes positions out of a softmax, as those that a token may not see.
causal
    Seeing only what stands at or before one's own position, as whoever writes from left to right must.
RoPE
    Positions told by rotating pairs of numbers in queries and keys; far apart is far rotated.
ALiBi
    Positions told by a penalty on each score that grows with the distance.
MLP (MLPs)
    Two or three matrices with an activation function between them, applied to each position by itself.
activation function
    A fixed curve applied to each number, without which two matrices would be no more than one.
GELU (ReLU, SiLU)
    Activation functions: near nought for negative numbers, near the number itself for positive ones.
SwiGLU (GeGLU, ReGLU)
    An MLP with a gate: what SiLU, GELU or ReLU makes of one matrix decides how much of another's result passes.
expert (experts)
    One of many MLPs, of which each token uses a few.
router
    The matrix that scores the experts for a token.
logits
    The scores of all entries of the vocabulary, before the softmax.
vocabulary
    All tokens that the model knows.
tied
    Stored once and used twice: the token table, and turned on its side the unembedding.
latent
    A short vector that longer ones are made from, and that is kept in their place.
FLOP (FLOPs)
    One multiplication or one addition; a number times a weight, added up, is two.
KV cache
    Keys and values of earlier tokens, kept so that writing the next token need not work them out again.
dropout
    Numbers set to nought at random in training alone, against learning by heart; it has no parameters.
"""


def _read(text: str) -> dict[str, tuple[tuple[str, ...], str]]:
    found = {}
    for entry in re.split(r"\n(?! )", text.strip()):
        head, _, said = entry.partition("\n")
        term, _, others = head.partition(" (")
        forms = tuple(one for one in (term, *others.rstrip(")").split(", ")) if one)
        found[term] = (forms, " ".join(said.replace("'", "’").split()))
    return found


GLOSSARY = _read(_GLOSSARY)
_FORMS = {form: term for term, (forms, _) in GLOSSARY.items() for form in forms}
_ANY = re.compile(r"\b(" + "|".join(sorted(map(re.escape, _FORMS), key=len, reverse=True)) + r")\b(?!_)")


def met(paragraphs: Iterable[str]) -> list[tuple[str, str]]:
    """The terms that a text meets, in its order, each with its definition.

    >>> [term for term, _ in met(["12 heads make a score of each token; T has no say in it."])]
    ['head', 'score', 'token', 'T']
    """
    terms = dict.fromkeys(_FORMS[found] for text in paragraphs for found in _ANY.findall(text))
    return [(term, GLOSSARY[term][1]) for term in terms]
