"""The dialog of all models: opened, sorted, narrowed down; what it shows is made when it is first asked for."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

from pyscript import document

from anatomy import entries
from anatomy.report.facts import Facts, facts
from anatomy.views import all_models
from anatomy.views.all_models import Wanted

# Models that are read in one go: the page answers between.
AT_ONCE = 8


class AllModels:
    """The dialog, the lines of the models that are read already, and how they are wanted."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.lines: list[Facts] = []
        self.wanted = Wanted()
        self.reading: asyncio.Task[None] | None = None

    @property
    def dialog(self) -> Any:
        """The dialog's element."""
        return document.getElementById("all-models")

    @property
    def chosen(self) -> str:
        """The model that the page shows."""
        return str(self.page.state.model)

    def act(self, action: str, value: str) -> str:
        """Do what a control of the dialog asks for; gives the slug of a model that was chosen."""
        if action == "all-models":
            self.open()
        elif action == "all-models-sort":
            self.sort(value)
        else:
            self.dialog.close()
        return value if action == "all-models-choose" else ""

    def open(self) -> None:
        """Open it; the first time, the catalogue is read into it meanwhile."""
        self.wanted = Wanted()
        self.show()
        if not self.dialog.open:
            self.dialog.showModal()
        if self.reading is None:
            self.reading = asyncio.ensure_future(self._read())

    def sort(self, column: str) -> None:
        """Sort by a column, or turn the order round."""
        self.wanted = self.wanted.sorted_by(column)
        self.narrow()
        self.dialog.querySelector(f'[data-column="{column}"] button').focus()

    def narrow(self) -> None:
        """Show what the filters say."""
        only = {str(one.dataset.only): str(one.value) for one in self.dialog.querySelectorAll("[data-only]")}
        self.wanted = Wanted(self.wanted.by, self.wanted.down, only)
        found = document.getElementById("all-models-found")
        found.innerHTML = all_models.table(self.lines, self.wanted, self.chosen)

    def show(self) -> None:
        """All of it anew."""
        self.dialog.innerHTML = all_models.dialog(self.lines, self.wanted, self.chosen)

    async def _read(self) -> None:
        slugs = list(entries())
        for at in range(0, len(slugs), AT_ONCE):
            self.lines += map(facts, slugs[at : at + AT_ONCE])
            await asyncio.sleep(0)
        if self.dialog.open:
            self.show()
            document.getElementById("only-name").focus()


@lru_cache(maxsize=1)
def opened(page: Any) -> AllModels:
    """The dialog of a page."""
    return AllModels(page)
