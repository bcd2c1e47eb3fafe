"""A web server for the built site, on this machine's loopback address only."""

import contextlib
import functools
import os
import threading
import webbrowser
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from builder import offline
from builder.failure import BuildError

HOST = "127.0.0.1"


# A worker shows the version that it keeps. While a site is being edited, its page is asked for at every visit, and the
# one that is kept serves where nobody answers. The worker's own text, with its `answer`, follows.
_FRESH = b"""self.addEventListener("fetch", (event) => {
  if (event.request.mode !== "navigate") return;
  event.stopImmediatePropagation();
  event.respondWith(fetch(event.request).catch(() => answer(event.request)));
});
"""


class SiteHandler(SimpleHTTPRequestHandler):
    """Answers with the types that browsers insist on: a module of another type does not run, nor does WebAssembly."""

    protocol_version = "HTTP/1.1"
    # Written out, and alone decisive, since the types that a machine knows differ from machine to machine.
    kinds: ClassVar[dict[str, str]] = {
        ".bin": "application/octet-stream",
        ".css": "text/css; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".mjs": "text/javascript; charset=utf-8",
        ".png": "image/png",
        ".py": "text/x-python; charset=utf-8",
        ".svg": "image/svg+xml",
        ".txt": "text/plain; charset=utf-8",
        ".wasm": "application/wasm",
        ".webmanifest": "application/manifest+json",
        ".whl": "application/zip",
        ".zip": "application/zip",
    }

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        """The type of a file by its suffix."""
        return self.kinds.get(Path(path).suffix.lower(), "application/octet-stream")

    def end_headers(self) -> None:
        """Have the browser ask again each time, so that a rebuilt site is seen on reload."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (the base class names it so)
        """Stay quiet: the reader asked for a page, not for a log."""


class EditedHandler(SiteHandler):
    """Answers for a site that is being edited."""

    def do_GET(self) -> None:
        """The file; the service worker with a beginning of its own."""
        place = Path(self.translate_path(self.path))
        if place.name != offline.NAME or not place.is_file():
            super().do_GET()
            return
        data = _FRESH + place.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(place))
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class SiteServer(ThreadingHTTPServer):
    """A threaded server of one folder, which knows its own address."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = 0, handler: type[SiteHandler] = SiteHandler) -> None:
        try:
            super().__init__((HOST, port), functools.partial(handler, directory=str(folder)))
        except (OSError, OverflowError) as error:
            raise BuildError(f"port {port} cannot be used ({error}); give another, or 0 for a free one.") from error

    @property
    def url(self) -> str:
        """The address to type into a browser."""
        return f"http://{HOST}:{self.server_port}/"


@contextlib.contextmanager
def running(folder: Path) -> Iterator[str]:
    """Serve a folder from a thread of its own for as long as the block runs; gives its address."""
    with SiteServer(folder) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server.url
        finally:
            server.shutdown()
            thread.join()


def serve(out: Path, port: int, *, browse: bool) -> None:
    """Serve the folder until Ctrl-C, in a browser if asked."""
    with SiteServer(out, port, EditedHandler) as server:
        print(f"Serving it at {server.url} until Ctrl-C.", flush=True)
        if browse and not webbrowser.open(server.url):
            print("No browser could be opened: type that address into one.", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
