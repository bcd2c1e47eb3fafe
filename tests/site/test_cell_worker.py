"""Tests of site/page/cell_worker.py in CPython: what a run prints, how it fails, what it sends."""

import importlib
import sys
from collections.abc import Iterator
from textwrap import dedent

import pytest

import cell_worker
from anatomy.teaching import snippet
from cell_worker import BURST, CUT, LIMIT, PER_SECOND, Output


class Page:
    """The page's end: what it was sent."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, str]] = []

    def __call__(self, kind: str, text: str) -> None:
        self.sent.append((kind, text))

    def text(self, *kinds: str) -> str:
        return "".join(text for kind, text in self.sent if not kinds or kind in kinds)


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def ran(code: str) -> tuple[str, Page]:
    page = Page()
    return cell_worker.run(dedent(code), page), page


def test_the_snippet_prints_its_output() -> None:
    outcome, page = ran(snippet.SOURCE)
    assert (outcome, page.text(), page.text("error")) == ("done", snippet.OUTPUT, "")


def test_output_is_sent_piece_by_piece_while_the_code_runs() -> None:
    seen: list[str] = []
    page = Page()
    sys.modules["witness_of_the_run"] = type(sys)("witness_of_the_run")
    sys.modules["witness_of_the_run"].look = lambda: seen.append(page.text())  # type: ignore[attr-defined]
    try:
        cell_worker.run("from witness_of_the_run import look\nprint('a', end='')\nlook()\nprint('b')\nlook()\n", page)
    finally:
        del sys.modules["witness_of_the_run"]
    assert seen == ["a", "ab\n"]


def test_each_run_has_a_fresh_namespace_as_a_program_of_its_own() -> None:
    ran("left = 1")
    _, page = ran("print('left' in globals(), __name__, 'annotations' in globals())")
    assert page.text() == "False __main__ False\n"


def test_the_namespace_is_the_main_module_while_the_code_runs_and_no_longer() -> None:
    before = sys.modules["__main__"], sys.stdout, sys.stderr, sys.stdin
    _, page = ran("mark = 5\nimport __main__\nprint(__main__.mark)")
    assert page.text() == "5\n"
    assert (sys.modules["__main__"], sys.stdout, sys.stderr, sys.stdin) == before


def test_the_workers_own_future_imports_do_not_reach_the_code() -> None:
    _, page = ran("def f(x: int): pass\nprint(f.__annotations__)")
    assert page.text() == "{'x': <class 'int'>}\n"


def test_a_traceback_shows_the_readers_frames_only_with_their_lines() -> None:
    outcome, page = ran(
        """
        import json

        def parse(text):
            return json.loads(text)

        parse("{")
        """
    )
    lines = page.text("error").splitlines()
    assert outcome == "error"
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-1].startswith("json.decoder.JSONDecodeError: Expecting property name")
    assert [line.strip() for line in lines if line.startswith("  File")] == [
        'File "<cell>", line 7, in <module>',
        'File "<cell>", line 5, in parse',
    ]
    assert '    parse("{")' in lines
    assert "    return json.loads(text)" in lines


def test_carets_point_into_a_line_as_in_python() -> None:
    _, page = ran("a, b = 1, 0\nprint(a + a / b)")
    assert page.text("error").splitlines()[1:4] == [
        '  File "<cell>", line 2, in <module>',
        "    print(a + a / b)",
        "               ~~^~~",
    ]


def test_a_syntax_error_has_its_line_and_caret_and_no_frames() -> None:
    outcome, page = ran("x = 1\ny = (x,\n")
    assert outcome == "error"
    assert page.text() == ("  File \"<cell>\", line 2\n    y = (x,\n        ^\nSyntaxError: '(' was never closed\n")


def test_chained_and_grouped_errors_show_the_readers_frames_only() -> None:
    _, page = ran(
        """
        import json
        try:
            json.loads("{")
        except ValueError as error:
            raise ExceptionGroup("several", [error]) from error
        """
    )
    text = page.text("error")
    assert "The above exception was the direct cause" in text
    assert "ExceptionGroup: several (1 sub-exception)" in text
    assert "decoder.py" not in text
    assert "cell_worker" not in text
    assert text.count('File "<cell>"') == 3


def test_an_endless_recursion_is_an_error_like_any_other() -> None:
    outcome, page = ran("def f():\n    f()\n\nf()")
    assert outcome == "error"
    assert "Previous line repeated" in page.text("error")
    assert "RecursionError: maximum recursion depth exceeded" in page.text("error")


def test_output_before_an_error_stays_before_it() -> None:
    _, page = ran("print('first')\n1 / 0")
    assert page.text().startswith("first\nTraceback")


def test_an_overlong_error_is_cut() -> None:
    _, page = ran("raise ValueError('x' * 10**6)")
    assert len(page.text()) < 2 * cell_worker.LONGEST_ERROR
    assert page.text().endswith("cut here.]\n")


def test_what_goes_to_standard_error_is_marked_and_keeps_its_place() -> None:
    _, page = ran("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')")
    assert page.text() == "a\nb\nc\n"
    assert page.text("error") == "b\n"


def test_a_warning_quotes_the_cells_line() -> None:
    _, page = ran("import warnings\nprint(warnings.formatwarning('careful', UserWarning, '<cell>', 3))\n# here")
    assert page.text() == "<cell>:3: UserWarning: careful\n  # here\n\n"


@pytest.mark.parametrize("code", ["input('Your name? ')", "import sys\nsys.stdin.read()"])
def test_input_fails_with_a_sentence(code: str) -> None:
    outcome, page = ran(code)
    assert outcome == "error"
    assert "input() cannot ask anything here: the cell has no keyboard." in page.text("error")


@pytest.mark.parametrize(
    ("code", "outcome", "text"),
    [
        ("raise SystemExit", "done", ""),
        ("import sys; sys.exit(0)", "done", ""),
        ("import sys; sys.exit(3)", "error", "The code exits with status 3.\n"),
        ("import sys; sys.exit('no more')", "error", "no more\n"),
        ("raise KeyboardInterrupt", "error", "KeyboardInterrupt\n"),
    ],
)
def test_leaving_early_is_told_as_what_it_is(code: str, outcome: str, text: str) -> None:
    found, page = ran(code)
    assert found == outcome
    assert page.text().endswith(text)
    assert bool(text) == bool(page.text())


def test_writing_what_is_no_text_is_the_usual_error() -> None:
    _, page = ran("import sys\nsys.stdout.write(3)")
    assert "TypeError: write() argument must be str, not int" in page.text()


def test_more_than_the_limit_is_cut_and_said_once_and_the_code_runs_to_its_end() -> None:
    outcome, page = ran(f"for _ in range({LIMIT}):\n    print('more')\nraise ValueError('the end')")
    assert outcome == "error"
    assert len(page.text("out")) == LIMIT
    assert page.text("note") == CUT
    assert page.text().endswith("ValueError: the end\n")


def test_exactly_the_limit_is_not_cut() -> None:
    _, page = ran(f"print('x' * {LIMIT - 1})")
    assert len(page.text()) == LIMIT
    assert not page.text("note")


def test_a_flood_is_sent_in_few_messages() -> None:
    page, clock = Page(), Clock()
    output = Output(page, clock)
    for at in range(LIMIT // 2):
        clock.now = at / 10_000  # ten thousand lines a second
        output.write("out", "x\n")
    output.flush()
    assert page.text() == "x\n" * (LIMIT // 2)
    assert len(page.sent) <= BURST + PER_SECOND * clock.now + 1


def test_after_a_pause_output_is_sent_at_once_again() -> None:
    page, clock = Page(), Clock()
    output = Output(page, clock)
    for _ in range(2 * BURST):
        output.write("out", "x")
    assert len(page.sent) == BURST
    clock.now = 1.0
    output.write("out", "y")
    assert page.text() == "x" * 2 * BURST + "y"
    output.write("out", "z")
    assert page.text().endswith("yz")


@pytest.fixture
def no_numpy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in [name for name in sys.modules if name.partition(".")[0] == "numpy"]:
        monkeypatch.delitem(sys.modules, name)
    cell_worker.guard_numpy(cell_worker.NO_NUMPY)
    yield
    cell_worker.guard_numpy("")


@pytest.mark.usefixtures("no_numpy")
def test_without_numpy_code_that_imports_it_is_told_so_in_a_sentence() -> None:
    outcome, page = ran(snippet.SOURCE)
    assert outcome == "error"
    assert page.text() == f"{cell_worker.NO_NUMPY}\n"
    assert page.text().startswith("NumPy is not part of this copy of the page")


@pytest.mark.usefixtures("no_numpy")
def test_without_numpy_the_plain_snippet_prints_the_four_lines() -> None:
    outcome, page = ran(snippet.PLAIN)
    assert (outcome, page.text()) == ("done", snippet.OUTPUT)


@pytest.mark.usefixtures("no_numpy")
def test_without_numpy_the_code_may_do_without() -> None:
    outcome, page = ran("try:\n    import numpy\nexcept ImportError:\n    print('by hand')")
    assert (outcome, page.text()) == ("done", "by hand\n")


@pytest.mark.usefixtures("no_numpy")
def test_a_guard_that_is_lifted_lets_numpy_in_again() -> None:
    cell_worker.guard_numpy("")
    assert importlib.util.find_spec("numpy")


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("import numpy as np", True),
        ("__import__('numpy')", True),
        ("from numpy.linalg import norm", True),
        ("print('numpyro')", False),
        ("x = 1", False),
    ],
)
def test_whether_code_can_be_about_to_import_numpy(code: str, named: bool) -> None:
    assert cell_worker.names_numpy(code) is named
