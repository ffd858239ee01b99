#!/usr/bin/env bash
# Runs one libFuzzer target and fails on a finding. A finding belongs into tests/errors/, or the tests of the reader, once
# it is mended.
# usage: tests/fuzz/run.sh TARGET SECONDS    TARGET: NAME of tests/fuzz/fuzz_NAME.cc
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=$1 seconds=$2 build=build/sanitize
work=$build/runs/$target
[[ -f tests/fuzz/fuzz_$target.cc ]] || { echo "no tests/fuzz/fuzz_$target.cc" >&2; exit 2; }
mkdir -p "$work/corpus" "$work/findings"
rm -rf "$work/seeds" "$work/tmp"
mkdir "$work/seeds" "$work/tmp"
export TMPDIR=$PWD/$work/tmp

# Seeds: the files of tests/fuzz/seeds/TARGET/, and what tests/fuzz/seeds/TARGET.sh writes into the folder that it is given.
# A dictionary: tests/fuzz/dict/TARGET, or what that script writes into the file that it is given.
rm -f "$work/dict"
if [[ -d tests/fuzz/seeds/$target ]]; then cp tests/fuzz/seeds/"$target"/* "$work/seeds/"; fi
if [[ -f tests/fuzz/dict/$target ]]; then cp "tests/fuzz/dict/$target" "$work/dict"; fi
if [[ -f tests/fuzz/seeds/$target.sh ]]; then bash "tests/fuzz/seeds/$target.sh" "$work/seeds" "$work/dict" "$build/cli/trainplan"; fi
# Without -entropic=0 half of the time goes into weighing features of inputs that reach much code.
# 20 s of the clock: an input at the limits (an alias that expands to a million values) takes 1 s alone, and eight
# targets share two cores.
options=(-max_total_time="$seconds" -timeout=20 -entropic=0 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$work/findings/")
if [[ -f $work/dict ]]; then options+=(-dict="$work/dict"); fi

log=$work/log
printf 'fuzz %s: %s s\n' "$target" "$seconds"
if "$build/tests/fuzz/fuzz_$target" "${options[@]}" "$work/corpus" "$work/seeds" >"$log" 2>&1; then
  printf 'fuzz %s: no finding in %s runs\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
else
  tail -n 40 "$log"
  printf 'fuzz %s: a finding, see %s/findings\n' "$target" "$work"
  exit 1
fi
