"""In which number types a release stores its weights, as its configuration says."""

from __future__ import annotations

from dataclasses import dataclass

FP8, MXFP4 = "fp8", "mxfp4"


@dataclass(frozen=True, slots=True)
class Storage:
    """``dtype`` is the number type of what is in no smaller one, None where the configuration names none.

    ``method`` names how the rest is quantised (``fp8`` in blocks of ``block`` numbers with a scale each, ``mxfp4``, or
    a method that is not counted here); ``apart`` are the modules that a quantised configuration leaves as they are.
    """

    dtype: str | None = None
    method: str | None = None
    block: tuple[int, int] | None = None
    apart: tuple[str, ...] = ()

    @property
    def plain(self) -> str:
        """The number type of what is in no smaller one; 16 bits are assumed where none is named.

        >>> Storage().plain, Storage("fp32").plain
        ('bf16', 'fp32')
        """
        return self.dtype or "bf16"


# What a configuration leaves that says nothing of it.
UNNAMED = Storage()
