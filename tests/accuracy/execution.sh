#!/usr/bin/env bash
# A step from execution traces (docs/replay.md, "A step from execution traces"): each rank of a run is predicted with
# host times of the others, and compared with the measurement of the same job. Exits 1 if one is more than 15 % off.
#   usage: tests/accuracy/execution.sh FOLDER MACHINE      FOLDER has kineto/rank*.json.gz and et/rank*.json.gz
set -euo pipefail
trainplan=${TRAINPLAN:-build/release/cli/trainplan}
[ $# -eq 2 ] || { sed -n 2,5p "$0" >&2; exit 2; }
folder=$1 machine=$2
mapfile -t kineto < <(printf '%s\n' "$folder"/kineto/rank*.json.gz | sort -V)  # rank 10 behind rank 9
mapfile -t et < <(printf '%s\n' "$folder"/et/rank*.json.gz | sort -V)
made=$(mktemp -d)
trap 'rm -r "$made"' EXIT
"$trainplan" replay "${kineto[@]}" --format csv --columns rank,begin_seconds,measured_seconds \
  >"$made/measured.csv"

# The seconds that a column of a table says of a rank.
of_rank() { awk -F, -v rank="$2" -v column="$3" '$1 == rank { print $column }' "$1"; }
# The rank that a rank waited for longest.
waited_for() {
  jq -r --argjson rank "$1" '[.waits[] | select(.rank == $rank)] | max_by(.seconds) | .for_rank // "nobody"' "$2"
}

"$trainplan" replay "${kineto[@]}" --format json >"$made/measured.json"
printf '%4s %12s %12s %8s %16s %8s   %s\n' rank measured predicted error 'begin unknown' error 'waits longest for'
failed=0
for rank in "${!kineto[@]}"; do
  others=("${kineto[@]:0:rank}" "${kineto[@]:rank+1}")
  "$trainplan" replay "${others[@]}" --skip-broken --write-times "$made/times.csv" >/dev/null 2>&1
  predict=("$trainplan" replay "${et[@]}" --on "$machine" --times "$made/times.csv")
  "${predict[@]}" --begins "$made/measured.csv" --format json >"$made/predicted.json" 2>"$made/told"
  "${predict[@]}" --format csv --columns rank,measured_seconds >"$made/together.csv" 2>"$made/told"
  predicted=$(jq --argjson rank "$rank" '.ranks[] | select(.rank == $rank) | .measured_seconds' "$made/predicted.json")
  awk -v r="$rank" -v m="$(of_rank "$made/measured.csv" "$rank" 3)" -v p="$predicted" \
    -v t="$(of_rank "$made/together.csv" "$rank" 2)" \
    -v for_measured="$(waited_for "$rank" "$made/measured.json")" \
    -v for_predicted="$(waited_for "$rank" "$made/predicted.json")" 'BEGIN {
      printf "%4d %9.3f ms %9.3f ms %+6.1f %% %13.3f ms %+6.1f %%   %s, predicted %s\n",
        r, m * 1e3, p * 1e3, (p / m - 1) * 100, t * 1e3, (t / m - 1) * 100, for_measured, for_predicted
      exit p / m > 1.15 || p / m < 0.85 }' || failed=1
done
exit "$failed"
