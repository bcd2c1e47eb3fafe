"""What an act of the visitor means: from one state to the next; what is refused leaves the state, with a sentence."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from anatomy.catalog import LoadedModel
from anatomy.model import switches
from anatomy.reading.config import MAX_INTEGER
from anatomy.reading.refusals import AnatomyError, shown
from anatomy.report.anatomy import default_seq_len, describe
from anatomy.teaching.further import CHALLENGES
from anatomy.visit.own import OWN_SLUG
from anatomy.visit.state import DEFAULT_PART, MODEL, OTHER, PART, SEQ_LEN, TASKS, State
from anatomy.words.formatting import exact


def choose_model(state: State, slug: str) -> State:
    """Another model: T is kept where it is legal, else the nearest is taken and said; so is the selected part.

    >>> choose_model(State(seq_len=1024), "llama-3-70b").seq_len
    1024
    """
    if not state.offers(slug):
        return _refused(state, MODEL, f"{_no_model(slug)} The page still shows {state.loaded.name}.")
    model = state.model_of(slug)
    seq_len = default_seq_len(model, state.seq_len)
    notices = {}
    if seq_len != state.seq_len:
        notices[SEQ_LEN] = (
            f"T was {exact(state.seq_len)}; {model.name} {_accepted(model)}, so T is now {exact(seq_len)}."
        )
    moved = replace(state, model=slug, seq_len=seq_len, notices=notices, changed=MODEL)
    return with_part(moved, state.part, state.stack, state.blocks)


def _no_model(slug: str) -> str:
    if slug == OWN_SLUG:
        return "The link shows a configuration of someone's own, which no link carries; paste it below to see it."
    return f"There is no model {shown(slug)} in this catalogue."


def choose_other(state: State, slug: str | None) -> State:
    """Another model to compare with; None or nothing ends the comparison.

    >>> choose_other(State(), "llama-3-70b").to_hash()
    '#model=gpt2&t=8&part=attention&with=llama-3-70b'
    """
    if slug and not state.offers(slug):
        return _refused(state, OTHER, f"{_no_model(slug)} There is nothing to compare with.")
    return replace(state, other=slug or None, notices={}, changed="")


def _accepted(model: LoadedModel) -> str:
    fixed = model.fixed_lengths.get("tokens")
    if fixed:
        return f"takes exactly {exact(fixed)}"
    most = exact(default_seq_len(model, MAX_INTEGER))
    return f"takes at most {most}" if model.context else f"sets no limit; this page goes to {most}"


def choose_seq_len(state: State, text: str) -> State:
    """Another T, as typed; what is no legal length leaves T as it is and says what would be accepted.

    >>> choose_seq_len(State(), "abc").notices["seq-len"]
    'Sequence length "abc" is not a whole number. GPT-2 small takes at most 1,024. T is still 8.'
    """
    accepted = f"{state.loaded.name} {_accepted(state.loaded)}. T is still {exact(state.seq_len)}."
    plain = text.strip().replace(",", "").replace("\u202f", "")
    if not plain:
        return _refused(state, SEQ_LEN, f"The sequence length is empty or not a whole number. {accepted}")
    if not (plain.isascii() and plain.removeprefix("-").isdigit() and len(plain) <= 15):
        return _refused(state, SEQ_LEN, f"Sequence length {shown(text)} is not a whole number. {accepted}")
    seq_len = int(plain)
    try:
        describe(state.loaded, seq_len)
    except AnatomyError:
        return _refused(state, SEQ_LEN, f"Sequence length {exact(seq_len)} is out of range. {accepted}")
    return replace(state, seq_len=seq_len, notices={}, changed=SEQ_LEN)


def select_part(state: State, part: str, stack: str | None = None, blocks: str | None = None) -> State:
    """Another selected part; an id that the model does not have is refused with a sentence.

    >>> select_part(State(), "mlp").selected.parameters
    56669184
    """
    found = state.anatomy.find(part, stack, blocks)
    if found is None:
        has = ", ".join(dict.fromkeys(one.id for one in state.anatomy.parts))
        said = f"{state.loaded.name} has no part {shown(part)} there; it has {has}."
        return _refused(state, PART, said)
    address = state.anatomy.address(found)
    return replace(state, part=address[0], stack=address[1], blocks=address[2], notices={}, changed=PART)


def choose_option(state: State, switch: str, text: str) -> State:
    """One switch of the costs set otherwise; what is nothing to choose is refused with a sentence.

    >>> choose_option(State(), "run", "decode").to_hash()
    '#model=gpt2&t=8&part=attention&run=decode'
    """
    try:
        return replace(state, options=switches.chosen(state.options, switch, text), notices={}, changed="")
    except AnatomyError as error:
        return _refused(state, switch, str(error))


def choose_tasks(state: State, text: str) -> State:
    """The state with the challenges that a link names alone; names that no challenge has are refused with a sentence.

    >>> choose_tasks(State(), "keys,scores").to_hash()
    '#model=gpt2&t=8&part=attention&challenges=keys,scores'
    """
    named = tuple(dict.fromkeys(name for name in text.split(",") if name))
    known = [one.id for one in CHALLENGES]
    chosen = replace(state, tasks=tuple(name for name in named if name in known))
    unknown = [name for name in named if name not in known]
    if not unknown:
        return chosen
    return _refused(chosen, TASKS, f"There is no challenge {shown(unknown[0])}; there are {', '.join(known)}.")


def with_progress(state: State, solved: Iterable[str]) -> State:
    """The state with challenges solved on an earlier visit; ids that no challenge has are dropped."""
    known = {one.id for one in CHALLENGES}
    return replace(state, solved={**dict.fromkeys(known.intersection(solved), ""), **state.solved})


def without_progress(state: State) -> State:
    """The state with no challenge solved; what it shows may solve some again at the next step."""
    return replace(state, solved={}, changed="")


def with_part(state: State, part: str, stack: str | None, blocks: str | None) -> State:
    """The state with that part selected, or the nearest to it that the model has.

    >>> with_part(State(model="mixtral-8x7b"), "mlp", None, None).part
    'attention'
    """
    anatomy = state.anatomy
    found = (
        anatomy.find(part, stack, blocks)
        or anatomy.find(part, stack)
        or anatomy.find(part)
        or anatomy.find(DEFAULT_PART)
    ) or anatomy.parts[0]
    address = anatomy.address(found)
    return replace(state, part=address[0], stack=address[1], blocks=address[2])


def _refused(state: State, control: str, said: str) -> State:
    return replace(state, notices={**state.notices, control: said}, changed="")
