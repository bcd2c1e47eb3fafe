"""Markup as a tree of elements, so that a test reads what stands where and not how it is spelt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = frozenset({"br", "col", "hr", "input", "link", "meta", "wbr"})
# A browser passes over an attribute that it does not know, and reads names in any case: here they are spelt one way.
WRITTEN = re.compile(r' ([^\s="<>]+)(?:="[^"]*")?')
NAMES = (
    "accept autocapitalize autocomplete class colspan cx cy d disabled dx dy fill for height hidden href id inputmode "
    "label max min multiple name placeholder popover popovertarget preserveAspectRatio r role rows rx scope selected "
    "spellcheck step tabindex text-anchor title transform type value viewBox width wrap x x1 x2 y y1 y2"
)
KNOWN = frozenset(NAMES.split())


@dataclass
class Element:
    """An element: its name, attributes, and what is in it, text and elements in order."""

    name: str
    attributes: dict[str, str]
    inside: list[Element | str] = field(default_factory=list)

    def __getitem__(self, key: str) -> str:
        return self.attributes[key]

    def get(self, key: str) -> str | None:
        """An attribute, None where it has none of that name."""
        return self.attributes.get(key)

    @property
    def children(self) -> list[Element]:
        """The elements directly inside."""
        return [one for one in self.inside if isinstance(one, Element)]

    @property
    def text(self) -> str:
        """All text inside, as a reader sees it."""
        return "".join(one if isinstance(one, str) else one.text for one in self.inside)

    @property
    def classes(self) -> list[str]:
        """Its classes."""
        return (self.get("class") or "").split()

    def walk(self) -> Iterator[Element]:
        """Every element inside, in order."""
        for one in self.children:
            yield one
            yield from one.walk()

    def all(self, name: str = "", style: str = "", **attributes: str) -> list[Element]:
        """The elements inside with this name, this class and these attributes (``data_part`` is data-part)."""
        wanted = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
        return [
            one
            for one in self.walk()
            if name in ("", one.name)
            and (not style or style in one.classes)
            and wanted.items() <= one.attributes.items()
        ]

    def one(self, name: str = "", style: str = "", **attributes: str) -> Element:
        """The only such element."""
        found = self.all(name, style, **attributes)
        assert len(found) == 1, f"{len(found)} of {name}.{style} {attributes}"
        return found[0]

    @property
    def values(self) -> list[tuple[str, str]]:
        """The exact value of every worded number inside, with its words."""
        return [(one["value"], one.text) for one in self.all("data")]


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        text = self.get_starttag_text() or ""
        assert text.startswith(f"<{tag}"), text
        written = WRITTEN.findall(text)
        strange = [one for one in written if one not in KNOWN and not one.startswith(("data-", "aria-"))]
        assert not strange, f"<{tag}> has {strange}"
        made = Element(tag, {key: value or "" for key, value in attrs})
        self.open[-1].inside.append(made)
        if tag not in VOID:
            self.open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().name == tag

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def elements(markup: str) -> Element:
    """The tree of a piece of markup, under an element without a name."""
    builder = _Builder()
    builder.feed(markup)
    builder.close()
    (root,) = builder.open
    return root
