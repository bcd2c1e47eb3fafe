"""Where the command line's answer goes: other encodings, full disks, closed streams, and names of others' making."""

import json
import os
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import anatomy
from anatomy import cli
from tests.interrupts import hearing

ROOT = Path(anatomy.__file__).parent.parent
CONFIG = dict(anatomy.entries()["gpt2"].config)
FULL = "anatomy: the answer cannot be written: No space left on device\n"
needs_full = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="only Linux has /dev/full, a disk that is always full"
)


def started(*arguments: str, encoding: str = "utf-8") -> "subprocess.CompletedProcess[bytes]":
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-m", "anatomy", *arguments]
    return subprocess.run(command, capture_output=True, check=False, env=environment)


def in_shell(line: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHON": sys.executable}
    return subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False, env=environment)


def named(folder: Path, name: str) -> str:
    """A configuration in a folder of this name, which the model is then called by."""
    inside = folder / name
    inside.mkdir()
    (inside / "config.json").write_text(json.dumps(CONFIG))
    return str(inside / "config.json")


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii"])
@pytest.mark.parametrize(
    "arguments",
    [("show", "gpt2"), ("compare", "gpt2", "llama-3-8b"), ("tensors", "gpt2"), ("list",), ("plot", "gpt2", "--out=-")],
    ids=lambda arguments: arguments[0],
)
def test_an_encoding_without_a_character_gets_its_escape(arguments: tuple[str, ...], encoding: str) -> None:
    done = started(*arguments, encoding=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode(encoding)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("arguments", [("show", "gpt2", "--json"), ("compare", "gpt2", "llama-3-8b", "--json")])
def test_json_in_any_encoding_is_the_same_json(arguments: tuple[str, ...], encoding: str) -> None:
    done = started(*arguments, encoding=encoding)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode(encoding)) == json.loads(started(*arguments).stdout.decode())


def test_a_name_beyond_ascii_stays_json_in_ascii(tmp_path: Path) -> None:
    name = "é×γ\U0001f600"
    done = started("show", named(tmp_path, name), "--json", encoding="ascii")
    assert json.loads(done.stdout)["model"]["name"] == name


def test_an_error_in_an_encoding_without_its_characters_is_one_line() -> None:
    done = started("show", "γ", encoding="latin-1")
    assert done.returncode == 2
    assert b'model "\\u03b3" is neither' in done.stderr
    assert done.stderr.count(b"\n") == 1


@needs_full
@pytest.mark.parametrize(
    "arguments",
    [
        "show gpt2",
        "show gpt2 --json",
        "tensors gpt2",
        "tensors gpt2 --csv",
        "tensors gpt2 --json",
        "--help",
        "--version",
    ],
)
def test_a_full_disk_is_one_line_and_status_2(arguments: str) -> None:
    done = in_shell(f'"$PYTHON" -m anatomy {arguments} > /dev/full')
    assert (done.returncode, done.stderr) == (2, FULL)


def test_a_closed_output_is_no_error() -> None:
    for arguments in ("show gpt2", "tensors gpt2", "tensors gpt2 --csv", "tensors gpt2 --json", "--version"):
        done = in_shell(f'"$PYTHON" -m anatomy {arguments} >&-')
        assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_standard_error_keeps_what_is_wrong_out_of_the_answer() -> None:
    done = in_shell('"$PYTHON" -m anatomy show nothing 2>&-')
    assert (done.returncode, done.stdout) == (2, "")


def test_a_closed_standard_input_is_one_line() -> None:
    done = in_shell('"$PYTHON" -m anatomy show - <&-')
    said = "anatomy: standard input: it is closed; accepted: a config.json in UTF-8\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_an_interrupted_run_has_the_status_of_one_and_no_traceback() -> None:
    deep = json.dumps(CONFIG | {"n_layer": 10**12}).encode()
    with hearing("-m", "anatomy", "tensors", "-", cwd=ROOT) as run:
        assert run.stdin
        assert run.stdout
        run.stdin.write(deep)
        run.stdin.close()
        run.stdin = None  # there is no more to say
        assert run.stdout.read(100)  # it is at work
        run.send_signal(signal.SIGINT)
        _, said = run.communicate(timeout=20)
        assert (run.returncode, said) == (130, b"")


def test_a_wrong_call_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main(["show", "gpt2", "\x1b[31m\nred"])
    err = capsys.readouterr().err
    assert "unrecognized arguments: \\x1b[31m\\nred" in err
    assert err.count("\n") == 1


def test_a_name_cannot_steer_the_terminal_or_spoil_the_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = named(tmp_path, "a\x1b[31m\nb")
    assert cli.main(["show", path]) == 0
    assert capsys.readouterr().out.startswith("a\\x1b[31m\\nb (gpt2, ")
    assert cli.main(["plot", path, "--out", "-"]) == 0
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert any("a\\x1b[31m\\nb: FLOPs" in "".join(one.itertext()) for one in root)
    out = tmp_path / "c\x1bd.svg"
    assert cli.main(["plot", path, "--out", str(out)]) == 0
    assert "c\\x1bd.svg: " in capsys.readouterr().out


def test_tensors_as_json_come_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG | {"n_layer": 10**12}))
    began = time.monotonic()
    line = f'ulimit -v 2000000; "$PYTHON" -m anatomy tensors "{path}" --json | head -c 200'
    done = in_shell(line)
    assert done.stdout.startswith('[{"name": "wte.weight", "shape": [50257, 768], "parameters": 38597376, "part": ')
    assert '"block": null}, {"name": "wpe.weight"' in done.stdout
    assert done.stderr == ""
    assert time.monotonic() - began < 20


def test_tensors_as_json_are_the_bytes_of_one_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["tensors", "gpt2", "--json"]) == 0
    text = capsys.readouterr().out
    assert text == json.dumps(json.loads(text), ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("plot", "gpt2", "--out", ""), '--out "" cannot be written: '),
        (("plot", "gpt2", "--out", "x" * 5000), 'x…" cannot be written: File name too long; accepted: the path of a '),
        (("show", "x" * 5000), 'x…" cannot be read: File name too long; accepted: a slug of the catalogue or the path'),
    ],
)
def test_a_path_that_can_be_none_is_told_what_would_be(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    assert cli.main(arguments) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "; accepted: " in err
    assert err.count("\n") == 1
    assert len(err) < 300
