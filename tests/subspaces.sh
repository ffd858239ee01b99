#!/usr/bin/env bash
# Random sub-spaces of the trillion (tests/bench/trillion.yaml), searched as a whole and candidate by candidate: the same
# bytes. usage: subspaces.sh TRAINPLAN COUNT [SEED]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$1 count=$2 seed=${3:-1}
space=tests/bench/trillion.yaml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A line "PATH VALUE..." for each choice of the space; of a range or of divisors those that are worth a look.
choices() {
  cat <<'TXT'
cluster.gpus 64 128 192 384 512 768 1024 1536 2048 3072 4608 6144
parallelism.tp 1 2 4 8
parallelism.cp 1 2 4
parallelism.pp 1 2 4 8 12 16 24 48
parallelism.microbatch 1 2 4 8
parallelism.schedule 1f1b gpipe interleaved zb-h1
parallelism.interleave 1 2 3 4
parallelism.recompute none selective full
parallelism.sequence_parallel false true
parallelism.order tp-cp-ep-dp-pp tp-cp-ep-pp-dp
parallelism.zero 0 1 2 3
parallelism.offload.optimizer 0 0.25 0.5 0.75 1
parallelism.offload.activations 0 0.25 0.5 0.75 1
software.attention unfused flash1 flash2
software.fusion.softmax false true
software.fusion.bias_activation false true
software.fusion.bias_dropout_add false true
software.fusion.rope false true
software.fusion.norm false true
software.fusion.cross_entropy false true
software.overlap.gradients false true
software.overlap.parameters false true
software.overlap.pipeline false true
software.overlap.tensor false true
TXT
}

# One to three values of each choice, as many as make some ten thousand combinations: one argument of --set on each line.
draw() {
  choices | awk -v seed="$1" '
    BEGIN { srand(seed) }
    { line[NR] = $0; order[NR] = NR }
    END {
      for (i = NR; i > 1; --i) { j = 1 + int(rand() * i); t = order[i]; order[i] = order[j]; order[j] = t }
      for (i = 1; i <= NR; ++i) {
        n = split(line[order[i]], word, " ") - 1
        keep = 1 + int(rand() * (n < 3 ? n : 3))
        while (keep > 1 && total * keep > 20000) --keep
        if (total == 0) total = 1
        total *= keep
        first = int(rand() * n)
        values = ""
        for (k = 0; k < keep; ++k) values = values (k ? ", " : "") word[2 + (first + k) % n]
        print word[1] "=[" values "]"
      }
    }'
}

feasible=0 candidates=0
for ((i = 0; i < count; ++i)); do
  sets=()
  while IFS= read -r set; do sets+=(--set "$set"); done < <(draw $((seed * 1000 + i)))
  for how in "" --exhaustive; do
    status=0
    "$program" search "$space" "${sets[@]}" --quiet ${how:+"$how"} --threads 2 --format json >"$work/space$how" 2>"$work/err" || status=$?
    [[ $status -eq 0 || $status -eq 3 ]] || { cat "$work/err" >&2; exit 1; }
  done
  if ! cmp -s "$work/space" "$work/space--exhaustive"; then
    printf 'subspaces.sh: another result than candidate by candidate:\n' >&2
    printf "  --set '%s'\n" "${sets[@]}" | grep -v -- "'--set'" >&2
    exit 1
  fi
  candidates=$((candidates + $(jq .space.candidates "$work/space"))) feasible=$((feasible + $(jq .space.feasible "$work/space")))
done
printf '%s sub-spaces of the trillion: the same bytes as candidate by candidate (%s candidates, %s feasible)\n' "$count" "$candidates" "$feasible"
