#!/usr/bin/env bash
# Every scenario's assertions hold for its plan, or for its best one where it leaves choices open.
source "${BASH_SOURCE%/*}/files.sh"
failed=0
for file in "${files[@]}"; do
  status=0
  trainplan plan "$file" --pick best --format json >"$RUNNER_TEMP/plan.json" 2>"$RUNNER_TEMP/said" || status=$?
  if [[ $status -ne 0 ]]; then
    printf '::error file=%s::' "$file"
    awk '{ printf "%s%%0A", $0 } END { print "" }' "$RUNNER_TEMP/said"
    failed=1
  fi
done
exit "$failed"
