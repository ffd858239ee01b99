#!/usr/bin/env python3
"""Measures the operators of large-model training on this machine, for `trainplan calibrate`.

Writes gemm.csv, concurrency.csv, attention.csv, vector.csv, lookup.csv, sustained.csv, lstm.csv,
encoder.csv and collective.csv (README.md says what each column is), kit_info.csv (the machine) and
kit_skipped.csv (what could not run, and why).
A run that was interrupted goes on where it stopped. Needs PyTorch 2.1 or newer, CUDA or ROCm.
"""
import argparse
import csv
import subprocess
import sys
import time
from pathlib import Path

import pretend
import rows


class Table:
    """A CSV file that grows row by row. `done`: the keys (all columns but the last) it held."""

    def __init__(self, path, columns):
        text = path.read_text() if path.exists() else ""
        whole = text[:text.rfind("\n") + 1]  # a run that was killed may leave half a line
        lines = list(csv.reader(whole.splitlines()))
        if lines and lines[0] != list(columns):
            sys.exit(f"measure.py: {path} has other columns; give another --out")
        if whole != text:
            path.write_text(whole)
        self.rows = lines[1:]
        self.done = {tuple(line[:-1]) for line in self.rows}
        self.file = path.open("a", newline="")
        self.writer = csv.writer(self.file, lineterminator="\n")
        if not lines:
            self.add(columns)

    def add(self, row):
        self.writer.writerow(row)
        self.file.flush()


def machine(options):
    if options.pretend:
        return ["pretend", "no GPU: times of a roofline"] + [""] * 8
    from operators import machine_figures
    return machine_figures()


def note_machine(options):
    columns = ("device gpu ranks memory_bytes compute_units torch runtime driver clock_mhz "
               "max_clock_mhz power_limit_w options").split()
    flags = [name for name in ("graphs", "warm") if getattr(options, name)] + [options.adam]
    row = [str(x) for x in machine(options)] + [" ".join(flags)]
    table = Table(options.out / "kit_info.csv", columns)
    if any((*other[:2], other[-1]) != (*row[:2], row[-1]) for other in table.rows):
        sys.exit(f"measure.py: {options.out} holds times of another machine or of other "
                 "flags; give another --out")
    table.add(row)


def measuring(kind, options):
    """The function from a row of `kind` to its time in microseconds."""
    if options.pretend:
        return pretend.TIMES[kind]
    if kind == "collective":
        import collectives
        return collectives.measure
    import operators
    return lambda row: operators.measure(kind, row, options)


def attempt(measure, row, skipped, name):
    """The time of a row; None, and a line in kit_skipped.csv, where this machine cannot."""
    try:
        return measure(row)
    except Exception as error:  # whatever PyTorch raises: too old, not built in, out of memory
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        skipped.add((*name, reason[:160]))
        import operators
        operators.recover()


def planned_rows(kind, options):
    """All that were asked for; from everywhere in the grid first where time is short."""
    planned = list(dict.fromkeys(rows.PLANS[kind](options.quick)))
    if options.precision:
        wanted = options.precision.split(",")
        planned = [row for row in planned if getattr(row, "precision", wanted[0]) in wanted]
    return rows.spread(planned) if options.minutes else planned


def fill(kind, options):
    """Measures the rows of a table that it does not hold yet."""
    planned = planned_rows(kind, options)
    until = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    table = Table(options.out / f"{kind}.csv", rows.KINDS[kind]._fields + ("time_us",))
    skipped = Table(options.out / "kit_skipped.csv", ("table", "row", "reason"))
    measure = measuring(kind, options)
    for i, row in enumerate(planned):
        if time.monotonic() > until:
            return print(f"\r{kind}: {i} of {len(planned)} rows", file=sys.stderr)
        key = tuple(str(x) for x in row)
        name = (kind, " ".join(key))
        if key in table.done or name in skipped.done:
            continue
        time_us = attempt(measure, row, skipped, name)
        if time_us is not None:
            table.add((*key, f"{time_us:.3f}"))
        if sys.stderr.isatty():
            print(f"\r{kind} {i + 1}/{len(planned)}", end="", file=sys.stderr)
    print(f"\r{kind}: {len(planned)} rows", file=sys.stderr)


def fill_collectives(options):
    """All ranks walk the same list; rank 0 knows what is left of it, and writes."""
    import collectives
    first = collectives.join()
    left = list(dict.fromkeys(rows.plan_collective(options.quick)))
    table = None
    if first:
        note_machine(options)
        table = Table(options.out / "collective.csv", rows.Collective._fields + ("time_us",))
        left = [row for row in left if tuple(str(x) for x in row) not in table.done]
    for row in collectives.agree(left):
        time_us = collectives.measure(row)
        if first:
            table.add((*row, f"{time_us:.3f}"))
    collectives.leave()


def print_rows(options):
    for kind in options.kinds:
        for row in planned_rows(kind, options):
            print(kind, *row, sep=",")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--out", type=Path, default=Path("."), metavar="DIR", help="where the tables go (.)")
    add("--only", metavar="KINDS", help="some of " + ",".join(rows.KINDS))
    add("--quick", action="store_true", help="a coarse grid")
    add("--precision", metavar="LIST", help="some precisions, such as bf16,fp8")
    add("--minutes", type=float, metavar="N",
        help="of each table at most; rows from everywhere in the grid first")
    add("--graphs", action="store_true", help="time inside CUDA graphs")
    add("--warm", action="store_true", help="do not flush the L2 cache between runs")
    add("--repeats", type=int, default=20, metavar="N", help="timed runs of a row at most (20)")
    add("--adam", choices=("fused", "foreach"), default="fused", help="kernels of the optimizer")
    add("--list", action="store_true", help="print the rows and stop; needs no PyTorch")
    add("--pretend", action="store_true", help="roofline times, to test what reads them")
    options = parser.parse_args()
    options.kinds = options.only.split(",") if options.only else default_kinds(options)
    unknown = sorted(set(options.kinds) - set(rows.KINDS))
    if unknown:
        parser.error(f"no table {unknown[0]}; there are " + ", ".join(rows.KINDS))
    return options


def default_kinds(options):
    """Collectives need several ranks, one GPU is enough for the rest."""
    if options.list or options.pretend:
        return list(rows.KINDS)
    several = rows.world()[0] > 1
    return [kind for kind in rows.KINDS if (kind == "collective") == several]


def main():
    options = parse_options()
    if options.list:
        return print_rows(options)
    options.out.mkdir(parents=True, exist_ok=True)
    several = rows.world()[0] > 1
    if not options.pretend and several != ("collective" in options.kinds):
        sys.exit("measure.py: collectives run under torchrun, and alone: "
                 "torchrun --nproc-per-node GPUS measure.py --only collective")
    if not options.pretend and several:
        return fill_collectives(options)
    note_machine(options)
    for kind in options.kinds:
        fill(kind, options)


if __name__ == "__main__":
    main()
