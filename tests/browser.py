"""Chromium without a window, driven through the two pipes of --remote-debugging-pipe."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from typing import Any, Callable, Dict, List, Optional


class Browser:
    """One tab. `events` are the messages of the browser that answer nothing: console, requests, exceptions."""

    def __init__(self, program: str):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        # The browser reads from its descriptor 3 and writes to 4.
        shell = f'exec "$0" "$@" 3<&{read_commands} 4>&{write_answers}'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-background-networking", f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(read_commands, write_answers), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self.rest, self.count, self.session = b"", 0, None
        self.events: List[Dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: Any) -> None:
        self.call("Browser.close")
        self.process.wait(timeout=20)
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    def _message(self) -> Dict[str, Any]:
        while b"\0" not in self.rest:
            more = os.read(self.answers, 1 << 16)
            if not more:
                raise RuntimeError("the browser has ended")
            self.rest += more
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method: str, **params: Any) -> Dict[str, Any]:
        """A command of the protocol, and its result."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, script: str) -> Any:
        """The value of an expression of the page; a promise is awaited."""
        done = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(done["exceptionDetails"])
        return done["result"].get("value")

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)

    def seen(self, method: str, wanted: Optional[Callable[[Dict[str, Any]], bool]] = None) -> List[Dict[str, Any]]:
        """The parameters of the events of this kind so far."""
        params = [event["params"] for event in self.events if event.get("method") == method]
        return [one for one in params if wanted is None or wanted(one)]
