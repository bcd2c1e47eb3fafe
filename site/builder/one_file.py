"""The edition in one file: the page with everything it needs inside, to be opened from a disk without a network."""

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path

from builder import archive, sources, template
from builder.failure import BuildError
from builder.snapshot import pyscript_chunk

NAME = "transformer-anatomy.html"
# Addresses of what the file holds. The name belongs to nobody (RFC 2606), and the policy lets nothing be asked anyway.
HOME = "https://held.invalid/"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob: data:; style-src 'unsafe-inline'; "
    "img-src data: blob:; connect-src blob: data:; worker-src blob: data:; base-uri 'none'; form-action 'none'"
)

# In the text of PyScript's worker: on file:// its own address is no base for others, and modules are imported as data.
# Each must stand in PyScript's chunk just twice: once in its page's code, once in its worker's.
IN_WORKER = (
    ('t.replace(/^blob:/,"")', 't.replace(/^blob:null/,"file://").replace(/^blob:/,"")'),
    ("module:import(o)", "module:import(self.oneFileModule(o))"),
)
# Held as they are, since they are compressed already.
_PACKED = (".bin", ".zip")
_HELD = ("python.bin", "pyodide/python_stdlib.zip", "app.zip", "cell_worker.py")
_WASM = "pyodide/pyodide.asm.wasm"  # in python.bin, where there is that


def address(path: str) -> str:
    """Where the page believes that file to be."""
    return HOME + path


def specifier(path: str) -> str:
    """What modules call that module."""
    return f"#{path}"


def names(files: Mapping[str, bytes]) -> tuple[dict[str, str], dict[str, str]]:
    """Every file's address, and its specifier for an import."""
    return {path: address(path) for path in files}, {path: specifier(path) for path in files}


def document(page: str, files: Mapping[str, bytes], site: Path) -> bytes:
    """The whole file: `page` is the page filled in with `address`, `files` has interpreter.mjs filled in likewise."""
    wanted = _HELD if "python.bin" in files else (_WASM, *_HELD[1:])
    held = {path: files[path] for path in (*wanted, "THIRD-PARTY.txt")}
    held["modules.json"] = json.dumps(_modules(files)).encode()
    text = {name: _text(sources.find(site, name)) for name in ("offline.js", "one_file.js")}
    worker = _filled(sources.find(site, "one_file_worker.js"), {"home": HOME, "replaced": json.dumps(IN_WORKER)})
    text["one_file.js"] = _filled(sources.find(site, "one_file.js"), {"home": HOME})
    icon = base64.b64encode(_text(site / "icon.svg").encode()).decode()
    # Each of the page's own references to a file, and what stands in its place here.
    replaced = {
        '<html lang="en"': '<html lang="en" data-edition="one file"',
        f'<link rel="icon" type="image/svg+xml" href="{address("icon.svg")}">': (
            f'<link rel="icon" type="image/svg+xml" href="data:image/svg+xml;base64,{icon}">'
        ),
        f'<link rel="manifest" href="{address("app.webmanifest")}">': "",
        f'<script type="module" src="{address("interpreter.mjs")}"></script>\n': "",
        f'<script type="module" src="{address("pyscript/core.js")}"></script>': _script(text["one_file.js"]),
        f'<script type="module" src="{address("offline.js")}"></script>': "",
        f'href="{address("app.zip")}"': 'data-held="app.zip" download="app.zip"',
        f'href="{address("THIRD-PARTY.txt")}"': 'data-held="THIRD-PARTY.txt"',
        "</body>": "\n".join(
            [
                *(_data(path, data) for path, data in held.items()),
                f'<script type="text/plain" id="inside-worker">{_safe(worker)}</script>',
                # In a function, since it has names of its own for what boot.js names too.
                _script(f"(() => {{\n{text['offline.js']}}})();\n"),
                "</body>",
            ]
        ),
    }
    for old, new in replaced.items():
        if page.count(old) != 1:
            raise BuildError(f"the edition in one file: {old} stands {page.count(old)} times in the page, not once.")
        page = page.replace(old, new)
    return page.encode()


def link(data: bytes) -> str:
    """The link to the file for the page's footer, with its size."""
    return f'<a href="{NAME}" download>Download for offline use</a> (one file, {len(data) / 1e6:.0f} MB)'


def _modules(files: Mapping[str, bytes]) -> dict[str, str]:
    """Every module's text by the specifier that others import it by."""
    made = {}
    chunk = pyscript_chunk(files)
    for path, data in files.items():
        if not path.startswith("pyscript/") or not path.endswith(".js"):
            continue
        text = data.decode()
        if path == chunk:
            for old, _ in IN_WORKER:
                found = text.count(old)
                if found != 2:
                    raise BuildError(f"the edition in one file: {old} stands {found} times in {path}, not twice.")
        text = re.sub(r'((?:from|import|import\()\s*)"\./([^"]+)"', rf'\1"{specifier("pyscript/")}\2"', text)
        made[specifier(path)] = text
    for path in (
        "pyodide/pyodide.mjs",
        "pyodide/pyodide.asm.mjs",
        "fzstd/index.mjs",
        "restore.mjs",
        "unpack.mjs",
    ):
        made[specifier(path)] = files[path].decode()
    made[address("interpreter.mjs")] = files["interpreter.mjs"].decode()
    made[address("idiomorph/idiomorph.esm.js")] = files["idiomorph/idiomorph.esm.js"].decode()
    return {name: re.sub(r"\n//# sourceMappingURL=.*", "", text) for name, text in made.items()}


def _data(path: str, data: bytes) -> str:
    packed = "" if path.endswith(_PACKED) else " data-gzip"
    body = base64.b64encode(archive.gzipped(data) if packed else data).decode()
    return f'<script type="application/octet-stream" data-file="{path}"{packed}>{body}</script>'


def _script(text: str) -> str:
    return f"<script>\n{_safe(text)}</script>"


def _safe(text: str) -> str:
    if "</script" in text or "<!--" in text:
        raise BuildError("the edition in one file: a script's text would end its element early.")
    return text


def _text(path: Path) -> str:
    return path.read_text("utf-8")


def _filled(path: Path, values: Mapping[str, str]) -> str:
    return template.filled(_text(path), values, optional=set(), file=f"site/{path.name}")
