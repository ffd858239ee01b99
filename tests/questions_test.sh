#!/usr/bin/env bash
# Runs the pages of questions that name no file, from an empty folder and with the program alone: what they show is what
# is printed. Each has three commands at most.
# usage: tests/questions_test.sh SOURCE_DIR TRAINPLAN
set -euo pipefail
source=$(realpath "$1") program=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source "$source/tests/console.sh"
mkdir "$work/bin" "$work/empty"
cp "$program" "$work/bin/trainplan"
PATH=$work/bin:$PATH
export PATH
cd "$work/empty"
failed=0 ran=0
for page in one-gpu slow-run budget new-chip why-not; do
  rm -rf "$work/page"
  mkdir "$work/page"
  split_commands "$work/page" <"$source/docs/questions/$page.md"
  count=$(find "$work/page" -name '*.command' | wc -l)
  ran=$((ran + count))
  [[ $count -ge 1 && $count -le 3 ]] || { printf '%s has %s commands, at most 3 expected\n' "$page" "$count"; failed=1; }
  run_shown "$work/page" || { printf 'in docs/questions/%s.md\n' "$page"; failed=1; }
done
[[ -z $(ls -A) ]] || { printf 'the commands left files\n'; failed=1; }
printf '%s commands\n' "$ran"
exit "$failed"
