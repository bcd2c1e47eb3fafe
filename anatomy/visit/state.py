"""The page's state: one frozen record; what a click or a key means, and the hash that leads back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from anatomy import catalog
from anatomy.catalog import LoadedModel
from anatomy.checkpoint import Checkpoint
from anatomy.model import switches
from anatomy.model.switches import Options
from anatomy.report.anatomy import (
    DEFAULT_SEQ_LEN,
    Anatomy,
    Costs,
    Part,
    default_seq_len,
    describe,
)
from anatomy.teaching.challenges import Challenge, Shown, solved
from anatomy.teaching.further import CHALLENGES
from anatomy.visit.own import OWN_SLUG, Own

DEFAULT_PART = "attention"
# The controls that a notice can stand beside.
MODEL, SEQ_LEN, PART, OTHER, TASKS = "model", "seq-len", "part", "with", "challenges"


@dataclass(frozen=True)
class State:
    """What the page shows: model, T, the selected part; ``notices`` has a sentence per control that refused something.

    ``visited`` holds a (model, part address) for each part shown, ``solved`` by which numbers each solved challenge was
    solved (nothing where an earlier visit did), ``fresh`` the ids of those that the last act solved, ``changed`` the
    control that changed last (``model``, ``seq-len``, ``part`` or empty), so that views can mark what changed with it.

    ``other`` is the model compared with, ``own`` the visitor's own configuration, ``draft`` the text of one that could
    not be read, ``checkpoint`` what the visitor's files hold: what no hash carries lives as long as the page.
    ``options`` is what the switches of costs say, ``tasks`` the ids of the challenges that a link chose; none is all.
    """

    model: str = catalog.DEFAULT_MODEL
    seq_len: int = DEFAULT_SEQ_LEN
    part: str = DEFAULT_PART
    stack: str | None = None
    blocks: str | None = None
    notices: Mapping[str, str] = field(default_factory=dict)
    changed: str = ""
    visited: frozenset[tuple[str, str]] = frozenset({(catalog.DEFAULT_MODEL, DEFAULT_PART)})
    solved: Mapping[str, str] = field(default_factory=dict)
    fresh: frozenset[str] = frozenset()
    other: str | None = None
    own: Own | None = None
    draft: str = ""
    checkpoint: Checkpoint | None = None
    options: Options = switches.DEFAULT
    tasks: tuple[str, ...] = ()

    @property
    def loaded(self) -> LoadedModel:
        """The chosen model."""
        return self.model_of(self.model)

    def offers(self, slug: str) -> bool:
        """Whether there is such a model: in the catalogue, or the visitor's own."""
        return slug in catalog.entries() or (slug == OWN_SLUG and self.own is not None)

    def model_of(self, slug: str) -> LoadedModel:
        """The model of a slug that the state offers."""
        return self.own.model if slug == OWN_SLUG and self.own else catalog.load(slug)

    @property
    def anatomy(self) -> Anatomy:
        """The chosen model's anatomy at the chosen T."""
        return describe(self.loaded, self.seq_len)

    @property
    def costs(self) -> Costs:
        """What the chosen model costs at the chosen T and setting of the switches."""
        return self.anatomy.under(self.options)

    @property
    def selected(self) -> Part:
        """The selected part."""
        found = self.anatomy.find(self.part, self.stack, self.blocks)
        assert found is not None, "a state selects only parts that its model has"
        return found

    @property
    def shown(self) -> Shown:
        """What challenges are judged by."""
        if not self.other:
            return Shown(self.anatomy, self.selected)
        other = self.model_of(self.other)
        return Shown(self.anatomy, self.selected, describe(other, default_seq_len(other, self.seq_len)))

    @property
    def offered(self) -> tuple[Challenge, ...]:
        """The challenges that the page sets: those that a link chose, or all."""
        return tuple(one for one in CHALLENGES if not self.tasks or one.id in self.tasks)

    def to_hash(self, *, tasks: tuple[str, ...] | None = None) -> str:
        """The location hash that leads back here: every key, so that a link says what it shows.

        ``tasks`` are other challenges than those that are chosen here.

        >>> State().to_hash()
        '#model=gpt2&t=8&part=attention'
        """
        return "#" + _joined(self._keys((self.part, self.stack, self.blocks), self.tasks if tasks is None else tasks))

    def link(self, part: Part) -> str:
        """The shortest hash that selects ``part`` of this model at this T: what equals the default is left out.

        >>> state = State()
        >>> state.link(state.anatomy.parts[0])
        '#part=embedding'
        """
        default = State()
        keys = self._keys(self.anatomy.address(part), self.tasks)
        usual = {"model": default.model, "t": str(default.seq_len)}
        return "#" + _joined({key: value for key, value in keys.items() if usual.get(key) != value})

    def _keys(self, address: tuple[str, str | None, str | None], tasks: tuple[str, ...]) -> dict[str, str]:
        part, stack, blocks = address
        keys = {"model": self.model, "t": str(self.seq_len), "part": part}
        if stack:
            keys["stack"] = stack
        if blocks:
            keys["blocks"] = blocks
        if self.other:
            keys["with"] = self.other
        if tasks:
            keys["challenges"] = ",".join(tasks)
        return keys | switches.to_keys(self.options)

    def settled(self) -> State:
        """The same state with what it shows remembered: the selected part as visited, the challenges it solves.

        >>> from anatomy.visit.steps import choose_model
        >>> sorted(choose_model(State(), "llama-3-70b").settled().solved)
        ['keys', 'mlp']
        """
        visited = self.visited | {(self.model, visit_key(self.anatomy, self.selected))}
        found = solved(self.offered, self.shown)
        fresh = frozenset(found) - frozenset(self.solved)
        return replace(self, visited=visited, solved={**found, **self.solved}, fresh=fresh)


def visit_key(anatomy: Anatomy, part: Part) -> str:
    """A part's address as one word, as ``visited`` keeps it."""
    return ":".join(word for word in anatomy.address(part) if word)


def _joined(keys: Mapping[str, str]) -> str:
    return "&".join(f"{key}={quote(value, safe='-._~,:')}" for key, value in keys.items())
