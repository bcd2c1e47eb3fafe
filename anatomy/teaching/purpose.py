"""What a transformer is for, in two sentences that need no other word explained: one pair for each kind of model."""

from __future__ import annotations

from anatomy.model.rows import Model

CONTINUES = (
    "Text is cut into tokens, words or pieces of words, and each token becomes a list of numbers; block after block, "
    "these numbers take in what the earlier tokens say. Out comes a score for every possible next token: to write, one "
    "that scores well is chosen and added to the text, and the model runs again."
)
FILLS_IN = (
    "Text is cut into tokens, words or pieces of words, and each token becomes a list of numbers; block after block, "
    "these numbers take in what all the other tokens say. What comes out describes each token where it stands, well "
    "enough to fill in a hidden word, to compare two texts or to sort them."
)
TRANSLATES = (
    "An encoder turns the tokens of a text into lists of numbers that take in one another; a decoder writes a second "
    "text, a token at a time, and looks at them as it does. That is how a text is translated or summarised: out comes "
    "a score for every possible next token."
)
HEARS = (
    "Speech becomes a row of short frames, and an encoder turns them into lists of numbers that take in one another; "
    "a decoder writes what was said, a token at a time, and looks at them as it does. Out comes a score for every "
    "possible next token."
)
SEES = (
    "An image is cut into square patches, and each patch becomes a list of numbers; block after block, these numbers "
    "take in what all the other patches show. What comes out describes the image, well enough to say what is on it."
)


def purpose(model: Model) -> str:
    """What a model of this kind is for.

    >>> import anatomy
    >>> [purpose(anatomy.load(slug)).split()[0] for slug in ("gpt2", "t5-small", "whisper-tiny", "vit-base")]
    ['Text', 'An', 'Speech', 'An']
    """
    met = {row.multiplies for row in model.rows}
    if "frames" in met:
        return HEARS
    if "patches" in met:
        return SEES
    if any(record.kind == "cross" for record in model.attention):
        return TRANSLATES
    return CONTINUES if any(record.causal for record in model.attention) else FILLS_IN
