"""What a command that has no answer raises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, List, Mapping, Optional


class PlanWarning(UserWarning):
    """What the planner wants said beside a result."""


class PlannerError(Exception):
    """The planner ended without a result. `status` is its exit status."""

    def __init__(self, text: str, status: int):
        super().__init__(text.strip() or f"trainplan ended with status {status}")
        self.status = status


class UsageError(PlannerError):
    """A flag or a command that does not exist, or a value that a flag does not take."""


@dataclass(frozen=True)
class Diagnostic:
    """A mistake at its place. `file` is "<stdin>" for a dict; line and column begin at 1, and are None without a place."""

    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    severity: str
    message: str
    hint: str
    text: Optional[str] = None  # the line that has the mistake

    @classmethod
    def of(cls, member: Mapping[str, Any]) -> "Diagnostic":
        return cls(**{name: member.get(name) for name in cls.__dataclass_fields__})


class ScenarioError(PlannerError):
    """The scenario has mistakes: `diagnostics` holds each with its place and a hint."""

    def __init__(self, text: str, status: int, diagnostics: List[Diagnostic]):
        super().__init__(text, status)
        self.diagnostics = diagnostics


class AssertionFailed(PlannerError):
    """The plan, which `result` holds, breaks what the scenario asserts."""

    def __init__(self, text: str, status: int, result: Mapping[str, Any]):
        super().__init__(text, status)
        self.result = result
