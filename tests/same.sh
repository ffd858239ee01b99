#!/usr/bin/env bash
# Spaces searched by one thread, by two, candidate by candidate, as four shards that `merge` unites, and killed and
# resumed: the same bytes, of JSON and of one more format each. A space that differs is printed as a file that shows it.
# usage: same.sh TRAINPLAN TRAINPLAN_SPACES COUNT [SEED]   drawn spaces, those of tests/bench cut down, and tests/same
#        same.sh TRAINPLAN FILE.yaml...                    these
set -euo pipefail
trainplan=$(realpath "$1")
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
shift
if [[ $1 == *.yaml ]]; then
  files=()
  for file in "$@"; do files+=("$(realpath "$file")"); done
else
  mkdir "$work/spaces"
  "$1" "$work/spaces" "$2" "${3:-1}" "$root"/tests/bench/search/*.yaml "$root/tests/bench/trillion.yaml"
  files=("$root"/tests/same/*.yaml "$work/spaces"/*.yaml)
fi
formats='table csv md html svg ndjson'

# ways FILE FORMAT: how else the space is searched, each into a file of its own.
ways() {
  local format=$2 shard
  local search=("$trainplan" search "$1" --quiet --format "$format" ${front[@]+"${front[@]}"})
  run threads "${search[@]}" --threads 2
  run exhaustive "${search[@]}" --threads 2 --exhaustive
  # Entries of the catalogue are spaces of their own, which have neither shards nor checkpoints.
  ! grep -Eq 'use: *\[' "$1" || return 0
  killed "${search[@]}" --threads 2
  for shard in 1 2 3 4; do
    "$trainplan" search "$1" --quiet --format json ${front[@]+"${front[@]}"} --shard $shard/4 >shard-$shard 2>errors ||
      fail "shard $shard: exit status $?"
  done
  # A page shows the files that it was made of.
  [[ $format == html ]] || run merged "$trainplan" merge shard-? --format "$format"
}

run() {
  local way=$1 status=0
  shift
  timeout 60 "$@" >"$way.$format" 2>errors || status=$?
  echo "exit status $status" >>"$way.$format"
  if [[ $status -gt 4 || $status -eq 2 ]]; then fail "$way: exit status $status"; fi
}

# By kill -9 after a part of the time that it takes, then it goes on; a checkpoint is written every 10 ms.
killed() {
  local status=137 try pid
  rm -f out out.checkpoint
  for try in 1 2 3; do
    "$@" --output out --checkpoint 10ms --resume auto 2>>errors &
    pid=$!
    sleep "$(awk -v ms="$took_ms" -v random=$RANDOM 'BEGIN { printf "%.3f", ms * random / 32768 / 1000 }')"
    kill -KILL "$pid" 2>>errors || true
    status=0
    wait "$pid" 2>>errors || status=$?
    [[ $status -eq 137 ]] || break
  done
  [[ $status -ne 137 ]] || { status=0; "$@" --output out --checkpoint 10ms --resume auto 2>>errors || status=$?; }
  { cat out && echo "exit status $status"; } >"killed.$format" || fail "killed: exit status $status"
}

fail() { printf 'same: %s: %s\n' "$name" "$1" >>failed; }

# differs WAY: whether its bytes are others than those of one thread. A page names its command.
differs() { ! cmp -s <(outcome one) <(outcome "$1"); }
outcome() { grep -v 'class="command"' "$1.$format"; }

space() {
  local file=$1 name format way begun others
  read -ra others <<<"$formats"
  name=$(basename "$file" .yaml)
  mkdir -p "$work/$name"
  cd "$work/$name"
  RANDOM=$(($(cksum <<<"$name" | cut -d ' ' -f 1) % 32768))
  for format in json "${others[RANDOM % ${#others[@]}]}"; do
    begun=$(date +%s%N)
    # A picture shows a front; a shard has one only on request.
    front=()
    if [[ $format == svg || $format == html ]]; then front=(--pareto step,memory.peak); fi
    run one "$trainplan" search "$file" --quiet --format "$format" --threads 1 ${front[@]+"${front[@]}"}
    took_ms=$((($(date +%s%N) - begun) / 1000000 + 2))
    if grep -q '^exit status 1' "one.$format"; then fail "cannot be searched: $(head -n 1 errors)"; break; fi
    ways "$file" "$format"
    for way in threads exhaustive killed merged; do
      [[ -f $way.$format ]] || continue
      ! differs "$way" || fail "$format: other bytes: $way"
    done
  done
  jq -r '[.space.candidates, .space.feasible] | @tsv' <(sed '$d' one.json) >counts 2>>errors || true
  if [[ -f failed ]]; then cat failed; printf '# %s.yaml\n' "$name"; cat "$file"; fi
}

export work trainplan formats
export -f space ways run killed fail differs outcome
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -I FILE bash -c 'set -euo pipefail; space FILE'
cat "$work"/*/counts | awk -v spaces="${#files[@]}" -v failed="$(find "$work" -name failed | wc -l)" '
  { candidates += $1; feasible += $2; if ($2 > 0 && $2 < $1) some++ }
  END {
    printf "%d spaces (%d candidates, %d feasible; some of %d): %d differ\n", spaces, candidates, feasible, some, failed
    exit failed > 0 || spaces > NR
  }'
