"""Which blocks: counted from 1 as people count, with the checkpoint's own indices, which begin at 0, beside it."""

from __future__ import annotations

from collections.abc import Callable

from anatomy.model.blocks import Blocks, count
from anatomy.model.rows import Model
from anatomy.words.formatting import exact


def numbers(blocks: Blocks) -> str:
    """Block numbers as people count, from 1; of many runs the first and the last.

    >>> numbers((range(0, 3),)), numbers((range(0, 26, 2),)), numbers((range(5, 6),))
    ('1–3', '1, 3, … 25', '6')
    """
    return _runs(blocks, lambda index: exact(index + 1))


def indices(model: Model, stack: str | None, blocks: Blocks) -> str:
    """The same blocks as the checkpoint's names count them, from 0, behind the end of their modules' path.

    >>> import anatomy
    >>> indices(anatomy.load("deepseek-v3"), "decoder", (range(3, 61),))
    'layers.3 to layers.60'
    >>> indices(anatomy.load("gemma-2-2b"), "decoder", (range(0, 26, 2),))
    'layers.0, 2, … 24'
    """
    path = _path(model, stack)
    if len(blocks) == 1 and blocks[0].step == 1 and count(blocks) > 1:
        return f"{path}.{blocks[0].start} to {path}.{blocks[0].stop - 1}"
    return f"{path}.{_runs(blocks, str)}"


def places(model: Model, stack: str | None, blocks: Blocks) -> str:
    """Blocks in a phrase: their numbers, then the checkpoint's indices.

    >>> import anatomy
    >>> places(anatomy.load("deepseek-v3"), "decoder", (range(3, 61),))
    'blocks 4–61, layers.3 to layers.60'
    >>> places(anatomy.load("t5-small"), "encoder", (range(1),))
    'block 1, encoder.block.0'
    """
    word = "block" if count(blocks) == 1 else "blocks"
    return f"{word} {numbers(blocks)}, {indices(model, stack, blocks)}"


def _path(model: Model, stack: str | None) -> str:
    # What stands before it (model, transformer, gpt_neox) is the same for every block, and is seen in the stored names.
    name = next(row.name for row in model.rows if row.blocks and row.stack in (None, stack))
    steps = name.partition(".{block}")[0].split(".")
    return ".".join(steps[-2:] if steps[-2:-1] in (["encoder"], ["decoder"]) else steps[-1:])


def _runs(blocks: Blocks, worded: Callable[[int], str], most: int = 3) -> str:
    words = []
    for run in blocks:
        last = run.start + (count((run,)) - 1) * run.step
        if last == run.start:
            words.append(worded(run.start))
        elif run.step == 1:
            words.append(f"{worded(run.start)}–{worded(last)}")
        elif last == run.start + run.step:
            words += [worded(run.start), worded(last)]
        else:
            words.append(f"{worded(run.start)}, {worded(run.start + run.step)}, … {worded(last)}")
    if len(words) > most:
        words = [*words[: most - 1], "… " + words[-1]]
    return ", ".join(words)
