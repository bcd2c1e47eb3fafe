"""The frame of a decoder: its class and sizes, the tables around its blocks, and the model that they make together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from anatomy.families.layers import table
from anatomy.families.outputs import head, unembedding
from anatomy.model.architecture import PRE_NORM, Attention, Branch, Known, Stack, Traits
from anatomy.model.blocks import Blocks
from anatomy.model.rows import Model, Row
from anatomy.reading.config import Config


class Frame(NamedTuple):
    """What stands around the blocks of a decoder; ``embedding`` is the stored name of its token table."""

    config: Config
    architecture: str
    width: int
    blocks: int
    vocabulary: int
    context: int | None
    tied: bool
    prefix: str
    embedding: str = "embed_tokens"

    @classmethod
    def read(
        cls,
        config: Config,
        architecture: str,
        width: int,
        blocks: int,
        *,
        context: int,
        tied: bool = False,
        vocabulary: int | None = None,
    ) -> Frame:
        """The frame under the keys of most configurations, with a family's defaults for what may be left out.

        Files of a bare class (LlamaModel) carry no prefix.
        """
        stated = {"default": vocabulary} if vocabulary else {}
        return cls(
            config,
            architecture,
            width,
            blocks,
            config.integer("vocab_size", **stated),
            config.integer("max_position_embeddings", default=context),
            config.boolean("tie_word_embeddings", default=tied),
            "" if architecture.endswith("Model") else "model.",
        )

    @property
    def every(self) -> Blocks:
        """All blocks."""
        return (range(self.blocks),)

    @property
    def layer(self) -> str:
        """The beginning of the names inside a block, as most families have it."""
        return self.prefix + "layers.{block}"

    def token_table(self) -> Row:
        """The table that tokens are looked up in."""
        return table(self.prefix + self.embedding, "embedding/token", self.vocabulary, self.width, "W_E")

    def head(self, name: str = "lm_head", *, bias: bool = False) -> Iterator[Row]:
        """What the class puts on top of the blocks; an unembedding is stored as ``name``, or as the token table."""
        tied_to = f"{self.prefix}{self.embedding}.weight" if self.tied else None
        matrix = unembedding(f"{name}.weight", tied_to, self.vocabulary, self.width)
        yield from head(self.config, self.architecture, matrix)
        if bias and self.architecture.endswith(("ForCausalLM", "LMHeadModel")):
            yield Row(f"{name}.bias", (self.vocabulary,), "unembedding", symbol="b_U")

    def model(
        self,
        rows: tuple[Row, ...],
        attention: tuple[Attention, ...],
        traits: Traits,
        *,
        flow: tuple[Branch, ...] = PRE_NORM,
        bare: tuple[str, ...] = (),
        known: tuple[Known, ...] = (),
    ) -> Model:
        """The model of these rows, wired by ``flow``; ``bare`` are its norms that hold no tensors."""
        return Model(
            model_type=str(self.config.values["model_type"]),
            architecture=self.architecture,
            width=self.width,
            vocabulary=self.vocabulary,
            context=self.context,
            rows=rows,
            attention=attention,
            stacks=(Stack(attention[0].stack, self.blocks, flow, bare=bare),),
            traits=traits,
            known=known,
            defaults=self.config.defaults,
        )
