"""The code cell on the page: the worker that runs the reader's code, and what the cell says and shows meanwhile."""

from __future__ import annotations

import asyncio
from typing import Any

from pyscript import PyWorker, document, ffi, window

import kept

PATIENCE = 30  # seconds that the worker may take before the cell says that it is slow
LONGEST = 300  # characters of an error that a sentence quotes

SAYS = {
    "starting": "Python is starting for this cell; the code runs as soon as it is there.",
    "slow": "Python is still starting, longer than usual. Stop gives up.",
    "loading-numpy": "NumPy is loading from this copy of the page.",
    "running": "Running. Stop ends it.",
    "busy": "It is still running. Stop ends it; then Run starts anew.",
    "done": "Finished. Ready to run again.",
    "error": "It ended with an error, shown in the output. Ready to run again.",
    "stopped": "Stopped. Ready to run again.",
    "idle": "Nothing is running.",
    "reset": "The original code is back. Ready to run.",
}


async def new_worker() -> Any:
    """A worker of PyScript's that runs the cell's worker module; not ready yet.

    PyWorker takes the interpreter's address as ``version``, and only absolute; without it, it would ask a CDN.
    """
    source = _address("cell-worker")
    # PyWorker would wait for ever for a module that does not come (the network may have gone since the page came).
    answer = await window.fetch(source)
    if not answer.ok:
        raise RuntimeError(f"its module is not to be had, status {answer.status}")
    return PyWorker(source, type="pyodide", version=_address("interpreter"), config=ffi.to_js({}))


def _address(name: str) -> str:
    """An address that the page states as a data attribute, made absolute."""
    return str(window.URL.new(_said(name), document.baseURI).href)


def _said(name: str) -> str:
    return str(document.querySelector(f"[data-{name}]").getAttribute(f"data-{name}"))


class Cell:
    """The editor, its output and the worker, which is made when it is first needed."""

    def __init__(self) -> None:
        self.worker: Any = None
        self.task: asyncio.Task[None] | None = None
        self.wanted: str | None = None  # the code to run once the worker can
        self.running = False
        self.warning = ""  # what becomes of the code, where it is not kept
        self.scrolling = False  # whether the output is about to be scrolled to its end
        self.scroll = ffi.create_proxy(self._scroll)

    @property
    def editor(self) -> Any:
        """The text area."""
        return document.getElementById("code-cell")

    @property
    def output(self) -> Any:
        """Where the code's output goes."""
        return document.getElementById("code-output")

    def run(self) -> None:
        """Run what stands in the editor now; while the worker starts, that is remembered."""
        if self.running:
            self.say("busy")
            return
        self.wanted = self.editor.value
        self.output.replaceChildren()
        self.say("running" if self.worker is not None and self.task is None else "starting")
        if self.task is None:
            self.task = asyncio.ensure_future(self._work())

    def stop(self) -> None:
        """End the run and its worker at once; after a run that had begun, have the next worker start already."""
        if self.wanted is None and not self.running:
            self.say("idle")
            return
        again = self.running
        self._drop()
        self.say("stopped")
        if again:
            self.task = asyncio.ensure_future(self._work())

    def reset(self) -> None:
        """The original code, an empty output, nothing running and nothing kept."""
        self.stop()
        self.editor.value = self.editor.defaultValue
        self.output.replaceChildren()
        self.keep()
        self.say("reset")

    def keep(self) -> None:
        """Remember the edited code for the next visit, or say why not."""
        code = self.editor.value
        reason = kept.put("code", "" if code == self.editor.defaultValue else code)
        self.warn(f"The code is not kept for your next visit: {reason}." if reason else "")

    def restore(self) -> None:
        """Put back what an earlier visit left in the editor, unless something was typed there already."""
        code, reason = kept.get("code")
        if code and self.editor.value == self.editor.defaultValue:
            self.editor.value = code
        if reason:
            self.warn(f"The code of your last visit is not brought back: {reason}.")

    def warn(self, text: str) -> None:
        """Say, beside where things stand, what becomes of the code."""
        status = document.getElementById("code-status")
        status.textContent = f"{status.textContent.removesuffix(self.warning).strip()} {text}".strip()
        self.warning = text

    def say(self, what: str, more: str = "") -> None:
        """Tell in words where things stand, and as data for styles and tests."""
        status = document.getElementById("code-status")
        status.dataset.state = what
        status.textContent = f"{more or SAYS[what]} {self.warning}".strip()
        working = self.running or self.wanted is not None
        document.getElementById("code-stop").setAttribute("aria-disabled", "false" if working else "true")

    async def _work(self) -> None:
        """Get a worker where there is none, then run what is wanted until nothing is."""
        try:
            if self.worker is None:
                await self._start()
            while self.wanted is not None:
                code, self.wanted, self.running = self.wanted, None, True
                self.say("running")
                outcome = str(await self.worker.sync.run(code, _said("numpy")))
                self.running = False
                self.say(outcome)
            self.task = None
        except asyncio.CancelledError:
            # Stop did it. The task ends as any other does: Pyodide 0.27 reports a cancelled one as an error.
            return
        except Exception as error:
            self._drop()
            last = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            self.say("failed", f"Python in this cell has failed ({last[0][:LONGEST]}). Run starts it anew.")

    async def _start(self) -> None:
        self.worker = worker = await new_worker()

        def heard(kind: str, text: str) -> None:
            # What a worker sent before it was ended may arrive after that.
            if worker is self.worker:
                self._hear(kind, text)

        worker.sync.emit = ffi.create_proxy(heard)
        ready = asyncio.ensure_future(worker.ready)
        done, _ = await asyncio.wait({ready}, timeout=PATIENCE)
        if not done and self.wanted is not None:
            self.say("slow")
        await ready

    def _hear(self, kind: str, text: str) -> None:
        if kind == "status":
            self.say(text)
            return
        piece = document.createElement("span")
        piece.className = f"code-{kind}"
        piece.textContent = text
        self.output.append(piece)
        if not self.scrolling:
            # Once a frame: at each of a thousand pieces it would cost the page seconds.
            self.scrolling = True
            window.requestAnimationFrame(self.scroll)

    def _scroll(self, _time: float) -> None:
        self.scrolling = False
        self.output.scrollTop = self.output.scrollHeight

    def _drop(self) -> None:
        """Forget the task and end the worker."""
        if self.task is not None and self.task is not asyncio.current_task():
            self.task.cancel()
        if self.worker is not None:
            self.worker.terminate()
        self.worker = self.task = self.wanted = None
        self.running = False


cell = Cell()
ACTIONS = {"code-run": cell.run, "code-stop": cell.stop, "code-reset": cell.reset}


def act(action: str) -> None:
    """Do what a control of the cell asks for; other actions are not the cell's."""
    if action in ACTIONS:
        ACTIONS[action]()


def _pressed(event: Any) -> None:
    """Ctrl+Enter, or Command+Enter, in the editor runs it."""
    if event.key == "Enter" and (event.ctrlKey or event.metaKey):
        event.preventDefault()
        cell.run()


def start() -> None:
    """Take over the cell: what an earlier visit left, and the editor's keys."""
    cell.restore()
    cell.editor.addEventListener("keydown", ffi.create_proxy(_pressed))
    cell.editor.addEventListener("input", ffi.create_proxy(lambda _event: cell.keep()))
