"""Plans the training of large models: step time with an interval, memory, cost.

A scenario is a dict, the name of a file, "example:NAME", or text of several lines. Every function runs the planner that
this package carries, and returns what the command of its name prints with --format json.
"""

from trainplan._errors import AssertionFailed, Diagnostic, PlannerError, PlanWarning, ScenarioError, UsageError
from trainplan._commands import check, clusters, compare, plan, run, schema, search, sweep, version

__all__ = [
    "AssertionFailed",
    "Diagnostic",
    "PlanWarning",
    "PlannerError",
    "ScenarioError",
    "UsageError",
    "check",
    "clusters",
    "compare",
    "plan",
    "run",
    "schema",
    "search",
    "sweep",
    "version",
]
