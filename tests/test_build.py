"""Tests of build.py: the site as a mapping, the folder written from it, and what the command says."""

import io
import json
import re
import signal
import subprocess
import sys
import urllib.request
import zipfile
from html import unescape
from pathlib import Path

import pytest

import build
from anatomy import __version__
from anatomy.views import cell
from anatomy.views.page import marked, regions
from anatomy.visit.state import State
from builder import document, listing, one_file, pins, runtime, server, wheels
from builder.failure import BuildError
from builder.sources import FOLDERS
from tests.interrupts import hearing

# Once the site is made the cache is full, so that no two workers of a run fill it at once.
pytestmark = pytest.mark.usefixtures("site")


@pytest.fixture(scope="session")
def index(site: dict[str, bytes]) -> str:
    return site["index.html"].decode()


def one(files: dict[str, bytes], pattern: str) -> str:
    """The only path that matches."""
    (path,) = (path for path in files if re.fullmatch(pattern, path))
    return path


def test_the_page_holds_each_region_as_the_views_render_it(index: str) -> None:
    for name, markup in regions(State()).items():
        plain = name == "cell" and 'data-numpy=""' in index
        assert (cell.without_numpy(markup) if plain else marked(markup, State())) in index, name


def test_no_placeholder_is_left(index: str) -> None:
    assert "{{" not in index


def test_the_page_states_the_version_of_the_package(index: str) -> None:
    assert __version__ in index


def test_the_page_carries_the_policy(index: str) -> None:
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy"\s+content="([^"]+)"', index)
    (boot, files), (style,) = (re.findall(rf"<{name}>(.*?)</{name}>", index, re.DOTALL) for name in ("script", "style"))
    texts = {"boot": boot, "files": files, "style": style}
    allowed = {name: document.allowance(text) for name, text in texts.items()}
    assert unescape(policy) == build.POLICY.format_map(allowed)


def test_every_local_address_in_the_page_is_a_file_of_the_site(index: str, site: dict[str, bytes]) -> None:
    suffixes = "css|js|json|mjs|py|svg|wasm|zip"
    addresses = re.findall(rf'\b(?:href|src|data-[a-z-]+)="(?:\./)?([\w./-]+\.(?:{suffixes}))"', index)
    assert addresses
    assert set(addresses) <= set(site)


def test_no_address_in_the_page_is_tied_to_a_root_or_a_host(index: str) -> None:
    loaded = re.findall(r'<(?:script|link|img|source|iframe)\b[^>]*\b(?:src|href)="([^"]*)"', index)
    assert loaded
    assert not [address for address in loaded if re.match(r"/|https?:", address)]


def test_every_file_but_those_called_by_name_has_a_hash_in_its_path(site: dict[str, bytes]) -> None:
    plain = [path for path in site if not re.search(r"[./][0-9a-f]{10}[./]", path)]
    known = [build.NOTICES, build.NOT_FOUND, "index.html", "service_worker.js", one_file.NAME, listing.NAME]
    assert sorted(plain) == sorted(known)


def test_the_archive_holds_package_and_configurations_side_by_side(site: dict[str, bytes]) -> None:
    with zipfile.ZipFile(io.BytesIO(site[one(site, r"app\.\w+\.zip")])) as archive:
        names = archive.namelist()
    assert {"anatomy/model/rows.py", "anatomy/views/page.py", "model_configs/gpt2.json"} <= set(names)
    assert {Path(name).suffix for name in names} == {".py", ".json"}
    assert {name.split("/")[0] for name in names} == {"anatomy", "model_configs", *build.SCRIPTS}


def test_the_archive_runs_as_it_is(site: dict[str, bytes], tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(site[one(site, r"app\.\w+\.zip")])) as archive:
        archive.extractall(tmp_path)
    command = [sys.executable, "-c", "import anatomy; print(anatomy.load('gpt2').parameters)"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "124439808\n"


def test_the_runtime_is_there_and_nothing_of_it_twice(site: dict[str, bytes]) -> None:
    for name in ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip"):
        assert one(site, rf"pyodide/\w+/{re.escape(name)}")
    assert one(site, r"pyscript/\w+/core\.js")
    assert one(site, r"idiomorph/\w+/idiomorph\.esm\.js")


def test_nothing_of_the_build_and_no_source_map_is_shipped(site: dict[str, bytes]) -> None:
    assert not [path for path in site if "builder" in path or path.endswith((".map", ".pyc", ".d.ts"))]


def test_every_file_of_the_sites_own_is_shipped(site: dict[str, bytes]) -> None:
    # What goes into the archive, or has names of others filled in first.
    elsewhere = {*build.SCRIPTS, *build.INSIDE.values(), "service_worker.js", "app.webmanifest"}
    elsewhere |= {"unpack.mjs", "interpreter.mjs"}
    elsewhere |= {"one_file.js", "one_file_worker.js"}  # of the edition in one file
    sources = [path for folder in FOLDERS for path in (build.SITE / folder).iterdir()]
    for source in sources:
        if source.is_file() and source.name not in {"template.html", build.RUNTIME.name, *elsewhere}:
            assert source.read_bytes() in site.values(), f"the template does not name site/{source.name}"


def test_each_vendored_package_is_in_the_notices(site: dict[str, bytes]) -> None:
    text = site[build.NOTICES].decode()
    for package in pins.read(build.RUNTIME).packages:
        assert f"\n{package.name} {package.version}\nLicence: {package.licence}\n" in text


def test_two_builds_are_the_same(site: dict[str, bytes]) -> None:
    assert build.files() == site


def test_the_pinned_wheels_are_those_of_pyodides_lock() -> None:
    pinned = pins.read(build.RUNTIME)
    files = runtime.contents(pinned, build.CACHE)
    listed = json.loads(files["pyodide", "pyodide-lock.json"])["packages"]
    assert [wheel.name for wheel in pinned.wheels] == ["numpy", "micropip"]
    assert pinned.wheels[1].version == listed["micropip"]["version"]
    assert set(listed["micropip"]["depends"]) <= {wheel.name for wheel in pinned.wheels}


def test_the_distribution_of_the_pinned_pyodide_is_known() -> None:
    pinned = pins.read(build.RUNTIME)
    interpreter = runtime.contents(pinned, build.CACHE)["pyodide", "pyodide.mjs"]
    version = pinned.package("pyodide").version
    assert wheels.distribution(interpreter, version).endswith(f"/v{version}/full/")


def test_a_real_numpy_lies_beside_the_lock_that_names_it(older_site: dict[str, bytes]) -> None:
    folder = one(older_site, r"pyodide/\w+/pyodide-lock\.json").rsplit("/", 1)[0]
    packages = json.loads(older_site[f"{folder}/pyodide-lock.json"])["packages"]
    assert sorted(packages) == ["micropip", "numpy", "packaging"]
    for entry in packages.values():
        assert f"{folder}/{entry['file_name']}" in older_site
    numpy = older_site[f"{folder}/{packages['numpy']['file_name']}"]
    with zipfile.ZipFile(io.BytesIO(numpy)) as wheel:
        assert "numpy/__init__.py" in wheel.namelist()


def test_the_page_knows_which_numpy_it_has(older_site: dict[str, bytes]) -> None:
    assert 'data-numpy="2.0.2"' in older_site["index.html"].decode()


@pytest.fixture
def no_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*anything: object) -> None:
        raise wheels.WheelError("numpy-2.whl is not to be had.")

    monkeypatch.setattr(wheels, "contents", nowhere)


@pytest.mark.usefixtures("no_numpy")
def test_without_numpy_the_build_says_so_and_the_page_knows() -> None:
    said: list[str] = []
    made = build.files(note=said.append)
    assert said == ["The page's cell will be without NumPy: numpy-2.whl is not to be had."]
    assert 'data-numpy=""' in made["index.html"].decode()


@pytest.mark.usefixtures("no_numpy")
def test_numpy_can_be_required(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert build.main(["--require-numpy", f"--out={tmp_path}"]) == 2
    assert capsys.readouterr().err == "build.py: numpy-2.whl is not to be had.\n"
    assert not list(tmp_path.iterdir())


def stand_in(folder: Path, template: str) -> build.Plan:
    (folder / "site").mkdir()
    everything = "".join(f"{{{{region:{name}}}}}" for name in regions(State())) + "{{csp}}{{numpy}}{{version}}"
    for name in build.INSIDE.values():
        (folder / "site" / name).touch()
    (folder / "site" / "template.html").write_text(template.replace("EVERYTHING", everything), "utf-8")
    return build.Plan(pins.Pins(build.RUNTIME, (), (), ""), root=folder)


def test_a_file_that_nobody_has_is_told_with_its_placeholder(tmp_path: Path) -> None:
    plan = stand_in(tmp_path, "EVERYTHING {{asset:none.js}}")
    with pytest.raises(BuildError, match=r"site/template\.html names \{\{asset:none\.js\}\}"):
        build.page_files({build.NOTICES: b""}, plan)


def test_only_files_that_the_template_names_are_shipped(tmp_path: Path) -> None:
    plan = stand_in(tmp_path, "EVERYTHING {{asset:a.js}}")
    for name in ("a.js", "b.js"):
        (tmp_path / "site" / name).write_text(name, "utf-8")
    made = build.page_files({build.NOTICES: b""}, plan)
    assert [path.partition(".")[0] for path in sorted(made)] == ["THIRD-PARTY", "a", "index"]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert build.main([f"--out={tmp_path / 'file' / 'dist'}"]) == 2
    assert re.search(r"^build\.py: .*file.* cannot be read or written \(.*\)\.\n$", capsys.readouterr().err)


def test_the_command_writes_the_site_and_says_how_large_it_is(tmp_path: Path, site: dict[str, bytes]) -> None:
    command = [sys.executable, "-I", str(build.ROOT / "build.py"), f"--out={tmp_path / 'dist'}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    out = tmp_path / "dist"
    assert {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()} == set(site)
    size = sum(map(len, site.values())) / 1e6
    assert f"{len(site)} files, {size:.1f} MB" in done.stdout


def test_serve_says_where_and_stops_at_an_interrupt(tmp_path: Path) -> None:
    with hearing("build.py", "--serve", f"--out={tmp_path / 'dist'}", cwd=build.ROOT) as process:
        assert process.stdout
        # It ends by itself where it fails, and the loop with it.
        said = next((line for line in process.stdout if line.startswith(b"Serving")), b"").decode()
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+/", said)
        with urllib.request.urlopen(address) as answer:
            assert b"<!doctype html>" in answer.read().lower()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert process.returncode == 0


@pytest.mark.parametrize("browses", [True, False])
def test_open_opens_the_address_that_it_serves(
    browses: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []

    def open_browser(address: str) -> bool:
        opened.append(address)
        return browses

    def interrupt(self: server.SiteServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", open_browser)
    monkeypatch.setattr(server.SiteServer, "serve_forever", interrupt)
    server.serve(tmp_path, 0, browse=True)
    said = capsys.readouterr().out
    assert f"Serving it at {opened[0]} until Ctrl-C." in said
    assert ("type that address" in said) is not browses
