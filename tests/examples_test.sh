#!/usr/bin/env bash
# Runs the examples that the help of each command shows, from an empty folder. Each has two, and each exits 0; that of a
# server exits so when it is ended.
# usage: tests/examples_test.sh TRAINPLAN
set -euo pipefail
set -- "$(realpath "$1")" "$(realpath "$1")"
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
cd "$empty"
PATH=$(dirname "$2"):$PATH
export PATH

examples() { "$2" help "$1" | sed -n '/^examples:$/,$s/^    //p'; }

ran=0 failed=0
for command in $("$2" __complete); do
  count=0
  while IFS= read -r line; do
    status=0
    ended=()
    [[ $command != serve ]] || ended=(timeout --preserve-status 2)
    out=$("${ended[@]}" bash -o pipefail -c "$line" 2>&1 </dev/null) || status=$?
    count=$((count + 1))
    [[ $line == *"trainplan $command "* || $line == *"trainplan $command" || $line == *"trainplan $command)"* ]] ||
      { printf 'no example of %s: %s\n' "$command" "$line"; failed=$((failed + 1)); }
    if [[ $status -ne 0 ]]; then
      printf '%s\n  exit status %s\n%s\n' "$line" "$status" "$(head -n 20 <<<"$out")"
      failed=$((failed + 1))
    fi
  done < <(examples "$command" "$2")
  ran=$((ran + count))
  [[ $count -eq 2 ]] || { printf '%s has %s examples, expected 2\n' "$command" "$count"; failed=$((failed + 1)); }
done
printf '%s examples, %s failed\n' "$ran" "$failed"
[[ $ran -gt 0 && $failed -eq 0 ]]
