"""The sentences of the explanations, by key; ``{width}`` and the like stand for the numbers of a model."""

from __future__ import annotations

import re

_PROSE = """
token
    Each token id picks one row of W_E, a table of {entries} rows of {entry} numbers: one row for every entry of
    the vocabulary. Nothing is multiplied; a row is copied out.
shared
    It is the one table that both stacks read, stored and counted once.
patch
    The image is cut into patches, and one matrix, the same for every patch, turns the pixels of a patch into
    {width} numbers.
frame
    The sound arrives as a spectrogram; two convolutions over time turn it into {width} numbers per frame.
class-token
    One learned vector is put before the patches; the classifier reads what has become of it.
position
    A second table holds one learned row for each of its {positions} positions. It is added, because attention by
    itself does not see in which order things stand.
position-spare
    A second table holds one learned row for each of {context} positions, and {spare} more that no position uses. The
    row is added, because attention by itself does not see in which order things stand.
position-patch
    A table holds one learned row for each of {positions} positions: the class token's and one for every patch. It is
    added, because attention by itself does not see in which order things stand.
position-frame
    A table with a row for each of {positions} positions is added: sines and cosines of many wavelengths, which are
    not trained but are stored with the parameters and counted among them.
token-type
    A small table of {types} rows tells which of two texts a token belongs to; its row is added too.
token-type-one
    A table with a single row, for the one type of text that the model knows, is added too.
factor
    Its rows are narrower than the stream: W_in brings them to the {width} numbers of the stream, and W_out brings
    the last vectors back before the unembedding.
input
    What the model reads becomes one vector of {width} numbers per position here.
at-learned
    Each stack has a learned table of positions of its own.
at-rotary
    There is no table of positions. The order of the tokens enters inside attention, where queries and keys are
    rotated by an angle that grows with their position (rotary positions, RoPE). That costs no parameters.
at-alibi
    There is no table of positions. Attention subtracts from each score an amount that grows with the distance
    between query and key (ALiBi). That costs no parameters.
at-relative
    There is no table of positions here. Attention adds to each score a learned number for the distance between
    query and key (relative positions); the first block of each stack holds these numbers for all of its blocks.
at-sinusoidal
    The order of the positions is given by sines and cosines of many wavelengths, fixed before training and added.
at-none
    Nothing marks the order of the positions.
stream
    A vector of {width} numbers for each of the {T} {things}, carried from the embeddings to the end. Every part of a
    block reads it, computes something, and adds its result back.
stream-source
    A vector of {width} numbers for each position of the source, carried from its embedding to the end of the
    encoder. Every part of a block reads it and adds its result back.
stream-holds
    It holds no parameters: it is what the parameters act on.
stream-shape
    Its shape is T × d: raise T and it has more rows; d = {width} is fixed when the model is built.
stream-source-shape
    Its shape is S × d, S being the length of the source. What arrives is read by the decoder's cross-attention.
LayerNorm
    LayerNorm takes each vector by itself, subtracts its mean, divides by its standard deviation, and scales each of
    the {width} numbers by a learned γ.
LayerNorm-bare
    LayerNorm takes each vector by itself, subtracts its mean and divides by its standard deviation. This model's has
    no scale and no shift of its own to learn: it is computed like any other, and holds no parameters.
shift
    To each a learned shift β is added.
no-shift
    It has no shift.
RMSNorm
    RMSNorm takes each vector by itself, divides it by its root mean square, and scales each of the {width} numbers
    by a learned γ. It subtracts no mean and has no shift.
reads
    A branch does not read the stream as it is but a copy of it, brought to a common size; the stream stays as it
    was.
reads-both
    Attention and MLP both read this one copy of the stream, brought to a common size, side by side.
after-branch
    What the branch has made is brought to a common size before it is added, so that no block can swamp the stream.
after-add
    After the addition the stream itself is brought to a common size: what the next part reads is what leaves here.
first
    The vectors are brought to a common size before they enter the first block.
last
    The stream, to which every block has added, is brought to a common size once more before the end.
mixing
    The only part of a block in which positions exchange information.
mixing-decoder
    Here the positions of the decoder exchange information among themselves.
multi-head
    Each of {heads} heads turns every position into a query, a key and a value. It scores each query by its dot
    products with the keys
multi-query
    {heads} query heads share one single key and value head, of size {size}. Each scores its queries by their dot
    products with the keys
grouped-query
    {heads} query heads share {kv_heads} key and value heads, {sharing} to each. Each scores its queries by their
    dot products with the keys
latent
    Keys and values are not made from the stream directly: each token is first compressed to a latent of {latent}
    numbers, and from it {heads} heads make their keys and values. Each scores its queries by their dot
    products with the keys
causal
    at or before the query's position, and mixes the values by the softmax of these scores.
both-ways
    of all positions, earlier and later ones, and mixes the values by the softmax of these scores.
head-size
    A query and a key have {size} numbers in each head.
join
    W_O joins the heads back to {width} numbers, which are added to the stream.
latent-kept
    Only the latent and one rotary key of {rotary} numbers need be kept for later tokens. There is no single W_K: a
    key is made in two steps, by W_DKV and then W_UK.
latent-queries
    Queries, too, are made through a latent, of {query_latent} numbers.
latent-norm
    A norm with a learned scale stands behind each step down to a latent.
window
    A query sees at most the last {window} tokens, its own among them (a sliding window).
window-both-ways
    A query sees at most the {window} nearest tokens: its own, and as many before it as after it.
chunk
    A query sees only its own chunk of {chunk} tokens, up to its own position.
no-mask
    No mask hides what comes later: this is bidirectional attention.
sharing
    Sharing makes W_K and W_V, and above all the KV cache, {sharing} times smaller; the scores are as many as
    before, one matrix for each query head.
sharing-both-ways
    Sharing makes W_K and W_V {sharing} times smaller; the scores are as many as before, one matrix for each query head.
in-rotary
    Queries and keys are rotated by their position before they meet (RoPE), which costs no parameters.
in-rotary-part
    Queries and keys, in this family as a rule only a part of each, are rotated by their position before they meet
    (RoPE), which costs no parameters.
in-none
    Here queries and keys are not rotated: in these blocks nothing marks positions but the mask (NoPE).
in-rotary-some
    In most blocks queries and keys are rotated by their position before they meet (RoPE), which costs no parameters;
    every few blocks one does without (NoPE).
in-rotary-latent
    Of each query and key, {rotary} numbers are rotated by their position before they meet (RoPE).
in-alibi
    From each score an amount is subtracted that grows with the distance, in each head at a rate of its own (ALiBi);
    that costs no parameters.
in-relative
    To each score a learned number for the distance is added; the first block of the stack holds these numbers.
in-relative-held
    To each score a learned number for the distance is added. Only this block, the first of its stack, holds the table
    of these numbers, b_rel; the others use it too, and differ in nothing else.
qk-norm
    Queries and keys are normalised before they meet, with a learned scale.
sinks
    Each head has a learned sink: a score that competes in the softmax, so that a head may attend to nothing.
cross
    Here the decoder reads the source. Queries come from the decoder's stream; keys and values come from what the
    encoder has made of the source, all of it visible at once. Each of {heads} heads mixes the values by the softmax
    of its scores.
cross-kept
    Keys and values depend on the source only: they are computed once and kept while the decoder writes.
alone
    Takes each position by itself: no information passes between positions here.
beside
    It works beside attention, not after it: both read the stream as it enters the block.
gated
    Two matrices widen the {width} numbers to {inner}: W_up makes the content, W_gate decides how much of each
    passes (together: {activation}). W_down brings the product back to {width} numbers, which are added to the
    stream.
gated-three
    A gated MLP has three matrices where a plain one has two.
plain
    W_up widens the {width} numbers to {inner}, the activation function ({activation}) bends them, and W_down brings
    them back to {width}, which are added to the stream.
router
    Decides, for each token anew, which experts work on it: it gives a score to each of {experts} experts; the
    {used} with the highest are used, and their results weighted. The router is small, but all that the experts do
    hangs on it.
router-one
    Decides, for each token anew, which expert works on it: it gives a score to each of {experts} experts; the one
    with the highest is used, and its result weighted. The router is small, but all that the experts do hangs on it.
router-balance
    Only for the choice, b_router is added to the scores: a correction that keeps the experts evenly busy. It is
    adjusted during training, but by a rule, not by gradients.
experts
    {experts} MLPs of the same shape stand side by side, each with its own weights. A token passes through only
    {used} of them, chosen by the router; their outputs are weighted, summed and added to the stream.
experts-one
    {experts} MLPs of the same shape stand side by side, each with its own weights. A token passes through only
    {used} of them, chosen by the router; its output is weighted and added to the stream.
experts-stored
    All must be stored, but a token pays for {used}: so the model has two sizes, its parameters and its active
    parameters.
shared-expert
    An MLP that every token passes through, whatever the router chose, so that the routed experts can specialise.
    Its result is added to theirs.
shared-scale
    Before that it is multiplied by one number for each token, between none of it and all, which W_scale and a sigmoid
    make.
pooler
    Takes the vector of the first position alone, multiplies it by one matrix and applies tanh: a summary of the
    text.
head
    The head turns the last vectors into the model's answer.
classes
    One matrix turns the last vector of the class token into a score for each class.
logits
    Turns the last vector of each position into {vocabulary} scores (logits), one for every entry of the vocabulary;
    their softmax is the model's forecast of the token.
transform
    First W_T, an activation and a norm prepare each vector.
score-bias
    A learned b_U is added to the scores.
tied
    It is tied: W_U is the token table turned on its side. It is stored and counted once, there, so it holds 0
    parameters of its own; but it is a real matrix product, and its FLOPs count.
untied
    It is not tied: W_U is a matrix of its own, as large as the token table.
"""


def _read(prose: str) -> dict[str, str]:
    # A line without indent is a key; what is indented below it is its sentence.
    entries = re.split(r"\n(?! )", prose.strip())
    parted = (entry.replace("'", "’").partition("\n") for entry in entries)
    return {key: " ".join(sentence.split()) for key, _, sentence in parted}


SENTENCES = _read(_PROSE)
