# Each single row of the shipped table of measured runs, behind a condition of those that the documentation shows.
set -euo pipefail
conditions=('' 'n_gpus > 64' 'group == "vtrain-multi-3.6B"' 'tp * pp == n_gpus / dp' 'model_name != "" and quality == "gold"'
  'not (vpp > 1) or recompute == "full"' 'seq_len in [2048, 4096]' 'max(tp, pp) <= 8')
table=tests/accuracy/runs_small.csv
rows=$(wc -l <"$table")
for ((row = 2; row <= rows; ++row)); do
  { echo "${conditions[row % ${#conditions[@]}]}"; head -n 1 "$table"; sed -n "${row}p" "$table"; } >"$1/$row"
done
head -n 1 "$table" | tr ',' '\n' | sed 's/.*/"&"/' >"$2"
