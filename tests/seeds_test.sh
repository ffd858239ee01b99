#!/usr/bin/env bash
# Each script of seeds for a fuzz target runs, and writes seeds: it reads sources whose names change.
# usage: tests/seeds_test.sh SOURCE_DIR TRAINPLAN
set -euo pipefail
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
for script in tests/fuzz/seeds/*.sh; do
  mkdir "$work/seeds"
  if ! bash "$script" "$work/seeds" "$work/dict" "$2" 2>"$work/why" || [[ -z $(ls -A "$work/seeds") ]]; then
    printf 'seeds: %s fails, or writes none: %s\n' "$script" "$(cat "$work/why")"
    failed=1
  fi
  rm -rf "$work/seeds" "$work/dict"
done
exit "$failed"
