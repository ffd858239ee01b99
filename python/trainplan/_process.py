"""Runs the planner, and turns its words into Python's."""

from __future__ import annotations

import json
import os
import subprocess
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from trainplan._errors import AssertionFailed, Diagnostic, PlannerError, PlanWarning, ScenarioError, UsageError

Scenario = Union[Mapping[str, Any], str, "os.PathLike[str]"]

BINARY = Path(__file__).with_name("bin") / "trainplan"
_DONE, _MISTAKES, _USAGE, _NOT_FEASIBLE, _NOT_ASSERTED = 0, 1, 2, 3, 5


def input_of(scenario: Optional[Scenario]) -> Tuple[List[str], str]:
    """The argument that stands for a scenario, and standard input."""
    if scenario is None:
        return [], ""
    if isinstance(scenario, Mapping):
        return ["-"], json.dumps(scenario)
    name = os.fspath(scenario)
    return (["-"], name) if "\n" in name else ([name], "")


def flags_of(flags: Mapping[str, Any]) -> List[str]:
    """`top=3` is --top 3; True is a switch, a list or a dict a flag for each item; None and False are left out."""
    words: List[str] = []
    for name, value in flags.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, Mapping):
            for key, item in value.items():
                words += [flag, f"{key}={_text_of(item)}"]
        else:
            for item in value if isinstance(value, (list, tuple)) else [value]:
                words += [flag, str(item)]
    return words


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def start(words: List[str], **how: Any) -> "subprocess.Popen[str]":
    """Starts the planner. Raises OSError with the cause where this machine cannot run it."""
    try:
        return subprocess.Popen([str(BINARY), *words], stdin=subprocess.PIPE, text=True, encoding="utf-8", **how)
    except OSError as cause:
        raise OSError(cause.errno, f"this machine cannot run the planner of this package ({cause.strerror})",
                      str(BINARY)) from None


def ran(words: List[str], stdin: str) -> Tuple[int, str, str]:
    """Runs a command: its exit status, its JSON and its messages."""
    process = start([*words, "--format", "json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(stdin)
    return process.returncode, out, err


def document_of(words: List[str], stdin: str) -> Dict[str, Any]:
    """Runs a command and returns its document; raises what the exit status means."""
    status, out, err = ran(words, stdin)
    raise_mistakes(status, out, err)
    warn(err)
    return json.loads(out)


def raise_mistakes(status: int, out: str, err: str) -> None:
    """Raises unless there is a result. A plan that does not fit is one: its member `feasible` says so."""
    if status in (_DONE, _NOT_FEASIBLE) and out.strip():
        return
    if status == _USAGE:
        raise UsageError(err, status)
    document = json.loads(out) if out.lstrip().startswith("{") else {}
    if status == _NOT_ASSERTED:
        raise AssertionFailed(err, status, document)
    if status == _MISTAKES:
        raise ScenarioError(err, status, [Diagnostic.of(d) for d in document.get("diagnostics", [])])
    raise PlannerError(err, status)


def warn(err: str) -> None:
    """Each warning on standard error, with its hint, as one of Python's."""
    said: List[str] = []
    for line in err.splitlines():
        is_quoted = line.startswith(" ")  # a line of the scenario, or its caret
        if "warning: " in line and not is_quoted:
            said.append(line)
        elif said and line.startswith("hint: "):
            said[-1] += "; " + line
    for text in said:
        warnings.warn(text, PlanWarning, stacklevel=5)
