"""`trainplan serve` in a process of its own, for the tests of its page and of what it refuses."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
from typing import Any, Dict, Optional, Tuple
from urllib.parse import urlsplit


class Served:
    """The server of some arguments. `address` ends in '/'."""

    def __init__(self, program: str, *arguments: str, folder: Optional[str] = None):
        self.process = subprocess.Popen([program, "serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True, cwd=folder)
        self.address = self.process.stdout.readline().strip()
        self.port = urlsplit(self.address).port
        self.token = urlsplit(self.address).path

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, *_: Any) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def end(self, by: signal.Signals = signal.SIGINT) -> Tuple[int, str]:
        """Its exit status, and what it wrote to standard error."""
        self.process.send_signal(by)
        said = self.process.stderr.read()
        return self.process.wait(timeout=20), said

    def connection(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def ask(self, path: str, body: Any = None, *, method: Optional[str] = None, headers: Optional[Dict[str, str]] = None,
            target: Optional[str] = None, on: Optional[http.client.HTTPConnection] = None) -> Tuple[int, str]:
        """The status and the text of a reply. `target`: in place of the token and the path."""
        connection = on or self.connection()
        data = body if body is None or isinstance(body, (str, bytes)) else json.dumps(body)
        connection.request(method or ("GET" if body is None else "POST"), target or self.token + path, data, headers or {})
        reply = connection.getresponse()
        text = reply.read().decode()
        if on is None:
            connection.close()
        return reply.status, text

    def resident_bytes(self) -> int:
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
