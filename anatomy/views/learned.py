"""What a part's paragraphs leave to be opened: its words, its equation, a common mistake, the papers; the glossary."""

from __future__ import annotations

from anatomy.report.anatomy import Anatomy, Part
from anatomy.teaching.equations import equations, misunderstanding, papers
from anatomy.teaching.explanations import explain
from anatomy.teaching.glossary import GLOSSARY, met
from anatomy.views.markup import Child, Safe, join, symbol, tag
from anatomy.views.workings import disclosed

_SIGNS = frozenset("=+−·/←,()[]…")


def told(anatomy: Anatomy, part: Part) -> Safe:
    """The words that a part's paragraphs meet, its equations, a common mistake and the papers."""
    mistake = misunderstanding(part)
    sources = papers(anatomy, part)
    return join(
        _defined(met(explain(anatomy, part))),
        [tag("p", {"class": "reading"}, math(text)) for text in equations(anatomy, part)],
        tag("p", {"class": "reading"}, tag("strong", None, "A common mistake: "), _lowered(mistake))
        if mistake
        else None,
        tag("p", {"class": "note"}, "Papers: ", _cited(sources), ".") if sources else None,
    )


def _lowered(text: str) -> str:
    return text[0].lower() + text[1:]


def _cited(sources: list[tuple[str, str]]) -> list[Child]:
    return [
        [", " if at else "", title, " (", tag("a", {"href": f"https://arxiv.org/abs/{number}"}, number), ")"]
        for at, (title, number) in enumerate(sources)
    ]


def _defined(terms: list[tuple[str, str]]) -> Safe | None:
    if not terms:
        return None
    return tag(
        "dl", {"class": "conventions"}, [(tag("dt", None, symbol(term)), tag("dd", None, said)) for term, said in terms]
    )


def glossary() -> Safe:
    """All terms, folded.

    >>> glossary().count("<dt>") == len(GLOSSARY)
    True
    """
    terms = sorted(((term, said) for term, (_, said) in GLOSSARY.items()), key=lambda one: one[0].casefold())
    return disclosed("glossary", "Glossary", _defined(terms), style="working fold")


def math(text: str) -> Safe:
    """An equation as MathML.

    >>> math("y = W_U x")
    '<math><mi>y</mi><mo>=</mo><msub><mi>W</mi><mi>U</mi></msub><mi>x</mi></math>'
    """
    return tag("math", None, [_sign(word) for word in text.split()])


def _sign(word: str) -> Safe:
    if word in _SIGNS:
        return tag("mo", None, word)
    for mark, name in (("_", "msub"), ("^", "msup")):
        base, found, script = word.partition(mark)
        if found and base:
            return tag(name, None, _sign(base), _sign(script))
    if word.startswith("√"):
        return tag("msqrt", None, _sign(word[1:]))
    return tag("mn" if word[0].isdigit() else "mi", None, word)
