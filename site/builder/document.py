"""The page's document and the files beside it: those that it names, hints for them, PyScript's configuration."""

import base64
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from html import escape
from pathlib import Path

from builder import names, sources, template
from builder.failure import BuildError
from builder.pins import Pins

INTERPRETER = "interpreter.mjs"
UNPACK = "unpack.mjs"
# The modules of the start in the order in which each can be told what those before it are called.
_START = ("restore.mjs", UNPACK, INTERPRETER)
SNAPSHOT = "python.bin"
# Plugins that PyScript would otherwise wait for before it starts Python; the page uses none of them.
_PLUGINS = ("deprecations-manager", "donkey", "py-editor", "py-game", "py-terminal")
_HINTS = {
    "module": '<link rel="modulepreload" href="{}">',
    "fetch": '<link rel="preload" as="fetch" crossorigin href="{}">',
}

# Texts of the site's own that name further files.
_TEMPLATES = (".webmanifest",)


def with_own(source: Path, files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files, and those beside the template at `source` that it names and the files lack."""
    made = dict(files)
    for name in template.assets(source.read_text("utf-8")):
        own = sources.find(source.parent, name)
        if name in made:
            continue
        if not own.is_file():
            raise BuildError(
                f"site/{source.name} names {{{{asset:{name}}}}}, but neither the runtime nor site/ has it."
            )
        if own.suffix in _TEMPLATES:
            made |= with_own(own, made)
            values = {f"asset:{path}": published for path, published in names.hashed(made).items()}
            text = template.filled(own.read_text("utf-8"), values, optional=set(values), file=f"site/{name}")
            made[name] = text.encode()
        else:
            made[name] = own.read_bytes()
    return made


def allowance(text: str) -> str:
    """What lets a script or style that stands in the page through its policy: a hash of its text.

    >>> allowance("alert('Hello, world.');")
    "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
    """
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def interpreter(pins: Pins) -> str:
    """The module that PyScript starts Python with: the site's own, where it is written for that Pyodide."""
    return INTERPRETER if pins.snapshot else "pyodide/pyodide.mjs"


def numpy(files: Iterable[str]) -> str:
    """The version of NumPy that lies in the site; nothing where there is none."""
    versions = [path.split("-")[1] for path in files if path.startswith("pyodide/numpy-")]
    return versions[0] if versions else ""


def start_modules(
    site: Path,
    files: Mapping[str, bytes],
    names: Callable[[Mapping[str, bytes]], tuple[Mapping[str, str], Mapping[str, str]]],
    *,
    lock: bytes,
) -> dict[str, bytes]:
    """The files and the modules that start Python, told where files are, how modules are imported, and Pyodide's lock.

    `names` gives every file's address and, for an import, its specifier.
    """
    made = dict(files)
    for name in _START:
        addresses, specifiers = names(made)
        values = {"lock": json.dumps(json.loads(lock), separators=(",", ":")), f"asset:{SNAPSHOT}": ""}
        values |= {f"size:{SNAPSHOT}": str(len(made.get(SNAPSHOT, b"")))}
        values |= {f"asset:{path}": address for path, address in addresses.items()}
        values |= {f"module:{path}": specifier for path, specifier in specifiers.items()}
        text = sources.find(site, name).read_text("utf-8")
        made[name] = template.filled(text, values, optional=set(values), file=f"site/{name}").encode()
    return made


def config(pins: Pins, address: Callable[[str], str]) -> str:
    """PyScript's configuration."""

    def shown(path: str) -> str:
        return address(path) if "://" in address(path) else f"./{address(path)}"

    made = {
        "interpreter": shown(interpreter(pins)),
        "packages_cache": "passthrough",
        "plugins": [f"!{name}" for name in _PLUGINS],
        "js_modules": {"main": {shown("idiomorph/idiomorph.esm.js"): "idiomorph"}},
    }
    if not pins.snapshot:
        made["files"] = {shown("app.zip"): "./*"}
    return json.dumps(made)


def no_plugins() -> str:
    """PyScript's configuration for MicroPython, which the page has none of: else it loads all plugins for that too."""
    return json.dumps({"plugins": [f"!{name}" for name in ("error", *_PLUGINS)]})


def preload(pins: Pins, published: Mapping[str, str]) -> str:
    """What the start begins with: hints that let a browser fetch files side by side and not one after another."""
    wanted = {f"{each.folder}/{file.name}": file.preload for each in pins.packages for file in each.files}
    first = ""
    if SNAPSHOT in published:
        # The one file that is no module, a worker of this module's fetches and unpacks.
        wanted = {path: kind for path, kind in wanted.items() if kind != "fetch"}
        first = f'<script type="module" src="{escape(published[UNPACK])}"></script>\n'
    elif pins.packages:
        wanted |= {"pyodide/python_stdlib.zip": "fetch", "app.zip": "fetch"}
    if pins.snapshot:
        wanted |= {"restore.mjs": "module", UNPACK: "module", INTERPRETER: "module"}
    return first + "\n".join(_HINTS[kind].format(escape(published[path])) for path, kind in wanted.items() if kind)
