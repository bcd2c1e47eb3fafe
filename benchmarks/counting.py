"""How long counting takes, each figure beside its goal: catalogue, very deep models, command line, transformers.

python benchmarks/counting.py                medians of 15 runs
python benchmarks/counting.py --repeat 31    of more

The last lines need transformers and PyTorch (the extra "witness") in the same interpreter.
"""

import argparse
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

import anatomy
from anatomy.commands.ask import whole_number
from anatomy.report.anatomy import default_seq_len

BLOCKS = 10**9
# A plain stack, windows in every other block, dense blocks before routed ones.
DEEP = {"gpt2": "n_layer", "gemma-2-2b": "num_hidden_layers", "deepseek-v3": "num_hidden_layers"}
AGAINST = ("gpt2", "llama-3-70b", "mixtral-8x7b")
# What a command is made of; to import these alone is the least that it could take.
STANDARD = "import argparse, dataclasses, fractions, json, pathlib"
# What a reader would run to count a model with transformers; the configuration comes as an argument.
THEIRS = "import sys; from benchmarks.counting import theirs; print(theirs(sys.argv[1]))"

Job = Callable[[], object]


def timed(*jobs: Job, repeat: int, warm: bool = False) -> list[float]:
    """Median seconds of each job; run in turn, so that whatever else the machine does falls on all alike.

    Where ``warm``, each run follows one of the same job that is not timed: the job before it has filled the processor's
    caches with its own.
    """
    seconds: list[list[float]] = [[] for _ in jobs]
    for _ in range(repeat):
        for job, taken in zip(jobs, seconds, strict=True):
            if warm:
                job()
            start = time.perf_counter()
            job()
            taken.append(time.perf_counter() - start)
    return [median(taken) for taken in seconds]


def process(*arguments: str) -> Job:
    """A whole run of this interpreter, from start to exit."""
    command = [sys.executable, *arguments]
    return lambda: subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout


def counted(values: Mapping[str, Any]) -> int:
    """Everything that is counted of a model: its total, what is active, FLOPs, parts; nothing of it is kept."""
    model = anatomy.load(values)
    anatomy.describe(model, default_seq_len(model))
    return model.parameters


def parsed(text: str) -> int:
    """The parameters that a ``config.json``'s text gives."""
    return anatomy.parse(text).parameters


def theirs(text: str) -> int:
    """The same by building the model with transformers on PyTorch's meta device, which holds no weights."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    values = json.loads(text)
    config = AutoConfig.for_model(values.pop("model_type"), **values)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    return sum(parameter.numel() for parameter in model.parameters())


def line(name: str, figure: str, goal: str, met: bool) -> None:
    """One line of the answer."""
    print(f"{name:58}{figure:>12}   {'' if met else 'MISSED, '}goal: {goal}")


def catalogue(repeat: int) -> None:
    """The time to read each entry from its file and count its parameters."""
    files = sorted((ROOT / "model_configs").glob("*.json"))

    def job(path: Path) -> Job:
        return lambda: anatomy.load(json.loads(path.read_text("utf-8"))["config"]).parameters

    seconds = dict(zip((path.stem for path in files), timed(*map(job, files), repeat=repeat), strict=True))
    slowest = max(seconds, key=lambda slug: seconds[slug])
    whole = sum(seconds.values())
    line(f"read and count all {len(files)} models of the catalogue", f"{whole * 1000:.1f} ms", "100 ms", whole <= 0.1)
    print(f"{'    the slowest, ' + slowest:58}{seconds[slowest] * 1000:9.1f} ms")


def depth(repeat: int) -> None:
    """10^9 blocks against 12: total, parts and FLOPs."""
    for slug, key in DEEP.items():
        values = {name: value for name, value in anatomy.entries()[slug].config.items() if name != "layer_types"}
        few, many = ({**values, key: blocks} for blocks in (12, BLOCKS))
        low, high = timed(partial(counted, few), partial(counted, many), repeat=20 * repeat)
        line(f"{slug} with 10^9 blocks against 12", f"{high / low:.2f} x", "at most 1.1 x", high <= 1.1 * low)


def command_line(repeat: int) -> None:
    """The start of the command line against a bare interpreter's; then a whole command, which counts a model."""
    bare, start, standard, show = timed(
        process("-c", "pass"),
        process("-m", "anatomy", "--version"),
        process("-c", STANDARD),
        process("-m", "anatomy", "show", "gpt2"),
        repeat=repeat,
    )
    name = "python -m anatomy --version, against python -c pass"
    line(name, f"{start / bare:.2f} x", "at most 3 x", start <= 3 * bare)
    print(f"{'    a whole command, python -m anatomy show gpt2':58}{show / bare:10.2f} x")
    print(f"{'    ' + STANDARD:58}{standard / bare:10.2f} x")
    times = ", ".join(f"{seconds * 1e3:.0f}" for seconds in (start, show, standard, bare))
    print(f"{'    milliseconds: --version, show, these imports, pass':58}{times}")


def transformers(repeat: int) -> None:
    """The same count by building the model with transformers on PyTorch's meta device."""
    if not all(importlib.util.find_spec(name) for name in ("torch", "transformers")):
        print("\nAgainst transformers: not installed here; pip install -e '.[witness]' and run this again.")
        return
    for slug in AGAINST:
        text = json.dumps(dict(anatomy.entries()[slug].config))
        total = anatomy.load(slug).parameters

        assert theirs(text) == total, f"{slug}: transformers counts otherwise"
        ours, other = timed(partial(parsed, text), partial(theirs, text), repeat=repeat, warm=True)
        line(f"{slug}, warm, against transformers", f"{other / ours:.0f} x", "at least 100 x", other >= 100 * ours)
    slug = AGAINST[0]
    text = json.dumps(dict(anatomy.entries()[slug].config))
    ours, other = timed(process("-m", "anatomy", "show", slug), process("-c", THEIRS, text), repeat=max(3, repeat // 5))
    line(f"{slug}, whole process, against transformers", f"{other / ours:.0f} x", "at least 30 x", other >= 30 * ours)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print every figure with its goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=whole_number, default=15, help="runs of which the median counts (default: 15)")
    repeat = parser.parse_args(arguments).repeat
    print(f"Python {sys.version.split()[0]}, medians of {repeat} runs\n")
    catalogue(repeat)
    depth(repeat)
    command_line(repeat)
    transformers(repeat)
    return 0


if __name__ == "__main__":
    sys.exit(main())
