#!/usr/bin/env python3
"""Prints the families of planner/plan/memory_fit.cc: what measured peaks of memory came to over predicted ones.

    tests/accuracy/memory_errors.py TRAINPLAN RUNS.csv [COLD.csv]

RUNS.csv is a table of `trainplan validate`; COLD.csv one of scenarios beside it (file, framework, memory_measured).
A family is a profile of software, a group its rows of one source. log(measured / predicted) is F + G + E, normal with
spreads s_F between families, s_G between groups and s_E within one, the likeliest. A profile without rows has those of
its nearest lineage (`extends`)."""
import csv, json, math, os, pathlib, subprocess, sys

DEVICE = {"primus"}   # frameworks of COLD.csv that print what the device has given out; the others print reserved memory
STAND_INS = {"other"}        # of programs without a profile: one says of the next as little as a family of another
ALONE = STAND_INS | {"primus"}  # and of other makers' accelerators: nothing of the lineage
OWN = 4               # a family's own spread counts for as much as the common one from so many rows on
GIB = 2**30


def run(*command):
    out = subprocess.run(command, capture_output=True, text=True).stdout
    try:
        return json.loads(out)
    except ValueError:
        return None


def of_runs(program, table):
    """(software, log error, probability of fitting) of every row."""
    for row in run(program, "validate", table, "--quiet", "--format", "json")["rows"]:
        if row["skipped"] is not None:
            continue
        doubtful = row["id"] in OUTLIERS
        measured = row["measured_memory_bytes"] if row["memory_kind"] and not doubtful else None
        error = math.log(measured / row["predicted_memory_bytes"]) if measured else None
        yield row["software"], (row["group"], error), row["fit_probability"], row["id"]


def of_cold(program, table):
    folder = pathlib.Path(table).parent
    for row in csv.DictReader(open(table)):
        plan = run(program, "plan", str(folder / row["file"]), "--format", "json") if row["file"] else None
        if not plan or not plan.get("memory"):
            continue
        memory, kind = plan["memory"], "device" if row["framework"] in DEVICE else "reserved"
        measured = float(row["memory_measured"]) * GIB if row["memory_measured"] else None
        error = math.log(measured / memory[kind + "_bytes"]) if measured else None
        yield plan["scenario"]["software"]["name"], (row["source"], error), memory["fit"]["probability"], row["file"]


def groups_of(rows):
    """Mean, number and squares around the mean of each group."""
    groups = {}
    for group, error in rows:
        groups.setdefault(group, []).append(error)
    out = []
    for errors in groups.values():
        mean = sum(errors) / len(errors)
        out.append((mean, len(errors), sum((x - mean) ** 2 for x in errors)))
    return out


def likelihood(families, f2, g2, e2):
    """Of the rows of all families, the constant left out."""
    total = 0
    for groups in families:
        weights = [1 / (g2 + e2 / n) for _, n, _ in groups]
        mean = sum(w * m for w, (m, _, _) in zip(weights, groups)) / sum(weights)
        total -= math.log(1 + f2 * sum(weights)) + mean**2 / (f2 + 1 / sum(weights))
        for w, (m, n, squares) in zip(weights, groups):
            total += math.log(w) - w * (m - mean) ** 2 - (n - 1) * math.log(e2) - squares / e2
    return total / 2


def spreads(families):
    """Variances between families, groups and rows: the likeliest."""
    at = [math.log(0.01)] * 3
    step = 1.0
    of = lambda point: likelihood(families, *map(math.exp, point))
    while step > 1e-4:
        tried = [at[:i] + [at[i] + d] + at[i + 1:] for i in range(3) for d in (-step, step)]
        best = max(tried, key=of)
        if of(best) > of(at):
            at = best
        else:
            step /= 2
    return [math.exp(x) for x in at]


def family(groups, f2, g2, e2):
    """Shrunken mean and standard deviation of the next run, which is of another group."""
    weights = [1 / (g2 + e2 / n) for _, n, _ in groups]
    left = 1 / (1 / f2 + sum(weights))
    mean = left * sum(w * m for w, (m, _, _) in zip(weights, groups))
    free = sum(n - 1 for _, n, _ in groups)
    within = (OWN * e2 + sum(squares for _, _, squares in groups)) / (OWN + free)
    return mean, math.sqrt(left + g2 + within)


def lineage():
    """Profile -> what it extends."""
    out = {}
    for file in (pathlib.Path(__file__).parents[2] / "scenarios/software").glob("*.yaml"):
        lines = [line.split("#")[0].split(":") for line in file.read_text().splitlines()]
        out[file.stem] = next((line[1].strip() for line in lines if line[0] == "extends"), None)
    return out


def relatives(software, parents, errors):
    """The rows of a profile: its own, its nearest ancestor's, or those of all that its root became."""
    at = software
    while at:
        if errors.get(at):
            return errors[at]
        root, at = at, parents[at]
    def root_of(name):
        while parents.get(name):
            name = parents[name]
        return name
    return [x for name, rows in errors.items()
            if root_of(name) == root and name not in ALONE for x in rows]


program, runs = sys.argv[1:3]
OUTLIERS = {r["id"] for r in csv.DictReader(open(runs)) if "memory" in (r.get("outlier") or "")}
rows = list(of_runs(program, runs)) + (list(of_cold(program, sys.argv[3])) if len(sys.argv) > 3 else [])
errors = {}
for software, error, _, _ in rows:
    if error[1] is not None:
        errors.setdefault(software, []).append(error)
variances = spreads([groups_of(rows) for rows in errors.values()])
f, g, e = map(math.sqrt, variances)
print(f"// s_F {f:.4f}, s_G {g:.4f}, s_E {e:.4f}: {sum(map(len, errors.values()))} peaks of {len(errors)} profiles")
parents = lineage()
for software in sorted(parents):
    own = relatives(software, parents, errors)
    if own:
        f2, g2, e2 = variances
        mean, sd = family(groups_of(own), f2, f2 if software in STAND_INS else g2, e2)
        print(f'    {{"{software}", {{{mean:.4f}, {sd:.4f}}}}},  // {len(own)} peaks of {len(groups_of(own))} groups')
chances = sorted(p for _, _, p, _ in rows)
for share in (0.02, 0.05, 0.1):
    print(f"// of {len(chances)} runs that took place {share:.0%} have a probability below {chances[int(share * len(chances))]:.3f}")
if os.environ.get("LIST"):
    for software, error, p, name in rows:
        if p < 0.95 or error[1] is not None and abs(error[1]) > 0.1:
            print(f"// {name} {software} {'' if error[1] is None else f'{error[1]:+.3f}'} {p:.3f}")
