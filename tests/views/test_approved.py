"""Elements, words and drawings as they were approved; a change of them is one to look at before it is approved anew."""

import pytest

from tests.views import approved

HOW = "look at the difference; if it is meant, python -m tests.views.approved writes what is shown now"


def test_elements_and_words() -> None:
    kept, now = (set(text.splitlines()) for text in (approved.WORDS.read_text(encoding="utf-8"), approved.words()))
    assert (sorted(kept - now), sorted(now - kept)) == ([], []), HOW


@pytest.mark.parametrize("name", sorted(path.name for path in approved.DRAWINGS.glob("*.svg")))
def test_a_drawing(name: str) -> None:
    assert approved.drawings()[name] == (approved.DRAWINGS / name).read_text(encoding="utf-8"), HOW


def test_every_drawing_is_kept() -> None:
    assert sorted(approved.drawings()) == sorted(path.name for path in approved.DRAWINGS.iterdir())
