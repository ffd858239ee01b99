#!/usr/bin/env bash
# Searches with several threads under ThreadSanitizer (./dev race): whole, in shards, interrupted and resumed.
# usage: tests/race.sh TRAINPLAN    TRAINPLAN: the program, built with -fsanitize=thread
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
trainplan=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
failed=0

# Whether the program ended as it may: with a result, without one that is feasible (3), interrupted (130).
judge() {
  [[ $1 -eq 0 || $1 -eq 3 || $1 -eq 130 ]] && return
  printf 'search %s: exit status %s\n' "${*:2}" "$1"
  cat "$work/err"
  failed=1
}
search() {
  local status=0
  "$trainplan" search "$@" --threads 4 --quiet >"$work/out" 2>"$work/err" || status=$?
  judge "$status" "$@"
}
# Ctrl-C after two seconds; the result stays in $work/stopped.
interrupted() {
  local status=0
  timeout --preserve-status --signal=INT 2 "$trainplan" search "$@" --threads 4 --quiet --format json >"$work/next" 2>"$work/err" || status=$?
  judge "$status" "$@"
  mv "$work/next" "$work/stopped"
}

dense=tests/bench/search/overlap.yaml mixture=tests/bench/search/mixture.yaml sharded=tests/bench/search/fsdp-hsdp.yaml
few=(--set 'cluster.gpus=[512, 1024]' --set 'parallelism.recompute=full')
search "$dense" "${few[@]}" --pareto usd,step --top 100
search "$dense" "${few[@]}" --shard 2/3 --format json
search "$mixture" --set 'parallelism.microbatch=1' --shard 1/50
search "$sharded" --set 'parallelism.microbatch=1' --set 'cluster.gpus=[64, 128]'
search scenarios/gpt3-175b-search.yaml --sensitivity
search scenarios/llama3-8b-fsdp.yaml --set 'parallelism.zero=[0, 1, 2, 3]' --set 'parallelism.tp=[1, 2, 4, 8]' \
  --set 'parallelism.schedule=[1f1b, gpipe, zb-h1]' --set 'parallelism.pp=[1, 2, 4]'
interrupted "$dense"
interrupted "$dense" --resume "$work/stopped"
[[ $failed -eq 0 ]] && echo 'race: none found'
exit "$failed"
