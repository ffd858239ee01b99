#!/usr/bin/env bash
# Brute force: spaces of some 2,000 candidates each, enumerated here by nested loops, every candidate through
# `trainplan plan` in a process of its own; `trainplan search` must find the same ten best plans and the same counts.
# Without --full only every sixteenth candidate and those within 10 % of the best are planned, and what `sweep` says of
# the others is believed (`.ci/nightly` plans all).
# usage: tests/search_test.sh SOURCE_DIR TRAINPLAN [--full] [SPACE...]
set -euo pipefail
trainplan=$2 full=0
shift 2
if [[ ${1:-} == --full ]]; then full=1; shift; fi
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failed=0
fail() { printf 'search: %s\n' "$1"; failed=1; }

# ---- the spaces: a text, loops that print one candidate a line ("!": a count is not whole, and nothing else is
# chosen), and the goal in jq, smaller is better.

dense_text='
model: {use: llama-13b}
job: {sequence: 2048, global_batch: 640, tokens: 1e12}
cluster: {use: dgx-a100-80gb, gpus: 320}
parallelism:
  tp: [1, 2, 3, 4, 8]
  pp: divisors(model.layers)
  microbatch: pow2(1, 8)
  zero: [0, 1, 2, 3]
  sequence_parallel: [false, true]
  schedule: [1f1b, gpipe]
  dp: cluster.gpus / (tp * pp)
where: [memory.peak <= 0.9 * cluster.gpu.memory]'
dense_goal=.step
dense() {
  for tp in 1 2 3 4 8; do for pp in 1 2 4 5 8 10 20 40; do
    if ((320 % (tp * pp))); then echo "! parallelism.tp=$tp parallelism.pp=$pp"; continue; fi
    for b in 1 2 4 8; do for z in 0 1 2 3; do for sp in false true; do for order in 1f1b gpipe; do
      echo "parallelism.tp=$tp parallelism.pp=$pp parallelism.microbatch=$b parallelism.zero=$z" \
        "parallelism.sequence_parallel=$sp parallelism.schedule=$order"
    done; done; done; done
  done; done
}

interleaved_text='
model: {use: gpt3-13b}
job: {sequence: 2048, global_batch: 640}
cluster: {use: dgx-a100-80gb, gpus: 320}
parallelism:
  tp: [1, 2, 4, 8]
  pp: divisors(model.layers)
  interleave: divisors(model.layers / pp)
  microbatch: [1, 2, 4]
  recompute: [none, selective, full]
  zero: [0, 1]
goal: {maximize: mfu}'
interleaved_goal='-.mfu'
interleaved() {
  for tp in 1 2 4 8; do for pp in 1 2 4 5 8 10 20 40; do for v in 1 2 4 5 8 10 20 40; do
    if ((40 / pp % v)); then continue; fi
    for b in 1 2 4; do for r in none selective full; do for z in 0 1; do
      echo "parallelism.tp=$tp parallelism.pp=$pp parallelism.interleave=$v parallelism.microbatch=$b" \
        "parallelism.recompute=$r parallelism.zero=$z"
    done; done; done
  done; done; done
}

experts_text='
model: {use: mixtral-8x7b}
job: {sequence: 4096, global_batch: 256, tokens: 1e12}
cluster: {use: dgx-h100, gpus: 64, price: 2 USD/h}
parallelism:
  ep: [1, 2, 4, 8]
  etp: [1, 2, 4]
  tp: [1, 2, 4, 8]
  pp: [1, 2, 4, 8]
  microbatch: [1, 2]
  recompute: [none, selective, full]
  zero: [0, 1]
goal: {minimize: usd + 10 USD/s * step, budget: 2e6 USD}'
experts_goal='.usd + 10 * .step'
experts() {
  for ep in 1 2 4 8; do for etp in 1 2 4; do for tp in 1 2 4 8; do for pp in 1 2 4 8; do
    for b in 1 2; do for r in none selective full; do for z in 0 1; do
      echo "parallelism.ep=$ep parallelism.etp=$etp parallelism.tp=$tp parallelism.pp=$pp parallelism.microbatch=$b" \
        "parallelism.recompute=$r parallelism.zero=$z"
    done; done; done
  done; done; done; done
}

context_text='
model: {use: llama3-8b}
job: {sequence: 32768, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-h100, gpus: 64}
parallelism:
  cp: range(1, 9)
  tp: [1, 2, 4, 8]
  pp: [1, 2, 4, 8]
  microbatch: pow2(1, 8)
  recompute: [none, selective, full]
  zero: [0, 1, 3]
  dp: cluster.gpus / (tp * pp * cp)
where: [memory.headroom >= 4 GiB]
goal: {minimize: step * memory.peak}'
context_goal='.step * .peak'
context() {
  for cp in 1 2 3 4 5 6 7 8 9; do for tp in 1 2 4 8; do for pp in 1 2 4 8; do
    if ((64 % (tp * pp * cp))); then echo "! parallelism.cp=$cp parallelism.tp=$tp parallelism.pp=$pp"; continue; fi
    for b in 1 2 4 8; do for r in none selective full; do for z in 0 1 3; do
      echo "parallelism.cp=$cp parallelism.tp=$tp parallelism.pp=$pp parallelism.microbatch=$b" \
        "parallelism.recompute=$r parallelism.zero=$z"
    done; done; done
  done; done; done
}

gpus_text='
model: {use: gpt3-13b}
job: {sequence: 2048, global_batch: 1024, tokens: 300e9}
cluster: {use: dgx-a100-80gb, price: 1.5 USD/h}
goal: {minimize: gpus, deadline: 25 d}
parallelism:
  tp: [1, 2, 4, 8]
  pp: [1, 2, 4, 8]
  microbatch: pow2(1, 4)
  recompute: [none, selective, full]
  zero: [0, 1]
'
gpus_set='cluster.gpus=[32, 64, 96, 128, 192, 256, 384, 512]'
gpus_goal=.gpus
gpus() {
  for tp in 1 2 4 8; do for pp in 1 2 4 8; do for b in 1 2 4; do
    for r in none selective full; do for z in 0 1; do for n in 32 64 96 128 192 256 384 512; do
      echo "parallelism.tp=$tp parallelism.pp=$pp parallelism.microbatch=$b parallelism.recompute=$r" \
        "parallelism.zero=$z cluster.gpus=$n"
    done; done; done
  done; done; done
}

# ---- brute force

# Lines "INDEX CHOICE..." on standard input -> INDEX<tab>PLAN; a text that is refused (exit 1) has a null plan.
plan_lines() {
  local index choices set sets
  while read -r index choices; do
    sets=()
    for set in $choices; do sets+=(--set "$set"); done
    printf '{"index":%d,"plan":' "$index"
    "$trainplan" plan "$1" --format json "${sets[@]}" 2>/dev/null || [[ $? == 1 || $? == 3 ]] || printf null
    printf '}\n'
  done | jq -c '{index, rules: (if .plan.violations then [.plan.violations[].rule] as $rules |
      if .plan.memory and .plan.memory.fit.probability < 0.5 and ($rules | index("memory") | not)
      then ["memory"] + $rules else $rules end else null end)} +
    (.plan | {step: .step.seconds, mfu: .throughput.mfu, usd: .cost.usd, peak: .memory.peak_bytes, gpus: .cost.gpus})'
}

# plan_all LINES SCENARIO: by two processes side by side.
plan_all() {
  awk 'NR % 2' "$1" | plan_lines "$2" >"$root/odd" &
  awk 'NR % 2 == 0' "$1" | plan_lines "$2" >"$root/even"
  wait $!
  cat "$root/odd" "$root/even"
}

# What a brute force concludes from plans: counts by rule, and the best ten in the order of the enumeration.
conclude() {
  jq -s "def goal: $1;"'
    def ranked: map(select(.rules == []) | . + {goal: goal}) | sort_by(.goal, .step, .index);
    {candidates: length, feasible: map(select(.rules == [])) | length,
     evaluated: map(select(.step)) | length,
     rejected: map(if .rules == null then "divisibility" else .rules[0] end | select(.)) | group_by(.) |
       map({key: .[0], value: length}) | from_entries,
     best: ranked[:10] | map({index, goal, step, mfu, usd, peak})}' "$2"
}

check_space() {
  local name=$1 text=$1_text goal=$1_goal set=$1_set sets=() scenario=$root/$1.yaml
  if [[ -n ${!set:-} ]]; then sets=(--set "${!set}"); fi
  echo "${!text}" >"$scenario"
  "$name" >"$root/all"
  "$trainplan" sweep "$scenario" ${sets[@]+"${sets[@]}"} --format ndjson >"$root/sweep"
  "$trainplan" search "$scenario" ${sets[@]+"${sets[@]}"} --format json --top 11 >"$root/search"

  # The enumeration: the same choices in the same order, at least 2,000.
  jq -r '.choices | to_entries | map("\(.key)=\(.value)") | join(" ")' "$root/sweep" >"$root/theirs"
  cmp -s <(sed 's/^!.*//' "$root/all") "$root/theirs" || fail "$name: other candidates, or another order"
  [[ $(wc -l <"$root/all") -ge 2000 ]] || fail "$name: fewer than 2,000 candidates"

  # Rows of the sweep as plans; those to be planned in earnest, their numbers first.
  jq -c '{index, rules: (.violations | if . == ["divisibility"] then null else . end), step: .step_seconds, mfu, usd,
          peak: .peak_bytes, gpus}' "$root/sweep" >"$root/rows"
  jq -r -s --argjson full "$full" "def goal: ${!goal};"'
    (map(select(.rules == []) | goal) | min | . + (if . < 0 then -. else . end) / 10) as $near |
    .[] | select($full == 1 or .index % 16 == 3 or (.rules == [] and goal <= $near)) | .index' "$root/rows" >"$root/wanted"
  awk 'NR == FNR { wanted[$1]; next } FNR - 1 in wanted { sub(/^! /, ""); print FNR - 1, $0 }' \
    "$root/wanted" "$root/all" >"$root/lines"
  plan_all "$root/lines" "$scenario" >"$root/plans"
  [[ $(wc -l <"$root/plans") -eq $(wc -l <"$root/wanted") ]] || fail "$name: plans are missing"

  # Every plan is its row of the sweep; a row without costs has no number of GPUs either.
  jq -c -s 'INDEX(.index) as $rows | $rows' "$root/rows" >"$root/by_index"
  jq -c --slurpfile rows "$root/by_index" 'select(. != $rows[0]["\(.index)"])' "$root/plans" >"$root/differ"
  if [[ -s $root/differ ]]; then fail "$name: $(wc -l <"$root/differ") plans are not their row: $(head -n 1 "$root/differ")"; fi

  # The search against plans where there are any, else rows. Its first plan is the most usual of those that tie, behind
  # which the best ten follow by the goal.
  jq -c -s 'INDEX(.index) | .[]' "$root/rows" "$root/plans" >"$root/together"
  conclude "${!goal}" "$root/together" >"$root/expected"
  jq --slurpfile rows "$root/sweep" '(reduce $rows[0:][] as $r ({}; . + {($r.choices | tojson): $r.index})) as $at |
    (.space | del(.opened, .uncertain)) + {best: .plans | map({index: $at[.choices | tojson], step: .step_seconds, mfu, usd, peak: .peak_bytes})}' \
    "$root/search" >"$root/found"
  jq -e -n --slurpfile expected "$root/expected" --slurpfile found "$root/found" '
    ($found[0].best | INDEX(.index)) as $rows |
    ($expected[0] | .best |= map(del(.goal))) == ($found[0] | .best = [$expected[0].best[] | $rows["\(.index)"]])' >"$root/same" || {
    fail "$name: search and brute force differ"
    diff <(jq -S . "$root/expected") <(jq -S . "$root/found") | head -n 40 || true
  }
  jq -r --arg name "$name" --arg plans "$(wc -l <"$root/plans")" \
    '"\($name): \(.candidates) candidates, \($plans) planned, \(.evaluated) costed, \(.feasible) feasible, best \(.best[0].goal)"' \
    "$root/expected"
}

[[ $# -gt 0 ]] || set -- dense interleaved experts context gpus
for space in "$@"; do check_space "$space"; done
exit "$failed"
