#!/usr/bin/env python3
"""Writes the tables of docs/accuracy/ that `trainplan validate` prints anew.

usage: tables.py TRAINPLAN FOLDER [ERRORS.json]
FOLDER: holds the tables of runs that the pages name (runs.csv, ...); ERRORS.json: what `calibrate errors --format json`
printed, for the tables of intervals.

Three kinds of tables are known by their first columns:
  | what | selection | ...         the figures of the rows that a condition selects
  | without | how | ...            the same with `--set`, of the selections of the line `trainplan validate` above it
  | group | rows | predicted | ... the groups of the line `trainplan validate FILE --where CONDITION` above it
GOLD and GOLD5 in a condition stand for what docs/accuracy/runs.md says they are.
"""
import functools
import json
import pathlib
import re
import shlex
import subprocess
import sys

trainplan, folder = sys.argv[1], pathlib.Path(sys.argv[2])
errors = json.loads(pathlib.Path(sys.argv[3]).read_text()) if len(sys.argv) > 3 else None
pages = [pathlib.Path(__file__).parents[2] / "docs/accuracy" / f"{name}.md" for name in ("runs", "groups", "layouts", "misses")]
text = pages[0].read_text()
names = {
    "GOLD": re.search(r"`GOLD` below stands for\n\n    (.*)\n", text).group(1),
    "GOLD5": re.search(r"`GOLD5` is `([^`]*)`", text).group(1),
}
KEYS = {
    "MAPE": "mape",
    "largest": "max_ape",
    "max": "max_ape",
    "bias": "bias",
    "within 10 %:": "within_10_percent",
    "inside the 80 % interval:": "inside_interval",
    "median": "median_ape",
    "mean of groups": "mean_group_mape",
    "memory MAPE": "memory_mape",
    "error": "memory_mape",
    "memory": "memory_mape",
}


@functools.cache
def score(arguments):
    words = [names.get(word, word) for word in arguments]
    command = [trainplan, "validate", str(folder / words[0]), "--quiet", "--format", "json", *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True)
    if not done.stdout:
        sys.exit(f"{shlex.join(command)}: {done.stderr}")
    return json.loads(done.stdout)


def percent(share):
    return "" if share is None else f"{100 * share:.1f} %"


def cells(line):
    return [cell.strip() for cell in line.strip("| \n").split(" | ")] if line.startswith("|") else []


def row(values):
    return "| " + " | ".join(values) + " |"


def count(figures):
    predicted, rows = figures["predicted"], figures["rows"]
    return str(predicted) if predicted == rows else f"{predicted} of {rows}"


def figure_cell(name, old, figures):
    """A cell of a column called `name`; one called 'figure' names its figures itself."""
    if name in KEYS:
        return percent(figures[KEYS[name]])
    if name == "figure":
        if not old.startswith("MAPE"):
            return percent(figures["memory_mape"])
        for label, key in KEYS.items():
            old = re.sub(rf"(?<![a-z]){re.escape(label)} -?[\d.]+ %", lambda _: f"{label} {percent(figures[key])}", old)
    return old


def selections(header, body):
    for line in body:
        what, selection, _, *rest = cells(line)
        figures = score(("runs.csv", "--where", selection.strip("`")))["summary"]
        named = zip(header[3:], rest)
        yield row([what, selection, count(figures), *(figure_cell(name, old, figures) for name, old in named)])


def ablations(header, body, command):
    for line in body:
        what, how, *rest = cells(line)
        scored = score(command + tuple(shlex.split(how.strip("`"))))
        by_group = {group["group"]: group for group in scored["groups"]}
        made = []
        for name, old in zip(header[2:], rest):
            group, _, figure = name.rpartition(" ")
            made.append(figure_cell(figure, old, by_group[group] if group else scored["summary"]))
        yield row([what, how, *made])


def groups(header, command):
    scored = score(command)
    for group in scored["groups"]:
        yield row([group["group"], str(group["rows"]), str(group["predicted"]),
                   *(figure_cell(name, "", group) for name in header[3:])])
    if len(header) == 6:
        summary = scored["summary"]
        yield row(["all", str(summary["rows"]), str(summary["predicted"]),
                   *(figure_cell(name, "", summary) for name in header[3:])])


def classes(header, which):
    for one in errors[which]:
        figures = (one[key] for key in ("mean", "median", "bias", "inside_80", "half_width"))
        yield row([one["name"], str(one["rows"]), *(percent(figure) for figure in figures)])


def own_runs(header, body):
    for one in errors["own"]:
        figures = (one[key] for key in ("mean", "median", "inside_80", "half_width"))
        yield row([one["name"], str(one["rows"]), *(percent(figure) for figure in figures)])


def rewritten(lines):
    command, at, tables = None, 0, iter(("family_left_out", "group_left_out", "in_sample"))
    while at < len(lines):
        line = lines[at]
        if found := re.search(r"`trainplan validate ([^`]*)`", line):
            command = tuple(word for word in shlex.split(found.group(1)) if word != "--quiet")
        header = cells(line)
        at += 1
        yield line
        of_errors = errors and header[:2] in (["class", "rows"], ["own runs", "rows"])
        if not of_errors and header[:2] not in (
            ["what", "selection"], ["memory", "selection"], ["without", "how"], ["group", "rows"]
        ):
            continue
        yield lines[at]
        end = at + 1
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        body, at = lines[at + 1 : end], end
        if header[0] == "class":
            yield from classes(header, next(tables))
        elif header[0] == "own runs":
            yield from own_runs(header, body)
        elif header[1] == "selection":
            yield from selections(header, body)
        elif header[1] == "how":
            yield from ablations(header, body, command)
        elif header[2] == "predicted":
            yield from groups(header, command)
        else:
            yield from body


for page in pages:
    page.write_text("\n".join(rewritten(page.read_text().split("\n"))))
