#!/usr/bin/env bash
# Runs one libFuzzer target and fails on a finding. A finding belongs into tests/errors/ once it is mended.
# usage: tests/fuzz/run.sh TARGET SECONDS    TARGET: one of ./dev fuzz, built in build/fuzz
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
target=$1 seconds=$2
work=build/fuzz/$target
mkdir -p "$work/corpus" "$work/seeds" "$work/findings"

# Seeds: the shipped scenarios and known mistakes, each of their values as an expression, configurations of models, launch scripts.
case $target in
  scenario | space | study)
    find scenarios tests/errors -name '*.yaml' | while IFS= read -r file; do cp "$file" "$work/seeds/${file//\//-}"; done
    ;;
  hf)
    for folder in tests/planner/import/hf/*/; do cp "$folder/config.json" "$work/seeds/$(basename "$folder").json"; done ;;
  megatron) cp tests/planner/import/megatron/*.sh "$work/seeds/" ;;
  nccl_log)
    # The logs of its test, one beside the other, and each line of them.
    sed -nE 's/^ *"(.*)\\n".*$/\1/p' tests/operator_models/nccl_log_test.cc >"$work/seeds/lines.log" ;;
  scaling)
    # The samples of its tests, a byte for the name before each.
    cat tests/planner/scaling_{text,read,json,lines}_test.cc | awk -v dir="$work/seeds" -v RS='R"[(]|[)]"' '
      NR % 2 == 0 { file = dir "/" NR; printf "%c%s", 48 + NR / 2 % 6, $0 > file; close(file) }' ;;
  seqpoint)
    # Its tests' logs, one text of each, behind a byte for name and batches; a list of lengths, packed and not.
    { sed -nE 's/^.*"(([a-z_]+,)*(length|seconds)[^"]*\\n)".*$/\1/p' tests/planner/seqpoint/seqpoint_read_test.cc
      printf '5\\n64\\n7\\n12\\n900\\n8\\n\n'; } | while IFS= read -r text; do
      count=$((${count:-0} + 1))
      printf "%x$text" "$((count % 16))" >"$work/seeds/$count"
    done
    { printf 'a'; seq 3 60 | gzip -n; } >"$work/seeds/packed" ;;
  expression)
    find scenarios tests/errors -name '*.yaml' -exec cat {} + | sed -nE 's/^[^#]*: +([^#]+[^# ]) *(#.*)?$/\1/p' | sort -u |
      awk -v dir="$work/seeds" 'NR <= 2000 { file = dir "/" NR; print > file; close(file) }' ;;
  *) echo "expected expression, hf, megatron, nccl_log, scaling, scenario, seqpoint, space or study, got $target" >&2; exit 2 ;;
esac

log=$work/log
printf 'fuzz %s: %s s\n' "$target" "$seconds"
if "build/fuzz/tests/fuzz/fuzz_$target" -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=4096 \
  -print_final_stats=1 -artifact_prefix="$work/findings/" "$work/corpus" "$work/seeds" >"$log" 2>&1; then
  printf 'fuzz %s: no finding in %s runs\n' "$target" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")"
else
  tail -n 40 "$log"
  printf 'fuzz %s: a finding, see %s/findings\n' "$target" "$work"
  exit 1
fi
