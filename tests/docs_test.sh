#!/usr/bin/env bash
# Runs the commands that the documentation shows: every line of a ```sh block in README.md and
# docs/*.md that starts with `trainplan`, from the root of the sources. A command passes if it exits
# as its comment says (`# exit 3`), or 0. Lines that write files or need data of the reader's own
# stand in blocks of another language (```text, ```console). A ```console block of README.md also shows what its
# commands print, to the letter; `...` stands for any lines.
# usage: tests/docs_test.sh SOURCE_DIR TRAINPLAN
set -euo pipefail
source=$1 binary=$2
cd "$source"
PATH=$(dirname "$binary"):$PATH
export PATH

commands() {
  awk 'FNR == 1 { inside = 0 } /^```/ { inside = (!inside && $0 == "```sh"); next } inside && /^trainplan / { print FILENAME "\t" $0 }' \
    README.md docs/*.md
}

shown=$(mktemp -d)
trap 'rm -rf "$shown"' EXIT
source tests/console.sh
split_commands "$shown" <README.md

ran=0 failed=0
while IFS=$'\t' read -r file command; do
  want=0 status=0
  if [[ $command =~ \#\ exit\ ([0-9]+) ]]; then want=${BASH_REMATCH[1]}; fi
  out=$(bash -o pipefail -c "$command" 2>&1 </dev/null) || status=$?
  ran=$((ran + 1))
  if [[ $status -ne $want ]]; then
    printf '%s: %s\n  exit status %s, expected %s\n%s\n' "$file" "$command" "$status" "$want" "$(head -n 20 <<<"$out")"
    failed=$((failed + 1))
  fi
done < <(commands)
if ! run_shown "$shown"; then failed=$((failed + 1)); fi
printf '%s commands of the documentation, %s failed\n' "$ran" "$failed"
[[ $ran -gt 0 && $failed -eq 0 ]]
