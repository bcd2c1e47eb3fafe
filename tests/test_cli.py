"""The command line: what it prints, and what bad input gets."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import anatomy
from anatomy import cli

CONFIG = {"model_type": "gpt2", "vocab_size": 50257, "n_positions": 1024, "n_embd": 768, "n_layer": 12, "n_head": 12}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        status = cli.main(arguments)
    except SystemExit as stopped:
        status = int(stopped.code or 0)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_list_names_every_model_with_its_total(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "list")
    assert status == 0
    lines = out.splitlines()
    assert len(lines) == len(anatomy.entries()) + 1
    assert any(line.startswith("gpt2 ") and line.endswith(" 124,439,808") for line in lines)


def test_list_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "list", "--json")
    listed = {row["slug"]: row for row in json.loads(out)}
    assert listed["llama-3-70b"]["parameters"] == 70553706496
    assert listed["gpt2"]["maker"] == "OpenAI"
    parts = {slug: row["parts_not_counted"] for slug, row in listed.items() if row["parts_not_counted"]}
    multimodal = ("gemma-3-4b", "gemma-3-27b", "llama-4-maverick", "llama-4-scout")
    assert parts == {slug: ["image encoder", "projection of image features"] for slug in multimodal}


def test_show_as_json_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "show", "gpt2", "--json")
    shown = json.loads(out)
    assert status == 0
    assert shown["seq_len"] == 8
    assert shown["parts_not_counted"] == []
    assert shown["model"]["slug"] == "gpt2"
    assert shown["model"]["stacks"] == [{"id": "decoder", "blocks": 12}]
    assert shown["parameters"] == {
        "total": 124439808,
        "without_embeddings": 85056000,
        "active": 124439808,
        "active_without_token_table": 85842432,
        "released_total": 124439808,
        "tied_unembedding": True,
    }
    assert shown["flops"]["full"] == {"per_pass": 1978871808, "per_token": 247358976}
    assert shown["block_kinds"] == [{"stack": "decoder", "blocks": "0-11", "parameters": 7087872}]
    parts = {part["id"]: part for part in shown["parts"]}
    assert parts["attention"]["parameters_per_block"] == 2362368
    assert parts["attention"]["weights"][0] | {} == {
        "symbol": "W_Q",
        "shape": [768, 768],
        "count": 1,
        "stored_name": "h.{block}.attn.c_attn.weight",
        "stored_shape": [768, 2304],
        "parameters": 589824,
        "tied_to": None,
        "buffer": False,
        "layout": None,
    }
    assert {"symbol": "Scores, per head", "shape": [8, 8]} in parts["attention"]["activations"]
    assert sum(part["parameters"] for part in shown["parts"]) == 124439808
    assert sum(part["per_pass"] for part in shown["flops"]["by_part"]) == 1978871808
    assert shown["memory"]["kv_cache"] == {"dtype": "bf16", "batch": 1, "bytes_per_token": 36864, "bytes": 294912}
    assert shown["memory"]["weights_bytes"]["int4"] == 62219904


def test_show_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "show", "llama-3-70b", "--seq-len", "8192")
    assert status == 0
    assert "70,553,706,496" in out
    assert "W_K 8,192 × 1,024" in out


def test_a_class_that_is_counted_in_part_says_so_first(capsys: pytest.CaptureFixture[str]) -> None:
    left_out = "without its image encoder and its projection of image features"
    _, out, _ = run(capsys, "show", "gemma-3-27b")
    assert out.splitlines()[0].startswith(f"Gemma 3 27B (gemma3, Gemma3ForConditionalGeneration) {left_out}: 62 ")
    _, out, _ = run(capsys, "show", "gemma-3-27b", "--json")
    assert json.loads(out)["parts_not_counted"] == ["image encoder", "projection of image features"]
    _, out, _ = run(capsys, "list")
    (line,) = [line for line in out.splitlines() if line.startswith("gemma-3-27b ")]
    assert line.endswith(f" 27,009,346,304  {left_out}")


def test_tensors_in_three_forms(capsys: pytest.CaptureFixture[str]) -> None:
    _, text, _ = run(capsys, "tensors", "gpt2")
    assert text.splitlines()[0] == "wte.weight  50,257 × 768  38,597,376  embedding/token"
    _, csv_text, _ = run(capsys, "tensors", "gpt2", "--csv")
    assert csv_text.splitlines()[1] == "wte.weight,50257x768,38597376,embedding/token,"
    _, json_text, _ = run(capsys, "tensors", "gpt2", "--json")
    rows = json.loads(json_text)
    assert len(rows) == len(text.splitlines()) == len(csv_text.splitlines()) - 1 == 148
    assert sum(row["parameters"] for row in rows) == 124439808
    assert rows[2] == {
        "name": "h.0.ln_1.weight",
        "shape": [768],
        "parameters": 768,
        "part": "block/norm-attention",
        "block": 0,
    }


def test_a_path_and_standard_input_are_models_too(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    environment = os.environ | {"PYTHONPATH": str(Path(anatomy.__file__).parent.parent)}
    for arguments, given in ((["show", str(path)], None), (["show", "-"], json.dumps(CONFIG))):
        command = [sys.executable, "-m", "anatomy", *arguments]
        done = subprocess.run(command, input=given, capture_output=True, text=True, check=False, env=environment)
        assert done.returncode == 0, done.stderr
        assert "124,439,808" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "gpt3"), 'model "gpt3" is neither in the catalogue nor a file'),
        (("show", "gpt2", "--seq-len", "0"), "sequence length is 0; accepted: an integer from 1 to 1,024"),
        (("show", "gpt2", "--seq-len", "1025"), "sequence length is 1025; accepted: an integer from 1 to 1,024"),
        *(
            (
                ("show", "gpt2", "--seq-len", text),
                f"--seq-len: {said} is no whole number; accepted: digits, such as 8192",
            )
            for text, said in {
                "abc": '"abc"',
                "": '""',
                "8_0": '"8_0"',
                " 8": '" 8"',
                "+8": '"+8"',
                "8.0": '"8.0"',
                "\u0668": '"\u0668"',  # an eight, in Arabic digits
                "\u00b2": '"\u00b2"',
                "8" * 5000: '"' + "8" * 60 + '…"',
            }.items()
        ),
        (("plot", "gpt2", "--out", "-", "--seq-len", "1_0"), '"1_0" is no whole number'),
        (("plot", "gpt2", "--out", "-", "--batch", "1_0"), 'Batch "1_0" is no whole number from 1 to'),
        (("show",), "the following arguments are required: MODEL"),
        ((), "the following arguments are required: COMMAND"),
        (("shown", "gpt2"), "invalid choice: 'shown'"),
        (("tensors", "gpt2", "--csv", "--json"), "not allowed with argument"),
    ],
)
def test_bad_input_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], said: str
) -> None:
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing in it"),
        ("[1]", "a list of 1 items at the top"),
        ('{"model_type": "gpt-2"}', 'model_type is "gpt-2"; accepted: gpt2?'),
        ('{"model_type": "gpt2"}', "n_embd is missing"),
        (json.dumps(CONFIG | {"n_head": 7}), "n_head is 7, which does not divide n_embd 768"),
    ],
)
def test_a_bad_configuration_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, said: str
) -> None:
    path = tmp_path / "config.json"
    path.write_text(text)
    status, out, err = run(capsys, "show", str(path))
    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_bytes_that_are_no_text_and_a_folder_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(b"\x89PNG\r\n\xff\xfe")
    for path in (tmp_path / "config.json", tmp_path):
        status, _, err = run(capsys, "show", str(path))
        assert (status, err.count("\n")) == (2, 1)


def test_a_reader_that_stops_early_is_no_error() -> None:
    environment = os.environ | {"PYTHONPATH": str(Path(anatomy.__file__).parent.parent)}
    command = f"{sys.executable} -m anatomy tensors llama-3.1-405b | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=environment)
    assert done.stdout.startswith("model.embed_tokens.weight")
    assert done.stderr == ""


def loaded(*arguments: str) -> set[str]:
    """The modules that a run of the command line has imported at its end."""
    code = f"""
import atexit, sys
from anatomy.cli import main
atexit.register(lambda: print(*sys.modules, file=sys.stderr))
main({list(arguments)})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_a_command_starts_without_what_only_mistakes_and_other_commands_need() -> None:
    modules = loaded("show", "gpt2")
    assert "anatomy.families.gpt2" in modules
    assert not modules & {
        "anatomy.families.llama",
        "anatomy.report.document",
        "anatomy.views",
        "csv",
        "difflib",
        "shutil",
    }


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_the_command_line_says_what_it_takes_without_any_command(argument: str) -> None:
    modules = {name for name in loaded(argument) if name.startswith("anatomy") or name in ("dataclasses", "typing")}
    assert modules == {"anatomy", "anatomy.cli"}


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_every_command_says_what_it_takes(capsys: pytest.CaptureFixture[str], command: str) -> None:
    status, out, err = run(capsys, command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"usage: anatomy {command} ")
    assert f"    {command} " in run(capsys, "--help")[1]


def test_the_package_has_its_names_before_they_are_used() -> None:
    code = "import anatomy; assert set(anatomy.__all__) <= set(dir(anatomy)); print(anatomy.load('gpt2').parameters)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "124439808\n"
    for name in anatomy.__all__:
        assert getattr(anatomy, name) is getattr(anatomy, name)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        anatomy.nonsense  # noqa: B018
