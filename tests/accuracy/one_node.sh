#!/usr/bin/env bash
# usage: tests/accuracy/one_node.sh RUNS.csv
#
# How far a few runs at the smallest scale go: for each software and accelerator with runs at several scales, the
# catalogue as it was before any fit (priors.sh) is calibrated to 1, 2, 4 of its runs at the smallest and to all of
# them, and predicts its larger runs. Prints a Markdown table of mean absolute errors, for docs/accuracy/fits.md.
set -euo pipefail
[[ $# -eq 1 ]] || { echo "usage: tests/accuracy/one_node.sh RUNS.csv" >&2; exit 2; }
runs=$1 root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
trainplan=$root/build/release/cli/trainplan
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$root/tests/accuracy/priors.sh" "$scratch/priors"

# software | accelerator | GPUs at the smallest scale | precision
families='composer-fsdp|H100-SXM-80GB|8|bf16
composer-fsdp-pure|A100-SXM-40GB|8|bf16
internevo|A100-SXM-80GB|8|bf16
nemo|H100-SXM-80GB|8|bf16
nemo|H100-SXM-80GB|8|fp8
maxtext|H100-SXM-80GB|128|bf16
torchtitan-compile|H100-SXM-96GB|8|bf16'

validate() { "$trainplan" validate "$runs" --quiet --format json "$@"; }
percent() { awk -v x="$1" 'BEGIN { if (x == "null") print "-"; else printf "%.1f %%", 100 * x }'; }

# error CATALOG WHERE
error() { percent "$(validate --catalog "$1" --where "$2" | jq .summary.mape)"; }

# Of the ids in $1 (one a line) $2, evenly spaced, as a list of the language.
some() {
  jq -Rnc --argjson k "$2" '[inputs] as $all | ($all | length) as $n |
    [range(0; [$k, $n] | min)] | map($all[((. + 0.5) * $n / ([$k, $n] | min)) | floor])' <<<"$1"
}

echo '| software | accelerator | precision | GPUs | runs there | larger runs | before | 1 run | 2 runs | 4 runs | all, numbers chosen |'
echo '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |'
while IFS='|' read -r software gpu gpus precision; do
  rows="software == \"$software\" and gpu == \"$gpu\" and precision == \"$precision\" and family == \"dense\" and
        task == \"pretrain\" and quality != \"bronze\" and outlier == \"\""
  rows=${rows//$'\n'/ }
  larger="$rows and n_gpus > $gpus"
  ids=$(validate --where "$rows and n_gpus == $gpus" | jq -r '.rows[] | select(.error != null) | .id')
  line="| $software | $gpu | $precision | $gpus | $(wc -l <<<"$ids") | $(validate --where "$larger" | jq '[.rows[] | select(.error != null)] | length')"
  line+=" | $(error "$scratch/priors" "$larger")"
  there=$(wc -l <<<"$ids")
  for k in 1 2 4 1000; do
    if [[ $k -lt 1000 && $k -gt $there ]]; then line+=' | -' && continue; fi
    fitted=$scratch/$software-$gpu-$precision-$k
    # Few runs say one number: what the matrix engines sustain.
    fit=(--fit "cluster.gpu.calibration.gemm.$precision.sustained")
    if [[ $k -eq 1000 ]]; then fit=(); fi
    "$trainplan" calibrate steps "$runs" --catalog "$scratch/priors" --where "id in $(some "$ids" "$k")" "${fit[@]}" \
      --write "$fitted" --quiet >/dev/null
    line+=" | $(percent "$(validate --catalog "$fitted" --catalog "$scratch/priors" --where "$larger" | jq .summary.mape)")"
  done
  echo "$line |"
done <<<"$families"
