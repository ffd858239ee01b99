"""What `trainplan serve` answers, what it refuses, and how it ends.

usage: python3 serve_test.py TRAINPLAN [CLASS...]   (all)
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from served import Served  # noqa: E402

PROGRAM = ""
MIB = 1 << 20
REQUESTS = 10_000


def send(server: Served, path: str, body: str, length: int) -> socket.socket:
    """A connection on which a request is sent that says a length of its body."""
    connection = socket.create_connection(("127.0.0.1", server.port))
    connection.sendall(f"POST {server.token}{path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
                       f"Content-Length: {length}\r\n\r\n{body}".encode())
    return connection


class Answers(unittest.TestCase):
    def test_files_and_commands(self) -> None:
        with Served(PROGRAM, "example:gpt3-175b", "--set", "job.global_batch=512") as server:
            files = {"": "<form", "serve.js": "startTables", "serve.css": ".slider", "report.css": "figure"}
            for path, has in files.items():
                status, text = server.ask(path)
                self.assertEqual((status, has in text), (200, True), path)
            reply = json.loads(server.ask("values", {"set": {"job.sequence": "4096"}})[1])
            job = json.loads(reply["out"])["scenario"]["job"]
            self.assertEqual((job["global_batch"], job["sequence"]), (512, 4096))
            page = json.loads(server.ask("plan", {})[1])["out"]
            words = [PROGRAM, "plan", "example:gpt3-175b.yaml", "--set", "job.global_batch=512", "--format", "html"]
            own = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            self.assertEqual(page, own)  # the same command, the same bytes
            on = json.loads(server.ask("machines", {"on": "dgx-h100,dgx-b200"})[1])
            self.assertIn("dgx-b200", on["out"])
            self.assertEqual(server.ask("nothing", {})[0], 404)

    def test_mistakes_have_places(self) -> None:
        with Served(PROGRAM, "example:gpt3-175b") as server:
            reply = json.loads(server.ask("plan", {"set": {"job.global_batch": "-3"}})[1])
            self.assertEqual(reply["status"], 1)
            (mistake,) = json.loads(reply["diagnostics"])["diagnostics"]
            self.assertEqual((mistake["file"], mistake["text"]), ("--set", "job.global_batch=-3"))
            for body, says in (('{"set":', "ends inside a value"), ("[]", "expected an object"), ('{"set": 3}', "set")):
                status, text = server.ask("plan", body)
                self.assertEqual((status, says in text), (400, True), text)

    def test_without_a_scenario_or_from_standard_input(self) -> None:
        with Served(PROGRAM) as server:
            reply = json.loads(server.ask("plan", {"set": {"model.use": "llama3-8b"}})[1])
            self.assertIn(reply["status"], (0, 3), reply["err"])

    def test_a_file_is_read_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            text = subprocess.run([PROGRAM, "init"], capture_output=True, text=True, check=True).stdout
            path = os.path.join(folder, "my.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            with Served(PROGRAM, "my.yaml", folder=folder) as server:
                before = json.loads(server.ask("values", {})[1])["status"]
                with open(path, "a", encoding="utf-8") as file:
                    file.write("nothing: 3\n")
                after = json.loads(server.ask("values", {})[1])["status"]
            self.assertEqual((before in (0, 3), after), (True, 1))


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Served(PROGRAM, "example:gpt3-175b")

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.__exit__()

    def test_each(self) -> None:
        here = f"127.0.0.1:{self.server.port}"
        other_token = "/" + "0" * (len(self.server.token) - 2) + "/plan"
        rows = [
            (403, "lacks the token", {"target": other_token, "body": "{}"}),
            (403, "lacks the token", {"target": "/", "body": None}),
            (403, "lacks the token", {"target": self.server.token[:-1], "body": None}),
            (403, "another origin", {"headers": {"Origin": "http://evil.example"}}),
            (403, "another origin", {"headers": {"Origin": f"https://{here}"}}),
            (403, "another origin", {"headers": {"Origin": "null"}}),
            (421, f"answers as {here} only", {"headers": {"Host": "evil.example"}}),
            (421, f"answers as {here} only", {"headers": {"Host": "127.0.0.1"}}),
            (405, "only GET and POST", {"method": "PUT"}),
            (405, "only GET and POST", {"method": "DELETE"}),
            (413, "more than 1048576 bytes", {"body": b" " * (MIB + 1)}),
            (431, "header has more than", {"headers": {"X-Long": "x" * 40_000}}),
        ]
        for status, says, how in rows:
            body = how.pop("body", "{}")
            got = self.server.ask("plan", body, **how)
            self.assertEqual((got[0], says in got[1]), (status, True), (how, got))
        # What is allowed differs from these by what is refused.
        for headers in ({}, {"Origin": f"http://{here}"}, {"Host": f"localhost:{self.server.port}"}):
            self.assertEqual(self.server.ask("plan", b"{}" + b" " * (MIB - 2), headers=headers)[0], 200)

    def test_other_texts_than_http(self) -> None:
        with socket.create_connection(("127.0.0.1", self.server.port)) as raw:
            raw.sendall(b"\x16\x03\x01 hello\r\n\r\n")
            self.assertIn(b" 400 ", raw.recv(4096))

    def test_slow_requests(self) -> None:
        begin = time.monotonic()
        with send(self.server, "plan", "{", 9) as slow:
            self.assertEqual(self.server.ask("plan", "{}")[0], 200)  # others are answered meanwhile
            text = slow.recv(4096).decode()
        self.assertIn(" 408 ", text)
        self.assertIn("more than 10000 ms", text)
        self.assertTrue(9 < time.monotonic() - begin < 20)

    def test_a_closed_browser(self) -> None:
        for _ in range(20):
            send(self.server, "plan", "{}", 2).close()
        self.assertEqual(self.server.ask("plan", "{}")[0], 200)

    def test_too_many_connections(self) -> None:
        open_ones = [socket.create_connection(("127.0.0.1", self.server.port)) for _ in range(80)]
        status, says = self.server.ask("plan", "{}")
        for one in open_ones:
            one.close()
        self.assertEqual((status, "64 connections" in says), (503, True))
        time.sleep(0.2)
        self.assertEqual(self.server.ask("plan", "{}")[0], 200)


class Ends(unittest.TestCase):
    def test_signals(self) -> None:
        for by in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with Served(PROGRAM, "example:gpt3-175b") as server:
                status, said = server.end(by)
                self.assertEqual((status, "control-C" in said), (0, True))

    def test_control_c_during_searches(self) -> None:
        for seconds in (0, 0.05, 0.3):
            with Served(PROGRAM, "example:gpt3-175b-search", "--pick", "first") as server:
                asked = [send(server, view, "{}", 2) for view in ("machines", "layouts", "plan")]
                time.sleep(seconds)
                self.assertEqual(server.end(signal.SIGINT)[0], 0)
                for connection in asked:
                    connection.close()

    def test_too_many_combinations(self) -> None:
        with Served(PROGRAM, "example:gpt3-175b") as server:
            many = {f"parallelism.{name}": str(list(range(1, 33))) for name in ("tp", "pp", "cp", "microbatch", "ep")}
            reply = json.loads(server.ask("layouts", {"set": many})[1])
            self.assertEqual((reply["status"] in (1, 4), "combinations" in reply["err"]), (True, True), reply["err"])

    def test_a_second_server_on_the_port(self) -> None:
        with Served(PROGRAM, "example:gpt3-175b") as server:
            with Served(PROGRAM, "example:gpt3-175b", "--port", str(server.port)) as second:
                said = second.process.stderr.read()
                self.assertEqual((second.process.wait(), second.address), (1, ""))
                self.assertIn(f"cannot listen on port {server.port} of 127.0.0.1: Address already in use", said)

    def test_a_wrong_scenario(self) -> None:
        with Served(PROGRAM, "example:gpt3-175b", "--set", "job.global_batch=-3") as server:
            self.assertEqual((server.address, server.process.wait()), ("", 1))
            self.assertIn("must be at least 1, got -3", server.process.stderr.read())


class Memory(unittest.TestCase):
    def test_it_does_not_grow(self) -> None:
        with Served(PROGRAM, "example:gpt3-175b", "--quiet") as server:
            connection = server.connection()
            after = {}
            for i in range(1, REQUESTS + 1):
                changes = {"job.global_batch": 512 * (1 + i % 97), "cluster.price": f"{1 + i / 1000} USD/h",
                           "cluster.gpus": 512 << (i % 4)}
                path = "machines" if i % 100 == 0 else "plan"
                status, _ = server.ask(path, {"set": {path: str(value) for path, value in changes.items()}}, on=connection)
                self.assertEqual(status, 200)
                if i in (REQUESTS // 10, REQUESTS):
                    after[i] = server.resident_bytes()
            connection.close()
        first, last = after[REQUESTS // 10], after[REQUESTS]
        print(f"{REQUESTS} requests: {first / MIB:.1f} MiB after a tenth of them, {last / MIB:.1f} MiB at the end")
        self.assertLess(last, first + MIB)


if __name__ == "__main__":
    PROGRAM = os.path.realpath(sys.argv.pop(1))
    unittest.main()
