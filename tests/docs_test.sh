#!/usr/bin/env bash
# Runs the commands that the documentation shows, and compares the pictures with the output of their commands.
# - Every line of a ```sh block in README.md and below docs/ that starts with `trainplan` runs from the root of the
#   sources. It passes if it exits as its comment says (`# exit 3`), or 0. Lines that write files or need the
#   reader's own data are in blocks of another language (```text, ```console).
# - A ```console block of the pages of shown_pages (console.sh) also shows what its commands print, to the letter; `...` matches any
#   lines. They run in a temporary folder that has the names of the root; it is deleted with its new files. A block under
#   a line `PATH`: is that file: an identical copy of a source file, or one that is first written there.
# - docs/pictures/commands.tsv names the command of each picture.
# usage: tests/docs_test.sh SOURCE_DIR TRAINPLAN [PAGE...]   (all pages)
set -euo pipefail
source=$(cd "$1" && pwd) binary=$(cd "$(dirname "$2")" && pwd)
shift 2
cd "$source"
PATH=$binary:$PATH
export PATH
all=$# pages=("$@")
if [[ $all -eq 0 ]]; then mapfile -t pages < <(printf '%s\n' README.md docs/*.md docs/*/*.md); fi
ran=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
source tests/console.sh
fail() { printf '%s\n' "$*"; failed=$((failed + 1)); }

commands() {
  awk 'FNR == 1 { inside = 0 } /^```/ { inside = (!inside && $0 == "```sh"); next } inside && /^trainplan / { print FILENAME "\t" $0 }' "$@"
}

run_commands() {
  local file command want status out
  while IFS=$'\t' read -r file command; do
    want=0 status=0
    if [[ $command =~ \#\ exit\ ([0-9]+) ]]; then want=${BASH_REMATCH[1]}; fi
    out=$(bash -o pipefail -c "$command" 2>&1 </dev/null) || status=$?
    ran=$((ran + 1))
    [[ $status -eq $want ]] ||
      fail "$(printf '%s: %s\n  exit status %s, expected %s\n%s\n' "$file" "$command" "$status" "$want" "$(head -n 20 <<<"$out")")"
  done < <(commands "${pages[@]}")
}

# written DIR <PAGE: the files that a page shows, below DIR.
written() {
  awk -v to="$1/" '
    /^`[^` ]+`:$/ { file = substr($0, 2, length($0) - 3); next }
    /^```/ { inside = !inside && file; if (inside) { path = to file; system("mkdir -p \"$(dirname \"" path "\")\"") } else if (path) { close(path); file = path = "" } next }
    inside { print > path }
    !inside && NF { file = "" }' 
}

# The console blocks of one page.
run_page() {
  local page=$1 at=$work/$2 file
  mkdir -p "$at"/{commands,files,root}
  ln -s "$source"/* "$at/root"
  written "$at/files" <"$page"
  while IFS= read -r file; do
    if [[ ! -e $source/$file ]]; then
      mkdir -p "$(dirname "$at/root/$file")" && cp "$at/files/$file" "$at/root/$file"
    elif ! diff "$at/files/$file" "$source/$file" >"$at/diff"; then
      fail "$page shows another $file than there is:" "$(cat "$at/diff")"
    fi
  done < <(cd "$at/files" && find . -type f | sed 's,^\./,,')
  split_commands "$at/commands" <"$page"
  compgen -G "$at/commands/*.command" >/dev/null || return 0
  ran=$((ran + $(printf '%s\n' "$at/commands"/*.command | wc -l)))
  if ! (cd "$at/root" && run_shown "$at/commands") >"$at/why"; then fail "$page: $(cat "$at/why")"; fi
}

run_pages() {
  local page number=0
  for page in "${pages[@]}"; do
    shown_pages | grep -qxF "$page" || continue
    number=$((number + 1))
    run_page "$page" "$number"
    awk '/^```/ { open = !open; inside = open && $0 != "```sh" && $0 != "```console"; next }
      inside && /^(\$ )?trainplan / { found = 1; print }
      END { exit found }' "$page" >"$work/not-run" ||
      fail "$page: no test runs $(head -n 1 "$work/not-run")"
  done
}

compare_pictures() {
  local name command
  while IFS=$'\t' read -r name command; do
    ran=$((ran + 1))
    bash -o pipefail -c "$command" >"$work/picture.svg" 2>"$work/why" </dev/null || fail "docs/pictures/$name.svg: $command: $(cat "$work/why")"
    cmp -s "$work/picture.svg" "docs/pictures/$name.svg" || fail "docs/pictures/$name.svg is not what '$command' draws: ./dev pictures"
  done <docs/pictures/commands.tsv
}

run_commands
run_pages
if [[ $all -eq 0 ]]; then compare_pictures; fi
printf '%s commands of the documentation, %s failed\n' "$ran" "$failed"
[[ $ran -gt 0 && $failed -eq 0 ]]
