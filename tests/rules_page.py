"""Writes the table of docs/program-rules.md: what programs ask of a layout, from the profiles, with the two layouts of
tests/program_rules.tsv that tests/planner/plan/program_rules_test.cc plans. --check: only tells whether the page has it.

usage: python3 tests/rules_page.py TRAINPLAN [--check]   (from the root of the sources)
"""
import csv
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path("docs/program-rules.md")
BEGIN, END = "<!-- ./dev rules: from here -->", "<!-- to here -->"


def own_rules(trainplan, profile):
    """The rules that the profile writes itself: others extend it, and have them too."""
    if "\nrules:" not in pathlib.Path(f"scenarios/software/{profile}.yaml").read_text():
        return []
    shown = subprocess.run([trainplan, "show", f"software/{profile}", "--format", "json"], check=True, capture_output=True)
    return json.loads(shown.stdout).get("rules", [])


def releases(rule):
    said = [f"{end} {rule[end]}" for end in ("from", "until") if rule[end]]
    return " ".join(said) or "all"


def code(text):
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def table(trainplan):
    with open("tests/program_rules.tsv", encoding="utf-8") as file:
        cases = list(csv.DictReader(file, delimiter="\t"))
    lines = ["| profile | where | it needs | releases | source | refused, and taken |", "| --- | --- | --- | --- | --- | --- |"]
    for path in sorted(pathlib.Path("scenarios/software").glob("*.yaml")):
        for rule in own_rules(trainplan, path.stem):
            case = next(c for c in cases if c["part of the source"] in rule["source"])
            tried = f"{case['job']}: {code(case['refused'])}, and {code(case['taken'])}"
            cells = [path.stem, code(rule["when"]), code(rule["needs"]), releases(rule), rule["source"], tried]
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    new = f"{before}{BEGIN}\n\n{table(sys.argv[1])}\n\n{END}{after}"
    if "--check" not in sys.argv:
        PAGE.write_text(new, encoding="utf-8")
    elif new != text:
        sys.exit(f"{PAGE}: not what the profiles say; ./dev rules writes it")


main()
