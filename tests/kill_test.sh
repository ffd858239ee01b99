#!/usr/bin/env bash
# Kills searches at random moments, and resumes them: the result has the same bytes as an uninterrupted search.
#   kill -9     repeated until the search is complete, with a checkpoint every 50 ms
#   kill -TERM  once, then --resume
#   shards      three of ten are killed, searched again by `merge --missing`, and united
# usage: tests/kill_test.sh TRAINPLAN [ENDS [SEED [POINTS]]]: ENDS kills (4), moments by the seed (the date), POINTS GPU
# memories in the space (4), each 38,000 candidates
set -euo pipefail
trainplan=$(realpath "$1") ends=${2:-4} seed=${3:-$(date -u +%Y%m%d)} points=${4:-4}
RANDOM=$((seed % 32768))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { printf 'kill: %s\n' "$1"; exit 1; }

cat >job.yaml <<YAML
model: {use: llama3-70b}
job: {sequence: 8192, global_batch: 1024, tokens: 1e12}
cluster: {use: dgx-h100, gpus: [512, 1024], gpu: {memory: [$(seq -s ", " -f "%g GB" 40 $((39 + points)))]}}
parallelism:
  tp: [1, 2, 4, 8]
  pp: [1, 2, 4, 5, 8, 10, 16, 20, 40]
  interleave: divisors(model.layers / pp)
  microbatch: [1, 2, 4]
  zero: [0, 1, 2]
  sequence_parallel: [false, true]
  recompute: [none, selective, full]
  schedule: [1f1b, gpipe]
goal: {minimize: usd}
YAML
formats=(json table csv svg)
flags=(--threads 2 --pareto days,usd --top 5 --checkpoint 50ms)
search() { "$trainplan" search job.yaml "${flags[@]}" "$@"; }
now() { date +%s%N; }

begun=$(now)
for format in "${formats[@]}"; do search --format "$format" --output "whole.$format"; done
whole_ms=$((($(now) - begun) / 1000000 / ${#formats[@]}))

# Candidates that a checkpoint has walked; 0 if there is none.
walked() { if [[ -f $1 ]]; then jq .space.candidates "$1"; else echo 0; fi; }

# at_random SIGNAL ARGUMENTS...: the search, ended at some moment of the time that it takes, by its own process id.
at_random() {
  local signal=$1 moment=$((RANDOM * 32768 + RANDOM)) pid
  shift
  "$trainplan" search job.yaml "${flags[@]}" "$@" 2>>errors &
  pid=$!
  sleep "$(awk -v ms="$((moment % (longest_ms + 20)))" 'BEGIN { print ms / 1000 }')"
  kill "-$signal" "$pid" 2>>errors || true
  status=0
  wait "$pid" 2>>errors || status=$?
}

longest_ms=$whole_ms
killed=0 rounds=0 status=137
while [[ $killed -lt $ends ]]; do
  format=${formats[rounds % ${#formats[@]}]} rounds=$((rounds + 1)) before=0 status=137
  rm -f out out.checkpoint
  while [[ $status -ne 0 ]]; do
    at_random KILL --format "$format" --output out --resume auto
    [[ $status -eq 0 || $status -eq 137 ]] || fail "exit status $status"
    if [[ $status -eq 137 ]]; then killed=$((killed + 1)); fi
    after=$(walked out.checkpoint)
    [[ $status -eq 0 || $after -ge $before ]] || fail "the checkpoint fell from $before to $after candidates"
    [[ ! -e out ]] || cmp out "whole.$format" || fail 'a search that was killed has written a part of its result'
    before=$after
    # Enough random moments: the rest is searched without interruption.
    if [[ $killed -ge $ends && $status -ne 0 ]]; then
      search --format "$format" --output out --resume auto || fail 'the search does not go on'
      status=0
    fi
  done
  cmp out "whole.$format" || fail "$format: other bytes after kill -9"
  [[ ! -e out.checkpoint ]] || fail 'the checkpoint of a search that ended is still there'
done

stopped=0
for format in "${formats[@]}"; do
  at_random TERM --format "$format" --output out
  [[ $status -eq 0 || $status -eq 130 || $status -eq 143 ]] || fail "exit status $status after SIGTERM"
  if [[ $status -eq 130 ]]; then
    stopped=$((stopped + 1))
    grep -qi interrupted out || fail "$format: a part of a result that does not say so"
  fi
  search --format "$format" --output out --resume auto || fail 'the search does not go on'
  cmp out "whole.$format" || fail "$format: other bytes after SIGTERM"
done
# Three of ten tasks are killed, those that go on from a checkpoint too, until none is missing.
shards=10 lost=0 tasks=0 longest_ms=$((whole_ms / shards))
missing=$(seq "$shards")
while [[ -n $missing ]]; do
  for shard in $missing; do
    tasks=$((tasks + 1))
    task=(--format json --shard "$shard/$shards" --output "shard-$shard.json" --resume auto)
    if [[ $((RANDOM % 10)) -lt 3 ]]; then
      at_random KILL "${task[@]}"
      lost=$((lost + 1))
    else
      search "${task[@]}" || fail "shard $shard: exit status $?"
    fi
  done
  names=(shard-*.json)
  if [[ ! -e ${names[0]} ]]; then continue; fi
  missing=$("$trainplan" merge --missing "${names[@]}" | tr , '\n' | awk -F- '{ for (i = $1; i <= $NF; ++i) print i }')
done
"$trainplan" merge shard-*.json --format json --output merged.json
cmp merged.json whole.json || fail 'shards: other bytes than of one search'

printf '%s times kill -9 in %s searches, %s times SIGTERM, %s of %s tasks of shards killed: the same bytes\n' \
  "$killed" "$rounds" "$stopped" "$lost" "$tasks"
