"""A host of the site that can be stopped and started again, given another version, and made to break off."""

import html
import re
import threading
from collections.abc import Callable, Mapping
from http.server import ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import build
from builder import offline, sources
from builder.server import HOST, SiteHandler

# Where a page's breaches of its own policy are told, by every engine and without a script of ours in the page.
VIOLATION = "violation"
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


class Host:
    """Serves a mapping of files; `cut` names those that break off midway, `types` other content types by suffix.

    `waits` holds files back midway until their event is set.
    `redirects` leads from addresses to others, `bounces` does so once.
    ``violations`` are the reports of what the page's policy forbids, requests to another origin among it.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.cut: set[str] = set()
        self.waits: dict[str, threading.Event] = {}
        self.types: dict[str, str] = {}
        self.redirects: dict[str, str] = {}
        self.bounces: dict[str, str] = {}
        self.asked: list[str] = []
        self.violations: list[str] = []
        self._heard = threading.Condition()
        self._port = 0
        self._server: _Server | None = None
        self.start()

    @property
    def url(self) -> str:
        """The address of its root."""
        return f"http://{HOST}:{self._port}/"

    def hear(self, path: str) -> None:
        """Note that a file was asked for."""
        self._note(self.asked, path)

    def await_request(self, path: str) -> None:
        """Wait until that file has been asked for."""
        self._await(lambda: path in self.asked, f"{path} was not asked for")

    def report(self, violation: str) -> None:
        """Note a breach of the page's policy."""
        self._note(self.violations, violation)

    def await_violation(self, of: str) -> None:
        """Wait until a breach that names this has been told."""
        self._await(lambda: any(of in one for one in self.violations), f"no breach of {of} was told")

    def _note(self, where: list[str], what: str) -> None:
        with self._heard:
            where.append(what)
            self._heard.notify_all()

    def _await(self, holds: Callable[[], bool], else_said: str) -> None:
        with self._heard:
            assert self._heard.wait_for(holds, timeout=60), else_said

    def start(self) -> None:
        """Answer, at the same address as before."""
        self._server = _Server(self, self._port)
        self._port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self) -> None:
        """Refuse connections from now on, and end those that are open."""
        if self._server:
            self._server.shutdown()
            self._server.end_connections()
            self._server.server_close()
            self._server = None


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, host: Host, port: int) -> None:
        self.host = host
        self.handlers: set[_Handler] = set()
        super().__init__((HOST, port), _Handler)

    def end_connections(self) -> None:
        for handler in list(self.handlers):
            handler.end()


class _Handler(SiteHandler):
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.handlers.add(self)

    def finish(self) -> None:
        self.server.handlers.discard(self)
        super().finish()

    def end(self) -> None:
        try:
            self.connection.shutdown(2)
        except OSError:
            return  # the browser was quicker

    def do_GET(self) -> None:  # noqa: N802 (the base class names it so)
        host = self.server.host
        path = urlsplit(self.path).path
        if elsewhere := host.bounces.pop(path, None) or host.redirects.get(path):
            self.send_response(302)
            self.send_header("Location", elsewhere)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path = path.removeprefix("/")
        if not path or path.endswith("/"):
            path += "index.html"
        host.hear(path)
        data = host.files.get(path)
        if data is None:
            self.send_error(404)
            return
        kind = host.types.get(Path(path).suffix) or self.guess_type(path)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if policy := path.endswith(".html") and _POLICY.search(data.decode()):
            reported = f"{html.unescape(policy[1])}; report-uri /{VIOLATION}"
            self.send_header("Content-Security-Policy-Report-Only", reported)
        self.end_headers()
        if path in host.cut:
            self.wfile.write(data[: len(data) // 2])
            self.wfile.flush()
            self.end()
            self.close_connection = True
        else:
            half = len(data) // 2
            self.wfile.write(data[:half])
            if path in host.waits:
                self.wfile.flush()
                host.waits[path].wait(60)
            self.wfile.write(data[half:])

    def do_POST(self) -> None:  # noqa: N802
        report = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == f"/{VIOLATION}":
            self.server.host.report(report)
        self.send_response(204)
        self.end_headers()

    def handle(self) -> None:
        try:
            super().handle()
        except (BrokenPipeError, ConnectionResetError):
            return  # the browser, or a test, ended the connection


def version(site: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    """The site with that name after its title, with a service worker of its own, as another deploy would have it."""
    files = {path: data for path, data in site.items() if path != offline.NAME}
    page = files["index.html"].decode()
    assert page.count("</h1>") == 1
    files["index.html"] = page.replace("</h1>", f" {name}</h1>").encode()
    return files | {offline.NAME: offline.worker(sources.find(build.SITE, offline.NAME), files)}
