"""What each command takes, as its help says it; and what standard input may bring in place of a file."""

import argparse
import io
import sys
from importlib import import_module

import pytest

from anatomy import cli
from anatomy.commands.output import model
from anatomy.reading.config import ConfigError


def actions(command: str) -> list[argparse.Action]:
    """The arguments of a command, without its help."""
    parser = argparse.ArgumentParser(add_help=False)
    import_module(f"anatomy.commands.{cli.COMMANDS[command][0]}").arguments(parser)
    return parser._actions


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_argument_says_what_it_is_and_what_is_taken_where_it_is_left_out(command: str) -> None:
    for one in actions(command):
        assert one.help
        if one.nargs == 0:  # a flag
            assert (one.default, one.const) == (False, True)
            continue
        shown = str(one.metavar or "")
        assert shown or one.choices
        assert shown == shown.upper() != one.dest
        if one.default is not None:
            assert f"(default: {one.default}" in one.help
        for choice in one.choices or ():
            assert str(choice) in one.help or not shown


DEFAULTS: dict[str, dict[str, object]] = {
    "show": {"model": None, "seq_len": None, "json": False},
    "tensors": {"model": None, "json": False, "csv": False},
    "list": {"json": False},
    "compare": {"first": None, "second": None, "seq_len": None, "json": False},
    "check": {"model": None, "path": None, "json": False},
    "plot": {
        "model": None,
        "out": None,
        "what": "flops",
        "seq_len": None,
        "run_": "prefill",
        "square_": "full",
        "unembedding_": "every",
        "cache_": "bf16",
        "batch_": "1",
    },
}


@pytest.mark.parametrize("command", DEFAULTS)
def test_what_a_command_takes(command: str) -> None:
    found = {one.dest: one.default for one in actions(command)}
    assert found.items() >= DEFAULTS[command].items()
    needed = {one.dest for one in actions(command) if one.required}
    assert needed == {"model", "first", "second", "path", "out"} & found.keys() - (
        {"model"} if command == "check" else {""}
    )


def test_t_is_said_where_it_is_left_out() -> None:
    said = {command: [one.help for one in actions(command) if one.dest == "seq_len"] for command in DEFAULTS}
    assert said["show"] == ["sequence length (default: 8)"]
    assert said["compare"] == ["sequence length (default: 8, or the nearest)"]
    assert said["plot"] == ["the T that is marked (default: 8)"]


class Unreadable(io.RawIOBase):
    """A stream that fails as a folder does."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        raise OSError(21, "Is a directory")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "it is closed; accepted: a config.json in UTF-8"),
        (io.TextIOWrapper(io.BytesIO(b"\xff")), "bytes that are no UTF-8; accepted: a config.json in UTF-8"),
        (
            io.TextIOWrapper(io.BufferedReader(Unreadable())),
            "it cannot be read: Is a directory; accepted: a config.json in UTF-8",
        ),
        (io.TextIOWrapper(io.BytesIO(b"[1]")), "a list of 1 items at the top; accepted: "),
    ],
    ids=["closed", "bytes", "folder", "list"],
)
def test_what_standard_input_cannot_bring(
    monkeypatch: pytest.MonkeyPatch, given: io.TextIOWrapper | None, said: str
) -> None:
    monkeypatch.setattr(sys, "stdin", given)
    with pytest.raises(ConfigError) as refused:
        model("-")
    assert str(refused.value).startswith(f"standard input: {said}")
    if not said.endswith(": "):
        assert str(refused.value) == f"standard input: {said}"
