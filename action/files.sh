# shellcheck shell=bash
# Sourced by the steps: `files` is the scenarios of the input, which is a pattern of bash a line.
set -euo pipefail
shopt -s globstar nullglob
files=()
while IFS= read -r pattern; do
  [[ -n ${pattern//[[:space:]]/} ]] || continue
  # shellcheck disable=SC2206  # a pattern stands for its files
  found=($pattern)
  if [[ ${#found[@]} -eq 0 ]]; then
    printf '::error::no file matches %s\n' "$pattern"
    exit 1
  fi
  files+=("${found[@]}")
done <<<"$SCENARIOS"
if [[ ${#files[@]} -eq 0 ]]; then
  printf '::error::no scenario is named\n'
  exit 1
fi
