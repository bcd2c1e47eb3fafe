"""The page's template: its placeholders, each filled once known, and complaints about the rest."""

import re
from collections.abc import Mapping, Set

from builder.failure import BuildError

_PLACEHOLDER = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


def assets(template: str) -> list[str]:
    """The files that the template names as `{{asset:NAME}}`, in order, each once."""
    names = (name.removeprefix("asset:") for name in _PLACEHOLDER.findall(template) if name.startswith("asset:"))
    return list(dict.fromkeys(names))


def filled(template: str, values: Mapping[str, str], *, optional: Set[str], file: str) -> str:
    """The template with each placeholder replaced by its value.

    >>> filled("<b>{{version}}</b>", {"version": "1.0"}, optional=set(), file="page.html")
    '<b>1.0</b>'
    """
    used = set(_PLACEHOLDER.findall(template))
    unknown = sorted(used - set(values))
    if unknown:
        raise BuildError(f"{file}: unknown placeholder {{{{{unknown[0]}}}}}; known: {', '.join(sorted(values))}.")
    unused = sorted(set(values) - used - optional)
    if unused:
        raise BuildError(f"{file}: the placeholder {{{{{unused[0]}}}}} is missing; put it where its text belongs.")
    # In one pass, so that braces inside a value stay what they are.
    return _PLACEHOLDER.sub(lambda match: values[match[1]], template)
