"""The sentences of the explanations, by key; ``{width}`` and the like stand for the numbers of a model."""

from __future__ import annotations

import re

_PROSE = """
token
    Each token id picks one row of W_E, a table of {entries} rows of {entry} numbers, at least one for every entry of
    the vocabulary. A row is copied out, nothing is multiplied.
token-unread
    Each token id picks one row of W_E, a table of {entries} rows of {entry} numbers, at least one for every entry of
    the vocabulary. A row is copied out.
token-scaled
    Each token id picks one row of W_E, a table of {entries} rows of {entry} numbers, at least one for every entry of
    the vocabulary. A row is copied out, and all its numbers are {embedding_scale}, a fixed factor.
shared
    It is the one table that both stacks read, stored and counted once.
patch
    The image is cut into patches, and one matrix, the same for every patch, turns the pixels of a patch into
    {width} numbers.
frame
    The sound arrives as a spectrogram of {frames} frames. Two convolutions over time, each followed by {activation},
    turn it into {width} numbers for each of {source} positions: the second moves on by two frames at a time.
class-token
    One learned vector is put before the patches; what becomes of it stands for the whole image in the end.
position
    A second table holds one learned row for each of its {positions} positions. It is added, because attention by
    itself does not see in which order things stand.
position-spare
    A second table holds one learned row for each of {context} positions, and {spare} more that no position uses. The
    row is added, because attention by itself does not see in which order things stand.
position-patch
    A table holds one learned row for each of {positions} positions: the class token's and one for every patch. It is
    added, because attention by itself does not see where things stand.
position-frame
    A table with a row for each of {positions} positions is added: sines and cosines of many wavelengths, fixed before
    training. They are stored with the parameters and counted among them.
token-type
    A small table of {types} rows tells which of two texts a token belongs to; its row is added too.
token-type-one
    A table with a single row, for the one type of text that the model knows, is added too.
factor
    Its rows are narrower than the stream, so two products follow: one with W_in brings what is looked up to the {width}
    numbers of the stream, and one with W_out, which runs last, brings the final vectors back to {entry} before the
    unembedding.
input
    What the model reads becomes one vector of {width} numbers per position here.
at-learned
    Each stack has a learned table of positions of its own.
at-rotary
    There is no table of positions. The order of the tokens enters inside attention, where queries and keys are
    rotated, pair of numbers by pair, by angles that grow with their position (rotary positions, RoPE). That costs no
    parameters.
at-alibi
    There is no table of positions. Attention subtracts from each score an amount that grows with the distance
    between query and key (ALiBi). That costs no parameters.
at-relative
    There is no table of positions here. Self-attention adds to each score a learned number for the distance between
    query and key (relative positions), one for each head and bucket of distances; the first block of each stack holds
    these numbers for all of its blocks. Cross-attention adds none.
at-sinusoidal
    The order of the positions is given by sines and cosines of many wavelengths, fixed before training and added.
at-none
    Nothing marks the order of the positions.
stream
    A vector of {width} numbers for each of the {T} {things}, carried from the embeddings to the end.
stream-source
    A vector of {width} numbers for each position of the source, carried from its embedding to the end of the
    encoder.
stream-pre
    {workers} each read it through a norm and add {results} to it; norms add nothing.
stream-behind
    {workers} each read it as it is; {results} pass a norm and are then added.
stream-sandwich
    {workers} each read it through a norm; {results} pass another and are then added. The norms themselves add nothing.
stream-post
    {workers} each read it and add {results} to it; after each addition a norm rewrites the stream itself.
stream-holds
    It holds no parameters: it is what the parameters act on.
stream-shape
    Its shape is T × d: raise T and it has more rows; d = {width} is fixed when the model is built.
stream-shape-fixed
    Its shape is T × d, and fixed: the class token and the patches of an image make {T} rows, whatever it shows.
stream-source-shape
    Its shape is S × d, S being the length of the source. What arrives is read by the decoder's cross-attention.
stream-source-fixed
    Its shape is S × d with S = {source}, whatever T is: shorter sound is padded. What arrives is read by the decoder's
    cross-attention.
LayerNorm
    LayerNorm takes each vector by itself, subtracts its mean, divides by its standard deviation, and scales each of
    the {width} numbers by a learned γ.
LayerNorm-offset
    LayerNorm takes each vector by itself, subtracts its mean, divides by its standard deviation, and scales each of
    the {width} numbers by one plus a learned γ, so that a γ of nought changes nothing.
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
RMSNorm-offset
    RMSNorm takes each vector by itself, divides it by its root mean square, and scales each of the {width} numbers
    by one plus a learned γ, so that a γ of nought changes nothing. It subtracts no mean and has no shift.
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
    Each of {heads} heads makes a query, a key and a value of {size} numbers ({all_heads}) from all {width} of a
    position, {read_as}. A query is scored by its dot products{divided} with the keys
multi-query
    {heads} query heads of {size} numbers ({all_heads}) each read all {width} numbers of a position, {read_as}, and
    share one single key and value head. A query is scored by its dot products{divided} with the keys
grouped-query
    {heads} query heads of {size} numbers ({all_heads}) each read all {width} numbers of a position, {read_as}, and
    share {kv_heads} key and value heads of that size, {sharing} to each. A query is scored by its dot
    products{divided} with the keys
latent
    Each token is compressed to a latent of {latent} numbers, {read_as}. From it {heads} heads make their values and
    {plain} of the {size} numbers of each key; the other {rotary} are made past the latent, by W_KR, once for all heads.
    A query is scored by its dot products{divided} with the keys
causal
    at or before its position (a mask hides the rest: no token may see what it is to predict), and the softmax of
    these scores mixes the values.
both-ways
    of all positions, its own among them, and the softmax of these scores mixes the values.
join
    W_O joins the heads back to {width} numbers, {joined}.
undivided
    Scores are not divided by the root of the head size, as elsewhere: the starting weights allow for it.
by-depth
    In each block they are divided by its number, too.
score-cap
    Each score x is then bounded softly: the softmax takes {score_cap}.
qkv-limit
    Before they meet, queries, keys and values are cut off at ±{qkv_limit}.
latent-kept
    Only the latent and the one rotary key of {rotary} numbers need be kept for later tokens. There is no single W_K: a
    key is made in two steps, by W_DKV and then W_UK, beside W_KR.
latent-queries
    Queries, too, are made through a latent, of {query_latent} numbers.
latent-norm
    A norm with a learned scale stands behind each step down to a latent.
window
    A query sees at most the last {window} tokens, its own among them (a sliding window): the other scores are masked.
window-idle
    A window of {window} tokens is set, but the longest text has {context}: it hides nothing.
window-both-ways
    A query sees at most the {window} nearest tokens: its own, and as many before it as after it.
chunk
    A query sees only its own chunk of {chunk} tokens, up to its own position.
banded
    In every other block of the published model attention is sparse, in bands near the query; it is drawn and counted
    here as if all were full.
no-mask
    No mask hides what comes later: this is bidirectional attention.
no-mask-image
    No mask hides anything: every position sees every other.
sharing
    Sharing makes W_K and W_V, and above all the KV cache, {sharing} times smaller; the scores are as many as
    before, one matrix for each query head.
sharing-both-ways
    Sharing makes W_K and W_V {sharing} times smaller; the scores are as many as before, one matrix for each query head.
qk-norm-shared
    Queries and keys are normalised before they meet, each head by itself, with a learned scale that all heads share.
qk-norm-all
    Queries and keys are normalised before they meet, all heads of a position together, with a learned scale.
qk-norm-each
    Queries and keys are normalised before they meet, each head by itself and with a learned scale of its own.
in-rotary
    Queries and keys are rotated by their position before they meet, each pair of their numbers at a rate of its own
    (RoPE); that costs no parameters.
in-rotary-part
    Of the {size} numbers of each query and key, {rotated} are rotated by their position before they meet, each pair at
    a rate of its own (RoPE); that costs no parameters.
in-rotary-latent
    Of the {size} numbers of each query and key only {rotated} are rotated by their position, each pair at a rate of its
    own (RoPE); that costs no parameters.
in-none
    Here queries and keys are not rotated: in these blocks nothing marks positions but the mask (NoPE).
unrotated-some
    One block in {every} does without rotation (NoPE).
query-growth
    So that attention stays sharp over long texts, queries grow with their position p: they are multiplied by {growth}.
bare-qk-norm
    After that, queries and keys are normalised, without a learned scale.
base-local
    The base of the rotation is {base} here, and {local_base} in the blocks with a window.
base-in-window
    The base of the rotation is {local_base} here, and {base} in the blocks that see everything.
scaled-linear
    For longer texts all wavelengths of the rotation are stretched {factor} times (linear scaling).
scaled-dynamic
    For texts longer than it was trained on, the wavelengths of the rotation are stretched further (dynamic scaling).
scaled-yarn
    For texts longer than it was first trained on, the long wavelengths of the rotation are stretched {factor} times
    and the short ones kept (YaRN).
scaled-yarn-sharp
    For texts longer than it was first trained on, the long wavelengths of the rotation are stretched {factor} times
    and the short ones kept, and scores are multiplied by {sharp} (YaRN).
scaled-longrope
    For texts longer than it was first trained on, each wavelength of the rotation is stretched by a factor of its own
    (LongRoPE).
scaled-llama3
    For texts longer than it was first trained on, the long wavelengths of the rotation are stretched {factor} times
    and the short ones kept (by bands of wavelengths).
in-alibi
    From each score an amount is subtracted that grows with the distance, in each head at a rate of its own (ALiBi);
    that costs no parameters.
in-relative
    To each score a learned number for its head and its distance is added; distances fall into {buckets} buckets, the
    far ones together. The first block of the stack holds these numbers.
in-relative-held
    To each score a learned number for its head and its distance is added; distances fall into {buckets} buckets, the
    far ones together. Only this block, the first of its stack, holds the table of these numbers, b_rel; the others use
    it too, and differ in nothing else.
sinks
    Each head has a learned sink: a score that competes in the softmax, so that a head may attend to nothing.
cross
    Here the decoder reads the source. Queries come from the decoder's positions, {read_as}; keys and values come from
    what the encoder has made of the source, all of it visible at once. Each of {heads} heads scores its queries by
    their dot products{divided} with the keys and mixes the values by the softmax of these scores.
cross-kept
    Keys and values depend on the source only: they are computed once and kept while the decoder writes.
alone
    Takes each position by itself, {read_as}: no information passes between positions here.
beside-shared
    It works beside attention, not after it: both read the stream as it enters the block, through one norm.
beside-own
    It works beside attention, not after it: both read the stream as it enters the block, each through its own
    norm.
gated
    Two matrices widen the {width} numbers to {inner}: W_up makes the content, W_gate decides how much of each
    passes (together: {activation}). W_down brings the product back to {width} numbers, {joined}.
gated-three
    A gated MLP has three matrices where a plain one has two.
plain
    W_up widens the {width} numbers to {inner}, the activation function ({activation}) bends them, and W_down brings
    them back to {width}, {joined}.
router
    Decides, for each token anew, which experts work on it: from the norm's output it gives a score to each of {experts}
    experts, and the {used} with the highest are used. It adds nothing to the stream itself.
router-one
    Decides, for each token anew, which expert works on it: from the norm's output it gives a score to each of {experts}
    experts, and the one with the highest is used. It adds nothing to the stream itself.
router-grouped
    Decides, for each token anew, which experts work on it: from the norm's output it gives a score to each of {experts}
    experts. They stand in {groups} groups: first the best {best_groups} groups are chosen, then the best {used} experts
    in them. It adds nothing to the stream itself.
weights-softmax
    Each result is weighted by the softmax of the scores, taken over all {experts}; the weights of the chosen are left
    as they are, and add up to less than one.
weights-softmax-times
    Each result is weighted by the softmax of the scores, taken over all {experts}, times {factor_routed}; the weights
    of the chosen are not brought back to a sum of one first.
weights-softmax-normalised
    Each result is weighted by the softmax of the scores, taken over all {experts} and rescaled so that the weights of
    the chosen add up to one.
weights-chosen
    Each result is weighted by the softmax of the scores of the chosen alone, so that their weights add up to one.
weights-sigmoid
    Each result is weighted by the sigmoid of its score, rescaled so that the weights of the chosen add up to one.
weights-sigmoid-times
    Each result is weighted by the sigmoid of its score, rescaled so that the weights of the chosen add up to one, and
    then multiplied by {factor_routed}.
weights-sigmoid-raw
    Each result is weighted by the sigmoid of its score.
weights-input
    What the expert reads is multiplied by the sigmoid of its score; what it makes is added as it is.
router-small
    The router is small, but all that the experts do hangs on it.
router-balance
    Only for the choice, b_router is added to the scores: a correction that keeps the experts evenly busy. It is
    adjusted during training by a rule, not by gradients, and so counts as a buffer and not as a parameter.
router-bias
    A trained b_router is added to the scores.
experts
    {experts} MLPs of the same shape stand side by side, each with its own weights; they read the norm's output, like
    the router. A token passes through only {used} of them, chosen by the router. Their outputs, weighted, are summed to
    {width} numbers, {joined}.
experts-one
    {experts} MLPs of the same shape stand side by side, each with its own weights; they read the norm's output, like
    the router. A token passes through only {used} of them, chosen by the router. It makes {width} numbers, {joined}.
experts-gated
    In each, W_up makes the content, W_gate decides how much of it passes (together: {activation}), and W_down brings
    the product back to the width.
experts-clamped
    The gate is cut off above {limit}, the content at ±{limit}; what goes on is {gate}. Every expert has biases, too.
experts-stored
    All must be stored, but a token pays for {used}: so the model has two sizes, its parameters and its active
    parameters.
shared-expert
    An MLP that every token passes through, whatever the router chose, so that the routed experts can specialise. It
    reads the norm's output as they do, and its result is added to theirs.
shared-several
    It is {side_by_side} experts of the routed ones' size side by side, stored as one.
shared-scale
    Before that it is multiplied by one number for each token, between none of it and all, which W_scale and a sigmoid
    make.
pooler
    Takes the vector of the first position alone, multiplies it by one matrix and applies tanh: a summary of the
    {whole}.
head
    The head turns the last vectors into the model's answer.
classes
    One matrix turns the last vector of the class token into a score for each class.
logits
    Turns the last vector of each position into {vocabulary} scores (logits), one for every entry of the vocabulary.
    Their softmax is the model's forecast of the next token; one that is likely is written, and the model runs again.
logits-hidden
    Turns the last vector of each position into {vocabulary} scores (logits), one for every entry of the vocabulary.
    Where a token was hidden from the model, their softmax is its forecast of that token.
logits-scaled
    Before the softmax the scores are {logit_scale}.
logits-capped
    Each score x is bounded softly first: the softmax takes {logit_cap}.
transform
    First W_T, an activation and a norm prepare each vector.
score-bias
    A learned b_U is added to the scores.
tied
    W_U is tied: it is the token table turned on its side, stored and counted once, there. So it adds no parameters
    here; but it is a real matrix product, and its FLOPs count.
untied
    It is not tied: W_U is a matrix of its own, as large as the token table.
"""


def _read(prose: str) -> dict[str, str]:
    # A line without indent is a key; what is indented below it is its sentence.
    entries = re.split(r"\n(?! )", prose.strip())
    parted = (entry.replace("'", "’").partition("\n") for entry in entries)
    return {key: " ".join(sentence.split()) for key, _, sentence in parted}


SENTENCES = _read(_PROSE)
