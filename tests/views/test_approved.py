"""Elements, words and drawings as they were approved; a change of them is one to look at before it is approved anew."""

import pytest

from tests.views import approved

HOW = "look at the difference; if it is meant, python -m tests.views.approved writes what is shown now"
KEPT = approved.WORDS.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("region", approved.REGIONS)
def test_elements_and_words(region: str) -> None:
    kept, now = {line for line in KEPT if line.startswith(f"{region}: ")}, set(approved.words(region))
    assert (sorted(kept - now), sorted(now - kept)) == ([], []), HOW


@pytest.mark.parametrize("name", approved.DRAWN)
def test_a_drawing(name: str) -> None:
    assert approved.drawing(name) == approved.path(name).read_text(encoding="utf-8"), HOW


def test_nothing_else_is_kept() -> None:
    assert sorted(approved.DRAWINGS.iterdir()) == sorted(map(approved.path, approved.DRAWN))
    assert {line.partition(":")[0] for line in KEPT} == set(approved.REGIONS)
