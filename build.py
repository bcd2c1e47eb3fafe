"""The site as a mapping from path to bytes, then one write: python3 build.py [--open]."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 (an older Python may well be the one that reads this)
    sys.stderr.write(f"build.py needs Python 3.11 or newer; this is {sys.version.split()[0]}.\n")
    sys.exit(2)

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent
SITE = ROOT / "site"
sys.path[:0] = [folder for folder in (str(ROOT), str(SITE)) if folder not in sys.path]

import anatomy
from anatomy.commands.ask import whole_number
from anatomy.views import cell
from anatomy.views.page import marked, regions
from anatomy.visit.state import State
from builder import (
    archive,
    cache,
    check,
    document,
    listing,
    names,
    notices,
    offline,
    one_file,
    output,
    pins,
    runtime,
    snapshot,
    sources,
    template,
    watch,
    wheels,
)
from builder.document import SNAPSHOT
from builder.failure import BuildError
from builder.server import serve

RUNTIME = SITE / "runtime.json"
CACHE = ROOT / ".cache" / "runtime"
# What the site is made of.
SOURCES = [ROOT / name for name in ("anatomy", "model_configs", "site", "build.py")]

# What the page may load and from where. 'unsafe-eval': PyScript's core calls Function(), and its main script never
# runs with the narrower 'wasm-unsafe-eval'. blob: as worker, since PyScript makes its workers of one. What stands in
# the page itself is let through by its hash: the style sheet, so that the page is painted without waiting for a second
# file, and the scripts that Python is asked for with, and that hold dropped files, in that same moment.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval' {boot} {files}; style-src 'self' {style}; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'"
)
INSIDE = {"boot": "boot.js", "files": "files.js", "style": "style.css"}

# The page's own Python: unpacked side by side, as in a checkout, so that catalog.py finds the configurations.
PACKED = ("anatomy", "model_configs")
# Modules of the page that speak with the browser, so that only a page can run them.
SCRIPTS = ("main.py", "all_models.py", "picked.py", "cell.py", "kept.py")
LOCK = "pyodide/pyodide-lock.json"
NOTICES = "THIRD-PARTY.txt"
TEMPLATE = "template.html"
# GitHub Pages, and many another host, knows it by this name.
NOT_FOUND = "404.html"

Files = dict[str, bytes]


@dataclass(frozen=True)
class Plan:
    """What one build was asked for."""

    pins: pins.Pins
    wheels: Path | None = None
    require_numpy: bool = False
    draft: bool = False  # for a look at an edit: without what takes long to make
    note: Callable[[str], None] = print
    root: Path = ROOT
    cache: Path = CACHE


def runtime_files(files: Files, plan: Plan) -> Files:
    """Add PyScript, Pyodide and the like, each package in its own folder."""
    npm = runtime.contents(plan.pins, plan.cache)
    packages = plan.pins.packages
    return files | {f"{each.folder}/{file.name}": npm[each.name, file.path] for each in packages for file in each.files}


def numpy_files(files: Files, plan: Plan) -> Files:
    """Add NumPy's wheel and its installer where they can be had, and let Pyodide's lock list just what is there."""
    lock, interpreter = files[LOCK], files["pyodide/pyodide.mjs"]
    try:
        found = wheels.contents(plan.pins, lock, interpreter, plan.wheels, plan.cache)
    except wheels.WheelError as error:
        if plan.require_numpy:
            raise
        plan.note(f"The page's cell will be without NumPy: {error}")
        found = {}
    added = {f"pyodide/{name}": data for name, data in found.items()}
    return files | added | {LOCK: wheels.reduced_lock(plan.pins, lock, found)}


def app_files(files: Files, plan: Plan) -> Files:
    """Add the archive of the page's Python and the model configurations, for a page that starts without a snapshot."""
    packed = archive.sources(plan.root, PACKED, (".py", ".json")) | _scripts(plan)
    return files | {"app.zip": archive.packed(packed)}


def start_files(files: Files, plan: Plan) -> Files:
    """Add the snapshot of a started Python, where there is a Node to make it with, and what restores it.

    Restored, it must make of the default state the very regions that this Python makes, else it is refused.
    """
    if not plan.pins.snapshot:
        return files
    made = dict(files)
    try:
        expected, make = regions(State()), not plan.draft
        made[SNAPSHOT] = snapshot.contents(files, _scripts(plan), expected, plan.cache, plan.pins.node, make=make)
    except snapshot.NoSnapshotError as error:
        plan.note(str(error))
    return made


def notice_files(files: Files, plan: Plan) -> Files:
    """Gather the licences of others into one text."""
    quoted = {f"{each.folder}/{file.name}" for each in plan.pins.packages for file in each.files if file.notice}
    text = notices.text(plan.pins, files)
    return {path: data for path, data in files.items() if path not in quoted} | {NOTICES: text.encode()}


def one_file_files(files: Files, plan: Plan) -> Files:
    """Add the edition in one file."""
    if not plan.pins.snapshot or plan.draft:
        return files
    site = plan.root / "site"
    known = document.with_own(site / TEMPLATE, files)
    known = document.start_modules(site, known, one_file.names, lock=wheels.emptied(files[LOCK]))
    said = {"csp": one_file.POLICY, "numpy": "", "preload": "", "one-file": ""}
    page = _page(plan, known, one_file.address, said)
    return files | {one_file.NAME: one_file.document(page, known, site)}


def page_files(files: Files, plan: Plan) -> Files:
    """Render the page, add those of the site's own files that its template names, and give all hashed names."""
    site = plan.root / "site"
    known = document.with_own(site / TEMPLATE, files)
    if plan.pins.snapshot:
        # Pyodide's lock goes into the interpreter module: one file less to wait for.
        lock = known.pop(LOCK)
        known = document.start_modules(site, known, _names, lock=lock)
    published = _published(known)
    texts = {key: sources.find(site, name).read_text("utf-8") for key, name in INSIDE.items()}
    policy = POLICY.format_map({key: document.allowance(f"\n{text}") for key, text in texts.items()})
    values = {"csp": policy, "numpy": document.numpy(files), "preload": document.preload(plan.pins, published)}
    values["one-file"] = one_file.link(files[one_file.NAME]) if one_file.NAME in files else ""
    page = _page(plan, known, published.__getitem__, values)
    return {published[path]: data for path, data in known.items()} | {"index.html": page.encode()}


def not_found_files(files: Files, plan: Plan) -> Files:
    """Add what a host answers with where there is no such file."""
    return files | {NOT_FOUND: (plan.root / "site" / NOT_FOUND).read_bytes()}


def offline_files(files: Files, plan: Plan) -> Files:
    """Add the service worker that keeps all of these files for later without a network."""
    source = sources.find(plan.root / "site", offline.NAME)
    spared = offline.spared(files)
    kept = {path: data for path, data in files.items() if path not in spared}
    return files | {offline.NAME: offline.worker(source, kept)}


def list_files(files: Files, _plan: Plan) -> Files:
    """Add the list of all these files with their hashes, which `--check` and the next build go by."""
    return files | {listing.NAME: listing.text(listing.hashes(files))}


# Each maps the files so far to the files from there on: logical paths before page_files, published ones after it.
STEPS: tuple[Callable[[Files, Plan], Files], ...] = (
    runtime_files,
    numpy_files,
    app_files,
    notice_files,
    start_files,
    one_file_files,
    page_files,
    not_found_files,
    offline_files,
    list_files,
)


def files(
    wheels: Path | None = None,
    *,
    runtime: Path = RUNTIME,
    require_numpy: bool = False,
    draft: bool = False,
    note: Callable[[str], None] = print,
) -> Files:
    """The whole site: path to bytes. `wheels` is a folder to look for NumPy in, `runtime` a file of pins.

    A `draft` is for a look at an edit: with a snapshot only where it is made already, without the edition in one file.
    """
    plan = Plan(pins.read(runtime), wheels, require_numpy, draft, note=note)
    made: Files = {}
    with cache.alone(plan.cache, print):  # a wait is no property of this site, of which `note` tells
        for step in STEPS:
            made = step(made, plan)
    return made


def write(made: Files, out: Path) -> None:
    """Make the folder `out` hold these files; what a former build left there goes, and nothing else."""
    output.write(made, out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, say what was made, and serve it if asked; 2 where it cannot be done."""
    parser = argparse.ArgumentParser(description="Build the site as plain files; needs a network once.")
    parser.add_argument("--open", action="store_true", help="serve the site on a free port and open the browser")
    parser.add_argument(
        "--serve", nargs="?", type=whole_number, const=0, metavar="PORT", help="serve it, building what is edited"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder to write (default: dist)")
    parser.add_argument("--wheels", type=Path, metavar="DIR", help="look here for NumPy's wheel before fetching it")
    parser.add_argument("--require-numpy", action="store_true", help="fail where NumPy cannot be had")
    parser.add_argument("--runtime", type=Path, default=RUNTIME, help="other pins (default: site/runtime.json)")
    parser.add_argument("--draft", action="store_true", help="make no snapshot and no edition in one file")
    parser.add_argument("--snapshot", action="store_true", help="served: make both anew at every edit, too")
    parser.add_argument("--check", type=Path, metavar="DIR", help="build nothing: verify a built or deployed folder")
    asked = parser.parse_args(arguments)
    try:
        if asked.check:
            return _checked(asked.check)
        before = watch.stamps(SOURCES)
        made = files(asked.wheels, runtime=asked.runtime, require_numpy=asked.require_numpy, draft=asked.draft)
        write(made, asked.out)
        print(_summary(made, asked.out, asked.runtime), flush=True)
        if asked.open or asked.serve is not None:
            with watch.following(SOURCES, before, _again(asked)):
                serve(asked.out, asked.serve or 0, browse=asked.open)
    except BuildError as error:
        print(f"build.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"build.py: {error.filename} cannot be read or written ({error.strerror}).", file=sys.stderr)
        return 2
    return 0


def _again(asked: argparse.Namespace) -> list[str]:
    """The command that builds the same once more, by a Python that takes no module of an edit's second for the edit."""
    given = [f"--out={asked.out}", f"--runtime={asked.runtime}"]
    given += [f"--wheels={asked.wheels}"] if asked.wheels else []
    given += ["--require-numpy"] if asked.require_numpy else []
    given += [] if asked.snapshot else ["--draft"]
    return [sys.executable, "-B", str(ROOT / "build.py"), *given]


def _checked(folder: Path) -> int:
    wrong = list(check.complaints(folder))
    for sentence in wrong:
        # On one line, whatever characters a name holds.
        print(f"{folder}: {sentence.encode('unicode_escape').decode('ascii')}", file=sys.stderr)
    if not wrong:
        print(f"{folder}: every hash, link and size is as it should be.")
    if others := check.of_hosts(folder):
        print(f"{folder}: a host's own and no part of the site: {', '.join(map(ascii, others))}.")
    return 1 if wrong else 0


def _scripts(plan: Plan) -> Files:
    return {name: sources.find(plan.root / "site", name).read_bytes() for name in SCRIPTS}


def _published(files: Mapping[str, bytes]) -> dict[str, str]:
    """The names under which files are published: with a hash, but for those that people call by name."""
    plain = {path: path for path in (NOTICES, one_file.NAME) if path in files}
    return names.hashed({path: data for path, data in files.items() if path not in plain}) | plain


def _names(files: Mapping[str, bytes]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    published = _published(files)
    return published, {path: f"./{name}" for path, name in published.items()}


def _page(plan: Plan, files: Files, address: Callable[[str], str], said: dict[str, str]) -> str:
    """The page with the default state in its regions, every file where `address` says, and what is `said` of it."""
    values = {f"region:{key}": marked(markup, State()) for key, markup in regions(State()).items()}
    if not said["numpy"]:
        values["region:cell"] = cell.without_numpy(values["region:cell"])
    values |= {f"asset:{path}": address(path) for path in files}
    values |= {f"text:{name}": sources.find(plan.root / "site", name).read_text("utf-8") for name in INSIDE.values()}
    values |= {"version": escape(anatomy.__version__)} | said | {"csp": escape(said["csp"], quote=False)}
    if plan.pins.packages:
        values |= {"config": escape(document.config(plan.pins, address)), "mpy-config": document.no_plugins()}
        values |= {"interpreter": address(document.interpreter(plan.pins))}
    optional = {"preload", "config", "mpy-config", "interpreter", "one-file"}
    optional |= {key for key in values if key.startswith(("asset:", "text:"))}
    source = plan.root / "site" / TEMPLATE
    return template.filled(source.read_text("utf-8"), values, optional=optional, file=f"site/{TEMPLATE}")


def _summary(made: Files, out: Path, runtime: Path) -> str:
    pinned = pins.read(runtime)
    size = sum(map(len, made.values()))
    carried = ", ".join(f"{package.name} {package.version}" for package in pinned.packages)
    numpy = next((f"NumPy {path.split('numpy-')[1].split('-')[0]}" for path in made if "/numpy-" in path), "no NumPy")
    return f"Wrote {out}: {len(made)} files, {size / 1e6:.1f} MB, with {carried} and {numpy}."


if __name__ == "__main__":
    sys.exit(main())
