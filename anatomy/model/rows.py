"""The one list: a model is a list of tensor rows, and every number anyone sees is a fold over them.

A :class:`Row` is one *kind* of tensor, not one tensor: a model of 61 blocks and 256 experts is a few dozen rows, and a
total costs the same for 10^9 blocks as for 12. Families make rows; nothing else does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from anatomy.model.architecture import (
    Attention,
    Known,
    Stack,
    Traits,
)
from anatomy.model.blocks import Blocks, contains, count
from anatomy.model.computation import Computation
from anatomy.model.parts import (
    GROUPS,
    group,
    part_id,
    stack_of,
)
from anatomy.model.storage import UNNAMED, Storage
from anatomy.model.terms import whole


@dataclass(frozen=True, slots=True)
class Matrix:
    """A logical weight matrix inside a stored tensor: ``inputs`` x ``outputs``, ``count`` of them."""

    symbol: str
    inputs: int
    outputs: int
    count: int = 1

    @property
    def elements(self) -> int:
        """Numbers in all ``count`` matrices together."""
        return self.inputs * self.outputs * self.count


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of tensor of a released checkpoint.

    ``name`` is the released name with the slots ``{block}`` and ``{expert}``; ``shape`` is as stored; ``part`` is a
    slash path in the parts tree; ``blocks`` are the ranges of indices of blocks that hold it, ``(range(12),)`` for
    twelve blocks, none outside blocks; ``copies`` counts experts that are stored one by one (or heads, whose slot
    is ``{head}``); ``matrices`` are the logical matrices inside; ``multiplies`` names what they are applied to
    (``tokens``, ``source``, ``frames``, ``patches``, ``one``), None where nothing is multiplied; ``share`` is the
    fraction of positions that use it; ``tied_to`` names the tensor it is stored as; a ``buffer`` is stored but is
    no parameter. ``symbol`` is what papers call a vector or table (γ, b_O, W_E), which has no matrices. ``layout``
    says how the outputs of several matrices lie in the tensor where they are not simply one after another.
    """

    name: str
    shape: tuple[int, ...]
    part: str
    blocks: Blocks = ()
    copies: int = 1
    matrices: tuple[Matrix, ...] = ()
    multiplies: str | None = None
    share: Fraction = Fraction(1)
    tied_to: str | None = None
    buffer: bool = False
    symbol: str = ""
    layout: str = ""

    @property
    def elements(self) -> int:
        """Numbers in one tensor of this kind."""
        return math.prod(self.shape)

    @property
    def tensors(self) -> int:
        """How many tensors of this kind the model has, over all blocks and experts."""
        return self.copies * (count(self.blocks) if self.blocks else 1)

    @property
    def parameters_per_block(self) -> int:
        """Parameters of this kind in one block, over all experts: 0 where tied or a buffer."""
        return 0 if self.tied_to or self.buffer else self.elements * self.copies

    @property
    def parameters(self) -> int:
        """Parameters of this kind in the whole model: 0 where tied or a buffer."""
        return 0 if self.tied_to or self.buffer else self.elements * self.tensors

    @property
    def stack(self) -> str | None:
        """``encoder`` or ``decoder`` where the part path names one, else None."""
        return stack_of(self.part)

    @property
    def part_id(self) -> str:
        """The selectable part that this row belongs to: the path without stack, ``block`` and detail."""
        return part_id(self.part)

    @property
    def group(self) -> str:
        """Which of :data:`GROUPS` counts this row (norms first: QK and latent norms are norms wherever they sit)."""
        return group(self.part)


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of the released checkpoint, its slots filled in."""

    name: str
    shape: tuple[int, ...]
    part: str
    block: int | None
    expert: int | None
    row: Row

    @property
    def parameters(self) -> int:
        """Parameters it holds (0 for a buffer)."""
        return 0 if self.row.buffer else self.row.elements


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """A model as one list of rows, a few attention records, and what its configuration says of it.

    ``fixed_lengths`` holds the lengths that no choice of T changes (``{"source": 1500}``); ``context`` is the longest
    T, None where the architecture sets none; ``defaults`` are the configuration keys that were left out and taken
    from the family's documented default; ``not_counted`` are the parts of the class that have no rows. What no shape
    tells of how it computes stands in ``computation``, None for a family of which it is not read; how the release
    stores its weights in ``storage``: ``families.build`` puts both in after the family has made the rest.
    ``architecture`` is the class of transformers that ``architectures`` names (GPT2LMHeadModel).
    """

    model_type: str
    architecture: str
    width: int
    vocabulary: int | None
    context: int | None
    rows: tuple[Row, ...]
    attention: tuple[Attention, ...]
    stacks: tuple[Stack, ...]
    traits: Traits
    fixed_lengths: Mapping[str, int] = field(default_factory=dict)
    known: tuple[Known, ...] = ()
    defaults: Mapping[str, object] = field(default_factory=dict)
    not_counted: tuple[str, ...] = ()
    computation: Computation | None = None
    storage: Storage = UNNAMED

    def fold(self, key: Callable[[Row], str]) -> dict[str, int]:
        """Add the parameters of all rows up by ``key(row)``.

        >>> import anatomy
        >>> anatomy.load("gpt2").fold(lambda row: row.group)["mlp"]
        56669184
        """
        sums: dict[str, int] = {}
        for row in self.rows:
            sums[key(row)] = sums.get(key(row), 0) + row.parameters
        return sums

    def tree(self) -> dict[str, int]:
        """Parameters by every prefix of the part paths; the empty path is the total.

        >>> import anatomy
        >>> tree = anatomy.load("gpt2").tree()
        >>> tree[""], tree["block/attention"], tree["block/mlp/up"]
        (124439808, 28348416, 28348416)
        """
        sums: dict[str, int] = {}
        for row in self.rows:
            steps = row.part.split("/")
            for depth in range(len(steps) + 1):
                path = "/".join(steps[:depth])
                sums[path] = sums.get(path, 0) + row.parameters
        return sums

    def groups(self) -> dict[str, int]:
        """Parameters by group, in the order of :data:`GROUPS`, only those present.

        >>> import anatomy
        >>> anatomy.load("gpt2").groups()
        {'embeddings': 39383808, 'attention': 28348416, 'mlp': 56669184, 'norms': 38400}
        """
        sums = self.fold(lambda row: row.group)
        return {name: sums[name] for name in GROUPS if sums.get(name)}

    @cached_property
    def parameters(self) -> int:
        """All parameters, each tied tensor once, buffers not counted.

        >>> import anatomy
        >>> anatomy.load("llama-3-70b").parameters
        70553706496
        """
        return sum(row.parameters for row in self.rows)

    @property
    def parameters_without_embeddings(self) -> int:
        """The total less the groups embeddings and unembedding (the convention of the Pythia paper, arXiv 2304.01373).

        >>> import anatomy
        >>> anatomy.load("gpt2").parameters_without_embeddings
        85056000
        """
        groups = self.groups()
        return self.parameters - groups.get("embeddings", 0) - groups.get("unembedding", 0)

    @property
    def active_parameters(self) -> int:
        """Parameters that one token's forward pass uses: everything but the experts it is not routed to.

        >>> import anatomy
        >>> anatomy.load("gpt2").active_parameters
        124439808
        """
        return int(whole(sum((row.parameters * row.share for row in self.rows), Fraction(0))))

    @property
    def active_parameters_without_token_table(self) -> int:
        """Active parameters less the token table, as gpt-oss's published sizes leave it out.

        >>> import anatomy
        >>> anatomy.load("gpt2").active_parameters_without_token_table
        85842432
        """
        table = sum(row.parameters for row in self.rows if row.part.endswith("embedding/token"))
        return self.active_parameters - table

    @property
    def tied_unembedding(self) -> bool:
        """Whether the unembedding is stored as another tensor."""
        return any(row.tied_to for row in self.rows if row.part_id == "unembedding" and row.matrices)

    @property
    def decodes(self) -> bool:
        """Whether it writes token by token: some of its attention looks back only.

        >>> import anatomy
        >>> anatomy.load("gpt2").decodes, anatomy.load("bert-base-uncased").decodes
        (True, False)
        """
        return any(record.causal for record in self.attention)

    @property
    def unembeds(self) -> bool:
        """Whether an unembedding is applied to its tokens."""
        return any(row.part_id == "unembedding" and row.multiplies == "tokens" for row in self.rows)

    @property
    def several_stacks(self) -> bool:
        """Whether it has an encoder and a decoder."""
        return len(self.stacks) > 1

    def named_stack(self, stack: str | None) -> str | None:
        """The stack where it needs a name: None where the model has one only, as part paths then name none.

        >>> import anatomy
        >>> anatomy.load("gpt2").named_stack("decoder"), anatomy.load("t5-base").named_stack("decoder")
        (None, 'decoder')
        """
        return stack if self.several_stacks else None

    def tensors(self) -> Iterator[Tensor]:
        """Every tensor that the released checkpoint stores, buffers included, lazily and block by block.

        >>> import anatomy
        >>> next(anatomy.load("gpt2").tensors()).name
        'wte.weight'
        """
        # Rows outside blocks stand where the family put them; a run of block rows is expanded block by block.
        stored = [row for row in self.rows if not row.tied_to]
        at = 0
        while at < len(stored):
            end = at
            while end < len(stored) and stored[end].blocks and stored[end].stack == stored[at].stack:
                end += 1
            if end == at:
                yield from _copies(stored[at], None)
                at += 1
                continue
            run = stored[at:end]
            for block in range(max(indices.stop for row in run for indices in row.blocks)):
                for row in run:
                    if contains(row.blocks, block):
                        yield from _copies(row, block)
            at = end


def _copies(row: Row, block: int | None) -> Iterator[Tensor]:
    filled = row.name if block is None else row.name.replace("{block}", str(block))
    for copy in range(row.copies):
        name = filled.replace("{expert}", str(copy)).replace("{head}", str(copy))
        yield Tensor(name, row.shape, row.part, block, copy if "{expert}" in row.name else None, row)
