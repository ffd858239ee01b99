# The formulas of its test, each before a shipped file of models, and what `scale` prints of measurements.
set -euo pipefail
count=0
sed -nE 's/.*(formula|value)\("([^"]*)".*/\2/p' tests/planner/scaling/scaling_given_test.cc | while IFS= read -r formula; do
  count=$((count + 1))
  files=(scenarios/scaling/*.yaml)
  { printf '%s\n' "$formula"; grep -v '^#' "${files[count % ${#files[@]}]}"; } >"$1/$count"
done
for data in scenarios/scaling/*.csv; do
  for modeler in basic segmented; do
    { echo p; "$3" scale "$data" --modeler "$modeler" --format json; } >"$1/printed-$(basename "$data")-$modeler"
  done
done
