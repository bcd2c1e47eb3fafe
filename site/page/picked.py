"""What the visitor brings: files read through slices, one drop after another, and a pasted configuration."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol

from pyscript import document, ffi, window

from anatomy.checkpoint import CheckpointError, headers
from anatomy.checkpoint.headers import Index, Shard
from anatomy.reading.config import MAX_BYTES
from anatomy.visit import brought
from anatomy.visit.state import State

HAND_OVER = "anatomy:files"
# So long after the last key a typed configuration is read.
PAUSE = 0.4


class Shows(Protocol):
    """The page, as far as it is needed here."""

    state: State

    def go(self, state: State) -> None:
        """Show a state that the reader chose."""

    def finish(self) -> None:
        """Bring everything in the document up to the state now."""


class Picked:
    """Reads what is handed over; nothing is read while an earlier drop still is."""

    def __init__(self, page: Shows) -> None:
        self.page = page
        self.turn = asyncio.Lock()
        self.tasks: set[asyncio.Task[None]] = set()
        self.typing: asyncio.Task[None] | None = None

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        # The loop itself keeps no hold of a task.
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def given(self, event: Any) -> None:
        """Files were dropped or chosen."""
        self._begin(self._take(event.detail))

    async def _take(self, detail: Any) -> None:
        async with self.turn:
            control = str(detail.control)
            folders = [str(name) for name in detail.folders]
            state, place = await self._read(list(detail.files), folders, control)
            self.page.go(state)
            if not control:
                self.page.finish()
                document.getElementById(place).scrollIntoView()

    async def _read(self, files: list[Any], folders: list[str], control: str) -> tuple[State, str]:
        state, place = self.page.state, "controls"
        shards: list[Shard] = []
        indexes: list[Index] = []
        troubles = [brought.folder(name) for name in folders]
        for file in files:
            name, size = str(file.name), int(file.size)
            try:
                if control != "own-file" and not _is_config(name):
                    await self._checkpoint(file, name, size, shards, indexes)
                elif size > MAX_BYTES:
                    state, place = brought.too_long(state, name, size), "own"
                else:
                    state = brought.own_config(state, await _text(file, size), name)
                    place = "own" if brought.OWN in state.notices else place
            except CheckpointError as error:
                troubles.append(str(error))
            except Exception as error:  # the browser could not read it: it was moved, or may not be read
                troubles.append(brought.unreadable(name, str(error)))
        if shards or indexes:
            state = brought.check_files(state, shards, indexes)
        if troubles:
            state = brought.refused(state, brought.CHECK, " ".join(troubles))
        return state, "check" if shards or indexes or troubles else place

    async def _checkpoint(self, file: Any, name: str, size: int, shards: list[Shard], indexes: list[Index]) -> None:
        if name.endswith(".json"):
            if size > brought.MAX_HEADER:
                raise CheckpointError(name, f"the index holds {size:,} bytes", f"at most {brought.MAX_HEADER:,}")
            indexes.append(headers.index(await _bytes(file, 0, size), name))
            return
        start = await _bytes(file, 0, headers.LENGTH_BYTES)
        length = headers.header_length(start, size, name, brought.MAX_HEADER)
        raw = await _bytes(file, headers.LENGTH_BYTES, headers.LENGTH_BYTES + length)
        shards.append(headers.header(raw, size, name))

    def show(self) -> None:
        """The button beside the pasted configuration was pressed."""
        self.page.go(brought.own_config(self.page.state, str(document.getElementById("own-config").value)))

    def typed(self) -> None:
        """The pasted configuration changes: it is read once the keys rest."""
        if self.typing:
            self.typing.cancel()
        self.typing = self._begin(self._rest())

    async def _rest(self) -> None:
        await asyncio.sleep(PAUSE)
        self.show()


def _is_config(name: str) -> bool:
    return name.lower().endswith(".json") and not name.lower().endswith(brought.INDEX)


async def _text(file: Any, size: int) -> str:
    return (await _bytes(file, 0, size)).decode("utf-8", errors="replace")


async def _bytes(file: Any, start: int, end: int) -> bytes:
    """Some bytes of a file; a slice reads no others, however large the file is."""
    buffer = await file.slice(start, end).arrayBuffer()
    return bytes(window.Uint8Array.new(buffer).to_py())


def start(page: Shows) -> Picked:
    """Listen for files."""
    chosen = Picked(page)
    document.addEventListener(HAND_OVER, ffi.create_proxy(chosen.given))
    return chosen
