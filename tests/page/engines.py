"""Firefox and WebKitGTK as Debian has them, driven by the W3C's protocols: BiDi and WebDriver."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from websockets.sync.client import ClientConnection, connect

START = 90  # seconds for a browser to come up
PATIENCE = 180  # seconds for anything that the page is asked to come to
# Resolves when the condition holds; the page itself watches for it.
UNTIL = """new Promise((resolve, reject) => {
  const end = performance.now() + %d;
  const look = () => {
    let held = null;
    try { held = (%s); } catch (error) { held = null; }
    if (held) resolve(JSON.stringify(held));
    else if (performance.now() > end) reject(new Error("in vain: " + %s));
    else setTimeout(look, 25);
  };
  look();
})"""
SCREEN = (1280, 900)
# What engines say when a page goes while it is asked something.
LEFT = ("before the unload event", "no such frame", "destroyed", "discarded")


class Engine(Protocol):
    """What the tests ask of a browser."""

    def open(self, url: str) -> None:
        """Navigate there, and wait for the document to be loaded."""

    def run(self, expression: str) -> str | None:
        """The value of a JavaScript expression that is a text, or a promise of one."""

    def act(self, actions: list[dict[str, Any]]) -> None:
        """Perform the W3C's input actions."""


class Browser:
    """A page in some engine, in the words of the tests."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def open(self, url: str) -> None:
        """Navigate there."""
        self._engine.open(url)

    def until(self, condition: str) -> Any:
        """Wait until a JavaScript expression is true of the page, or of the one after it; gives its value."""
        expression = UNTIL % (PATIENCE * 1000, condition, json.dumps(condition))
        for _ in range(3):
            try:
                return json.loads(self._engine.run(expression) or "null")
            except AssertionError as error:
                if not any(words in str(error) for words in LEFT):
                    raise
        raise AssertionError(f"the page was left again and again: {condition}")

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression now."""
        return json.loads(self._engine.run(f"JSON.stringify({expression})") or "null")

    def click(self, selector: str) -> None:
        """Click with the mouse in the middle of an element."""
        x, y = self.until(
            f"""(() => {{
              const element = document.querySelector({json.dumps(selector)});
              element.scrollIntoView({{ block: "center", behavior: "instant" }});
              const box = element.getBoundingClientRect();
              return box.width && [Math.round(box.x + box.width / 2), Math.round(box.y + Math.min(box.height / 2, 15))];
            }})()"""
        )
        move = {"type": "pointerMove", "x": x, "y": y, "origin": "viewport"}
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [move, *press]}
        self._engine.act([mouse])

    def type(self, text: str) -> None:
        """Type text where the focus is."""
        strokes = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._engine.act([{"type": "key", "id": "keys", "actions": strokes}])

    def set(self, selector: str, value: str) -> None:
        """Give a control a value as its user would, but for the way there."""
        self.value(
            f"""(() => {{
              const control = document.querySelector({json.dumps(selector)});
              control.value = {json.dumps(value)};
              for (const kind of ["input", "change"]) control.dispatchEvent(new Event(kind, {{ bubbles: true }}));
            }})()"""
        )


class _Firefox:
    """One tab of Firefox, over BiDi."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._count = 0
        self._ask("session.new", {"capabilities": {}})
        self._context = self._ask("browsingContext.create", {"type": "tab"})["context"]
        size = {"width": SCREEN[0], "height": SCREEN[1]}
        self._ask("browsingContext.setViewport", {"context": self._context, "viewport": size})

    def open(self, url: str) -> None:
        self._ask("browsingContext.navigate", {"context": self._context, "url": url, "wait": "complete"})

    def run(self, expression: str) -> str | None:
        target = {"context": self._context}
        found = self._ask("script.evaluate", {"expression": expression, "target": target, "awaitPromise": True})
        if found["type"] == "exception":
            raise AssertionError(found["exceptionDetails"]["text"])
        value = found["result"].get("value")
        return value if isinstance(value, str) else None

    def act(self, actions: list[dict[str, Any]]) -> None:
        self._ask("input.performActions", {"context": self._context, "actions": actions})

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._count += 1
        self._socket.send(json.dumps({"id": self._count, "method": method, "params": params}))
        while True:
            said = json.loads(self._socket.recv(timeout=PATIENCE + 30))
            if said.get("id") == self._count:
                if said["type"] == "error":
                    raise AssertionError(f"{method}: {said['message']}")
                return said["result"]


class _WebDriver:
    """One window of a browser, over WebDriver."""

    def __init__(self, address: str, capabilities: dict[str, Any]) -> None:
        self._address = address
        made = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}}, timeout=START)
        self._session = f"/session/{made['sessionId']}"
        self._ask("POST", f"{self._session}/timeouts", {"script": (PATIENCE + 30) * 1000})

    def open(self, url: str) -> None:
        self._ask("POST", f"{self._session}/url", {"url": url})

    def run(self, expression: str) -> str | None:
        done = "(it) => arguments[0]([it]), (error) => arguments[0]([null, `${error}`])"
        script = f"Promise.resolve({expression}).then({done})"
        value, *error = self._ask("POST", f"{self._session}/execute/async", {"script": script, "args": []})
        if error:
            raise AssertionError(error[0])
        return value if isinstance(value, str) else None

    def act(self, actions: list[dict[str, Any]]) -> None:
        self._ask("POST", f"{self._session}/actions", {"actions": actions})

    def close(self) -> None:
        self._ask("DELETE", self._session)

    def _ask(self, method: str, path: str, body: dict[str, Any] | None = None, timeout: float = PATIENCE + 60) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._address + path, data, {"Content-Type": "application/json"}, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode()}") from None


def _program(*names: str) -> str:
    for name in names:
        if found := shutil.which(name):
            return found
        for place in Path("/usr/lib").glob(f"*/webkit2gtk-4*/{name}"):
            return str(place)
    raise AssertionError(f"{names[0]} is not installed; on Debian: apt-get install firefox-esr webkit2gtk-driver xvfb")


def _line(process: subprocess.Popen[str], pattern: str) -> str:
    """What a program says about itself when it is up."""
    assert process.stderr
    for line in process.stderr:
        if found := re.search(pattern, line):
            return found[1]
    raise AssertionError(f"{process.args!r} ended without saying {pattern}")


@contextmanager
def firefox() -> Iterator[Browser]:
    """Firefox without a screen."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        settings = {
            "app.update.disabledForTesting": True,
            "browser.safebrowsing.downloads.remote.enabled": False,
            "network.captive-portal-service.enabled": False,
            "network.connectivity-service.enabled": False,
            "services.settings.server": "data:,#remote-settings-dummy/v1",
            "toolkit.telemetry.server": "",
        }
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in settings.items()]
        (Path(profile) / "user.js").write_text("".join(lines), "utf-8")
        program = _program("firefox-esr", "firefox")
        command = [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        try:
            address = _line(process, r"WebDriver BiDi listening on (ws://\S+)")
            with connect(f"{address}/session", max_size=None) as socket:
                yield Browser(_Firefox(socket))
        finally:
            process.terminate()
            process.communicate()


@contextmanager
def webkit() -> Iterator[Browser]:
    """WebKitGTK's own small browser, on a screen that nobody sees."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        numbers, write = os.pipe()
        screen = [_program("Xvfb"), "-displayfd", str(write), "-screen", "0", "1400x1000x24"]
        xvfb = subprocess.Popen(screen, pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        # To the end of the line: Xvfb dies if nobody reads all that it says.
        with os.fdopen(numbers) as told:
            display = f":{told.readline().strip()}"
        environment = os.environ | {
            "DISPLAY": display,
            "HOME": home,
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "NO_AT_BRIDGE": "1",
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
            "XDG_RUNTIME_DIR": home,
        }
        port = _free_port()
        driver = subprocess.Popen([_program("WebKitWebDriver"), f"--port={port}"], env=environment)
        options = {"binary": _program("MiniBrowser"), "args": ["--automation"]}
        try:
            _await_driver(port)
            engine = _WebDriver(f"http://127.0.0.1:{port}", {"webkitgtk:browserOptions": options})
            yield Browser(engine)
            engine.close()
        finally:
            for process in (driver, xvfb):
                process.terminate()
                process.wait()


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _await_driver(port: int) -> None:
    """Wait until the driver answers."""
    end = time.monotonic() + START
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/status", timeout=START).close()
            return
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


ENGINES = {"firefox": firefox, "webkit": webkit}
