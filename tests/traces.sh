#!/usr/bin/env bash
# Compares `trainplan replay` with the known figures of real traces, and with runs that it has not seen; and checks
# `trainplan tune`, whose graph must reproduce the measurement. Prints Markdown for docs/replay.md; exits 1 if a figure
# of a file differs.
# usage: traces.sh TRAINPLAN FOLDER [SEED]    FOLDER: folders of traces, each with its expected-measured.json
set -euo pipefail
trainplan=$1 folder=$2 seed=${3:-1} here=$(dirname "${BASH_SOURCE[0]}") work=$(mktemp -d) failed=0
trap 'rm -rf "$work"' EXIT

# figures FILE EXPECTED: a line of the table; mistakes go to standard error.
figures() {
  local name
  name=$(basename "$1")
  "$trainplan" replay "$1" --format json --quiet >"$work/found.json"
  jq -n -f "$here/traces.jq" --arg name "$name" --slurpfile expected "$2" --slurpfile found "$work/found.json" >"$work/checked.json"
  jq -r '"| \(.file) | \(.checked) | \(.wrong | length) |"' "$work/checked.json"
  jq -r '.file as $f | .wrong[] | "traces.sh: \($f): \(.what): \(.found), expected \(.expected)"' "$work/checked.json" >&2
  [[ $(jq '.wrong | length' "$work/checked.json") == 0 ]] || failed=1
}

# every EXPECTED: each file that it is of, where it lies.
every() {
  local name
  jq -r '.files | keys[]' "$1" | while read -r name; do
    find "$(dirname "$1")" -path '*/et/*' -prune -o -name "$name" -print
  done
}

# together EXPECTED: the transfers and waits of all ranks, where the files are of one run.
together() {
  local files
  mapfile -t files < <(every "$1")
  "$trainplan" replay "${files[@]}" --format json --quiet >"$work/found.json"
  jq -r -n --slurpfile e "$1" --slurpfile f "$work/found.json" '
    ([$e[0].matched_collectives[].durs_by_rank_us] | transpose | map(add)) as $sums |
    ([$e[0].matched_collectives[].last_arrival_to_end_us] | add) as $transfer |
    ([$f[0].collectives[].transfer_seconds * 1e6] | add) as $found |
    "| what | replay, us | expected, us |", "| --- | ---: | ---: |",
    "| transfers of \($e[0].matched_collectives | length) collectives | \($found | round) | \($transfer) |",
    (range($sums | length) as $r | ([$f[0].waits[] | select(.rank == $r) | .seconds * 1e6] | add | round) as $wait |
      "| waits of rank \($r) | \($wait) | \($sums[$r] - $transfer) |")'
}

# unseen FILES...: predictions of each rank or step from the others.
unseen() {
  "$trainplan" replay "$@" --from-others --format json --quiet | jq -r '
    def percent: (. * 1000 | round) / 10;
    def size(e): [.unseen[] | e | fabs] | add / length | percent;
    (.unseen[] | "| \(.rank) | \(.step) | \(.error | percent) | \(.others_mean_error | percent) | \(.largest_stream_error | percent) |"),
    "| mean size | | \(size(.error)) | \(size(.others_mean_error)) | \(size(.largest_stream_error)) |"'
}

# each_run FUNCTION: with the name and the files of each run; those of one job are one, others each by themselves.
each_run() {
  local expected run file files
  for expected in "$folder"/*/expected-measured.json; do
    mapfile -t files < <(every "$expected")
    run=$(basename "$(dirname "$expected")")
    if [[ $(jq '(.matched_collectives // []) | length' "$expected") != 0 ]]; then "$1" "$run" "${files[@]}"
    else for file in "${files[@]}"; do "$1" "$run/$(basename "$file")" "$file"; done; fi
  done
}

# tuned NAME FILES...: the measured step, as the graph gives it back, and the best one; or why there is nothing to tune.
tuned() {
  local name=$1
  shift
  if "$trainplan" tune "$@" --format json --quiet >"$work/tuned.json" 2>"$work/why"; then
    jq -r --arg name "$name" '
      def ms: . * 1e5 | round / 100;
      (.strategies // [] | map({key: .strategy, value: .replayed_seconds}) | from_entries) as $steps |
      if .strategies then "| \($name) | \(.step_seconds | ms) | \($steps.measured | ms) | \($steps.best | ms) | |"
      else "| \($name) | | \(.step_seconds_before | ms) | \(.step_seconds_after | ms) | no all-reduces |" end' "$work/tuned.json"
  else
    printf '| %s | | | | %s |\n' "$name" "$(sed -n 's/^error: //p' "$work/why" | head -1)"
    grep -q 'there is nothing to tune' "$work/why" || failed=1
  fi
}

# passed NAME FILES...: each pass alone, and that all of it, applied again, gives the printed gain.
passed() {
  local name=$1
  shift
  "$trainplan" tune "$@" --write-decisions "$work/passes.json" --format json --quiet >"$work/tuned.json" 2>"$work/why" || return 0
  jq -r --arg name "$name" '
    def ms: . * 1e5 | round / 100;
    .passes[] | if .applies
      then "| \($name) | \(.pass) | \(.setting) | \(.gain_seconds | ms) | \(.memory_bytes / 1e4 | round / 100) | \(.taken) |"
      else "| \($name) | \(.pass) | \(.setting) | | | |" end' "$work/tuned.json"
  "$trainplan" replay "$@" --apply "$work/passes.json" --format json --quiet >"$work/found.json"
  jq -e -n --slurpfile t "$work/tuned.json" --slurpfile f "$work/found.json" '
    # A step of tune is the device'"'"'s, from the end of one to the end of the next; where replay'"'"'s are, both are the same.
    ($f[0].ranks | group_by(.rank)) as $ranks |
    ($ranks | map(.[1:]) | add) as $behind |
    if ($behind | length) > 0 and all($f[0].ranks[]; .step_of == "device")
      then ($behind | map(.changed_seconds) | add / length) / $t[0].step_seconds_after - 1 | fabs < 1e-6
      else ($t[0].step_seconds_before - $t[0].step_seconds_after) as $said |
        ($f[0].change.measured_seconds - $f[0].change.changed_seconds) as $came |
        ($came - $said | fabs) <= 0.5 * ($said | fabs) + 1e-4 * $t[0].step_seconds_before end' >"$work/same" || {
    echo "traces.sh: $name: the passes, applied again, do not give the printed step" >&2
    failed=1
  }
  # Only repeated work lies outside the run, at most sixteen times.
  jq -e '[.passes[] | select(.applies) | .gain_seconds] as $gains | .step_seconds_before as $step |
    all($gains[]; . < $step and . > -16 * $step)' "$work/tuned.json" >"$work/same" || {
    echo "traces.sh: $name: a gain of a pass is no time of this run" >&2
    failed=1
  }
}

# advised NAME FILES...: the best advice, and the output of its flag alone.
advised() {
  local name=$1 flags=()
  shift
  "$trainplan" replay "$@" --advice --format json --quiet >"$work/advised.json"
  jq '[.advice[] | select(.flag | startswith("--apply") | not)][0]' "$work/advised.json" >"$work/first.json"
  if [[ $(jq . "$work/first.json") == null ]]; then
    printf '| %s | no advice but buckets | | |\n' "$name"
    return
  fi
  eval "flags=($(jq -r .flag "$work/first.json"))"
  "$trainplan" replay "$@" "${flags[@]}" --format json --quiet >"$work/found.json"
  jq -r -n --arg name "$name" --slurpfile a "$work/first.json" --slurpfile f "$work/found.json" '
    def ms: . * 1e5 | round / 100;
    "| \($name) | `\($a[0].flag)` | \($f[0].change.measured_seconds | ms) | \($f[0].change.changed_seconds | ms) |"'
  jq -e -n --slurpfile a "$work/first.json" --slurpfile f "$work/found.json" \
    '$a[0].step_seconds == $f[0].change.changed_seconds' >"$work/same" || {
    echo "traces.sh: $name: the advice is not what its flag prints" >&2
    failed=1
  }
}

# shifted HOSTS FILES...: the largest error in us of offsets of up to 10 ms that were added to the clocks of HOSTS
# hosts.
shifted() {
  local hosts=$1 number=0 offset shifts=() named=() file each
  shift
  each=$((($# + hosts - 1) / hosts))
  for file in "$@"; do
    ((number % each)) || offset=$((number == 0 ? 0 : RANDOM * 20000 / 32768 - 10000))
    ((number % each)) || named+=("$number-$((number + each - 1))")
    shifts+=("$offset")
    gzip -dc "$file" | jq -c --argjson by "$offset" '.traceEvents |= map(if .ts then .ts -= $by else . end)' >"$work/$number.json"
    number=$((number + 1))
  done
  "$trainplan" replay "$work"/[0-9].json --hosts "$(IFS=, && echo "${named[*]}")" --format json --quiet |
    jq --argjson shifts "[$(IFS=, && echo "${shifts[*]}")]" \
      '[.clocks[] | .offset_seconds * 1e6 - $shifts[.rank] | fabs] | max * 10 | round / 10'
}

# drifted SECONDS FILES...: the largest drift in us that was put on clocks of up to 100 us in a second, and the largest
# error of a clock at the first and at the last collective. A step is too short: its collectives are repeated every 50
# ms.
drifted() {
  local seconds=$1 number=0 rate rates=()
  shift
  for file in "$@"; do
    rate=$((number == 0 ? 0 : RANDOM * 200 / 32768 - 100))
    rates+=("$rate")
    gzip -dc "$file" | jq -c --argjson rate "$rate" --argjson times $((20 * seconds)) '
      [.traceEvents[] | select(.cat == "kernel" and (.name | test("nccl"; "i")))] as $kernels |
      ([$kernels[] | .ts + .dur] | min) as $first |
      def shown: . - $rate * 1e-6 * (. - $first);
      .traceEvents = [range($times) as $k | $kernels[] | (.ts + 50000 * $k) as $ts | .dur as $dur |
        .ts = ($ts | shown) | .dur = ($ts + $dur | shown) - .ts | del(.args.correlation)] |
      .span = ([$kernels[] | .ts + .dur] | (max - min) * 1e-6)' >"$work/$number.json"
    number=$((number + 1))
  done
  "$trainplan" replay "$work"/[0-9].json --format json --quiet 2>/dev/null |
    jq -r --argjson rates "[$(IFS=, && echo "${rates[*]}")]" --argjson seconds "$seconds" --argjson own "$(jq .span "$work/0.json")" '
      def us: . * 10 | round / 10;
      ([.clocks[] | .drift_seconds * 1e6 + .offset_seconds * 1e6 - $rates[.rank] * ($seconds - 0.05 + $own) | fabs] | max) as $last |
      "| \($seconds) | \([$rates[] | fabs * $seconds] | max) | \([.clocks[] | .offset_seconds * 1e6 | fabs] | max | us) | \($last | us) |"'
}

printf '| file | figures | wrong |\n| --- | ---: | ---: |\n'
for expected in "$folder"/*/expected-measured.json; do
  for file in $(every "$expected"); do figures "$file" "$expected"; done
done
for expected in "$folder"/*/expected-measured.json; do
  [[ $(jq '(.matched_collectives // []) | length' "$expected") == 0 ]] || { printf '\n'; together "$expected"; }
done
RANDOM=$seed
printf '\n| hosts | largest error of an offset, us |\n| ---: | ---: |\n'
for expected in "$folder"/*/expected-measured.json; do
  mapfile -t files < <(every "$expected")
  [[ $(jq '(.matched_collectives // []) | length' "$expected") == 0 ]] ||
    for hosts in ${#files[@]} $((${#files[@]} / 2)); do printf '| %s | %s |\n' "$hosts" "$(shifted "$hosts" "${files[@]}")"; done
done
printf '\n| trace, s | largest drift, us | error at its begin, us | at its end, us |\n| ---: | ---: | ---: | ---: |\n'
for expected in "$folder"/*/expected-measured.json; do
  mapfile -t files < <(every "$expected")
  [[ $(jq '(.matched_collectives // []) | length' "$expected") == 0 ]] ||
    for seconds in 1 10; do drifted "$seconds" "${files[@]}"; done
done
printf '\n| rank | step | from the others, %% | mean of the others, %% | largest stream, %% |\n| ---: | --- | ---: | ---: | ---: |\n'
for expected in "$folder"/*/expected-measured.json; do
  mapfile -t files < <(every "$expected")
  [[ $(jq '(.matched_collectives // []) | length' "$expected") == 0 ]] || unseen "${files[@]}"
  for file in "${files[@]}"; do
    [[ $(jq --arg name "$(basename "$file")" '.files[$name].steps | length' "$expected") -lt 3 ]] || unseen "$file"
  done
done
printf '\n| run | change | step, ms | with its flag, ms |\n| --- | --- | ---: | ---: |\n'
each_run advised
printf '\n| run | measured, ms | replayed, ms | best, ms | nothing to tune |\n| --- | ---: | ---: | ---: | --- |\n'
each_run tuned
printf '\n| run | pass | setting | gain, ms | memory, MB | taken |\n| --- | --- | --- | ---: | ---: | --- |\n'
each_run passed
for et in "$folder"/*/et; do
  [[ -d $et ]] || continue
  device=$("$trainplan" replay "$(dirname "$et")"/kineto/rank0.json.gz --quiet | sed -n '1s/.* of \(.*\), [0-9]* step.*/\1/p')
  printf '\n'
  TRAINPLAN=$trainplan "$here/accuracy/execution.sh" "$(dirname "$et")" "$device" || failed=1
done
exit "$failed"
