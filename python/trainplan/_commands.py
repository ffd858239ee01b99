"""The commands, each a function."""

from __future__ import annotations

import json
import subprocess
import tempfile
from typing import Any, Dict, Iterator, List, Mapping, Optional

from trainplan._errors import Diagnostic
from trainplan._process import BINARY, Scenario, document_of, flags_of, input_of, raise_mistakes, ran, start, warn

Changes = Mapping[str, Any]


def run(command: str, *scenarios: Scenario, **flags: Any) -> Dict[str, Any]:
    """Runs any command: run("roadmap", scenario, preset="flop-vs-bw"). At most one scenario is a dict or a text."""
    words: List[str] = []
    stdin = ""
    for scenario in scenarios:
        names, text = input_of(scenario)
        if text and stdin:
            raise ValueError("one scenario may be a dict or a text: write the other into a file")
        words, stdin = words + names, text or stdin
    return document_of([command, *words, *flags_of(flags)], stdin)


def plan(scenario: Scenario, *, set: Optional[Changes] = None, **flags: Any) -> Dict[str, Any]:
    """The plan of one configuration: step, breakdown, memory, throughput, cost. `feasible` says whether it fits."""
    return run("plan", scenario, set=set, **flags)


def search(scenario: Scenario, *, set: Optional[Changes] = None, **flags: Any) -> Dict[str, Any]:
    """The best plans among all choices that the scenario leaves open."""
    return run("search", scenario, set=set, **flags)


def clusters(scenario: Scenario, *, set: Optional[Changes] = None, **flags: Any) -> Dict[str, Any]:
    """Machines side by side, each with its best layout: on="p5*"."""
    return run("clusters", scenario, set=set, **flags)


def compare(a: Scenario, b: Scenario, *, set: Optional[Changes] = None, **flags: Any) -> Dict[str, Any]:
    """Two plans, and what each difference is worth."""
    return run("compare", a, b, set=set, **flags)


def sweep(scenario: Scenario, *, set: Optional[Changes] = None, **flags: Any) -> Iterator[Dict[str, Any]]:
    """A row for each combination of the choices, as it is made. Closing the iterator ends the planner."""
    names, text = input_of(scenario)
    words = ["sweep", *names, *flags_of({"set": set, **flags}), "--format", "ndjson"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        process = start(words, stdout=subprocess.PIPE, stderr=said)
        try:
            process.stdin.write(text)
            process.stdin.close()
            for line in process.stdout:
                yield _row_of(line)
            process.wait()
            said.seek(0)
            err = said.read()
            if process.returncode:
                raise_mistakes(process.returncode, "", err)
            warn(err)
        finally:
            process.kill()
            process.stdout.close()
            process.wait()


def _row_of(line: str) -> Dict[str, Any]:
    row = json.loads(line)
    del row["format"]
    return row


def check(scenario: Scenario, **flags: Any) -> List[Diagnostic]:
    """Every mistake and warning of a scenario; empty: there is none."""
    names, text = input_of(scenario)
    status, out, err = ran(["check", *names, *flags_of(flags)], text)
    if not out.strip():
        raise_mistakes(status, out, err)
    return [Diagnostic.of(d) for d in json.loads(out)["diagnostics"]]


def schema(kind: str = "scenario") -> Dict[str, Any]:
    """The JSON Schema of a scenario, a catalogue file, or of what a command prints: "output/plan"."""
    return document_of(["schema", kind], "")


def version() -> str:
    """The planner's version."""
    return subprocess.run([str(BINARY), "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[1]


def main() -> None:
    """The command line: this process becomes the planner."""
    import os
    import sys

    os.execv(BINARY, ["trainplan", *sys.argv[1:]])
