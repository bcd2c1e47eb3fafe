"""The page's state: one frozen record; what a click or a key means, and the hash that leads back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from anatomy import catalog, challenges
from anatomy import options as switches
from anatomy import own as owned
from anatomy.catalog import LoadedModel
from anatomy.checkpoint import Checkpoint
from anatomy.config import MAX_INTEGER, AnatomyError, shown
from anatomy.costs import Costs, costs
from anatomy.formatting import exact
from anatomy.options import Options
from anatomy.own import Own
from anatomy.report import DEFAULT_SEQ_LEN, Anatomy, Part, default_seq_len, describe

DEFAULT_PART = "attention"
# The controls that a notice can stand beside.
MODEL, SEQ_LEN, PART, OTHER = "model", "seq-len", "part", "with"


@dataclass(frozen=True)
class State:
    """What the page shows: model, T, the selected part; ``notices`` has a sentence per control that refused something.

    ``visited`` holds a (model, part address) for each part shown, ``solved`` the ids of solved challenges, ``changed``
    the control that changed last (``model``, ``seq-len`` or empty), so that views can mark what changed with it.

    ``other`` is the model compared with, ``own`` the visitor's own configuration, ``draft`` the text of one that could
    not be read, ``checkpoint`` what the visitor's files hold: what no hash carries lives as long as the page.
    ``options`` is what the switches of costs say.
    """

    model: str = catalog.DEFAULT_MODEL
    seq_len: int = DEFAULT_SEQ_LEN
    part: str = DEFAULT_PART
    stack: str | None = None
    blocks: str | None = None
    notices: Mapping[str, str] = field(default_factory=dict)
    changed: str = ""
    visited: frozenset[tuple[str, str]] = frozenset({(catalog.DEFAULT_MODEL, DEFAULT_PART)})
    solved: frozenset[str] = frozenset()
    other: str | None = None
    own: Own | None = None
    draft: str = ""
    checkpoint: Checkpoint | None = None
    options: Options = switches.DEFAULT

    @property
    def loaded(self) -> LoadedModel:
        """The chosen model."""
        return self.model_of(self.model)

    def offers(self, slug: str) -> bool:
        """Whether there is such a model: in the catalogue, or the visitor's own."""
        return slug in catalog.entries() or (slug == owned.SLUG and self.own is not None)

    def model_of(self, slug: str) -> LoadedModel:
        """The model of a slug that the state offers."""
        return self.own.model if slug == owned.SLUG and self.own else catalog.load(slug)

    @property
    def anatomy(self) -> Anatomy:
        """The chosen model's anatomy at the chosen T."""
        return describe(self.loaded, self.seq_len)

    @property
    def costs(self) -> Costs:
        """What the chosen model costs at the chosen T and setting of the switches."""
        return costs(self.loaded, self.seq_len, self.options)

    @property
    def selected(self) -> Part:
        """The selected part."""
        found = self.anatomy.find(self.part, self.stack, self.blocks)
        assert found is not None, "a state selects only parts that its model has"
        return found

    def to_hash(self) -> str:
        """The location hash that leads back here: every key, so that a link says what it shows.

        >>> State().to_hash()
        '#model=gpt2&t=8&part=attention'
        """
        return "#" + _joined(self._keys((self.part, self.stack, self.blocks)))

    def link(self, part: Part) -> str:
        """The shortest hash that selects ``part`` of this model at this T: what equals the default is left out.

        >>> state = State()
        >>> state.link(state.anatomy.parts[0])
        '#part=embedding'
        """
        default = State()
        keys = self._keys(self.anatomy.address(part))
        usual = {"model": default.model, "t": str(default.seq_len)}
        return "#" + _joined({key: value for key, value in keys.items() if usual.get(key) != value})

    def _keys(self, address: tuple[str, str | None, str | None]) -> dict[str, str]:
        part, stack, blocks = address
        keys = {"model": self.model, "t": str(self.seq_len), "part": part}
        if stack:
            keys["stack"] = stack
        if blocks:
            keys["blocks"] = blocks
        if self.other:
            keys["with"] = self.other
        return keys | switches.to_keys(self.options)

    def settled(self) -> State:
        """The same state with what it shows remembered: the selected part as visited, the challenges it solves.

        >>> sorted(choose_model(State(), "llama-3-70b").settled().solved)
        ['keys', 'mlp']
        """
        visited = self.visited | {(self.model, visit_key(self.anatomy, self.selected))}
        return replace(self, visited=visited, solved=self.solved | challenges.solved(self.anatomy, self.selected))


def visit_key(anatomy: Anatomy, part: Part) -> str:
    """A part's address as one word, as ``visited`` keeps it."""
    return ":".join(word for word in anatomy.address(part) if word)


def _joined(keys: Mapping[str, str]) -> str:
    return "&".join(f"{key}={quote(value, safe='-._~,:')}" for key, value in keys.items())


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
            f"T was {exact(state.seq_len)}; {model.name} takes {_accepted(model)}, so T is now {exact(seq_len)}."
        )
    moved = replace(state, model=slug, seq_len=seq_len, notices=notices, changed=MODEL)
    return with_part(moved, state.part, state.stack, state.blocks)


def _no_model(slug: str) -> str:
    if slug == owned.SLUG:
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
    return f"exactly {exact(fixed)}" if fixed else f"at most {exact(default_seq_len(model, MAX_INTEGER))}"


def choose_seq_len(state: State, text: str) -> State:
    """Another T, as typed; what is no legal length leaves T as it is and says what would be accepted.

    >>> choose_seq_len(State(), "abc").notices["seq-len"]
    'Sequence length "abc" is not a whole number. GPT-2 small takes at most 1,024. T is still 8.'
    """
    accepted = f"{state.loaded.name} takes {_accepted(state.loaded)}. T is still {exact(state.seq_len)}."
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
    return replace(state, part=address[0], stack=address[1], blocks=address[2], notices={}, changed="")


def choose_option(state: State, switch: str, text: str) -> State:
    """One switch of the costs set otherwise; what is nothing to choose is refused with a sentence.

    >>> choose_option(State(), "run", "decode").to_hash()
    '#model=gpt2&t=8&part=attention&run=decode'
    """
    try:
        return replace(state, options=switches.chosen(state.options, switch, text), notices={}, changed="")
    except AnatomyError as error:
        return _refused(state, switch, str(error))


def with_progress(state: State, solved: frozenset[str]) -> State:
    """The state with challenges solved on an earlier visit; ids that no challenge has are dropped."""
    known = {one.id for one in challenges.CHALLENGES}
    return replace(state, solved=state.solved | (solved & known))


def without_progress(state: State) -> State:
    """The state with no challenge solved; what it shows may solve some again at the next step."""
    return replace(state, solved=frozenset(), changed="")


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
