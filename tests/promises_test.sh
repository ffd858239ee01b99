#!/usr/bin/env bash
# What the documentation promises of bytes, exit statuses and limits, each sentence with a command that shows it:
# tests/promises.txt. A sentence that is no longer on its page fails, and so does a promise of a page without a row.
# usage: tests/promises_test.sh SOURCE_DIR TRAINPLAN [PAGE]
set -uo pipefail
source=$(cd "$1" && pwd)
program=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$program" "$work/bin/trainplan"
ln -s "$source/scenarios" "$source/tests" "$work/run/"
export PATH=$work/bin:$PATH
problems=0
complain() { printf 'promises: %s\n' "$*"; problems=$((problems + 1)); }

# What rows may call. status N COMMAND...: it ends so; what it prints is in out and err.
status() {
  local ends=0
  "${@:2}" >out 2>err || ends=$?
  [[ $ends -eq $1 ]] || { printf '%s: status %s and not %s: %s\n' "${*:2}" "$ends" "$1" "$(head -c 500 err)"; return 1; }
}
# same COMMAND -- COMMAND: both print the same.
same() {
  local first=()
  while [[ $1 != -- ]]; do first+=("$1"); shift; done
  shift
  "${first[@]}" >first 2>/dev/null
  "$@" >second 2>/dev/null
  [[ -s first ]] && cmp first second
}
# says TEXT: the last command said so on standard error or output.
says() { grep -qF -- "$1" err out || { printf 'not said: %s; but: %s\n' "$1" "$(head -c 500 err)"; return 1; }; }
# small COMMAND...: in 10 s of processor time and 2 GiB.
small() { (ulimit -t 10 -v $((2 << 20)) && "$@"); }

# A page's sentences, one a line, without code: cells of tables are sentences too. Those of a table of limits are marked.
sentences() {
  awk '/^```/ { code = !code; print ""; next } code { next }
       /^\| what \| at most \|/ { limits = 1; next }
       !/^\|/ { limits = 0 }
       limits && /^\| / && !/^\| ---/ { split($0, cell, " \\| "); print "\nLIMIT " substr(cell[1], 3) "\n"; next }
       /^\|/ { gsub(/ \| /, "\n"); print; next }
       /^ *[-*] |^$/ { print ""; } { printf "%s ", $0 }' "$1" |
    sed -E 's/([.;:]) +/\1\n/g; s/[[:space:]]+/ /g' | sed -E 's/^ +//; s/ +$//'
}
promise='byte for byte|the same bytes|the bytes of (one|a) search|[Ee]xit status [0-9]|No input takes|^LIMIT '

page='' sentence='' pages=()
while IFS= read -r line; do
  case $line in
    '' | '#'*) ;;
    '  '*)
      [[ -z ${3:-} || $page == "$3" ]] || continue
      (cd "$work/run" && eval "$line") >"$work/why" 2>&1 || complain "$page: $sentence: ${line#  }: $(head -c 700 "$work/why")"
      find "$work/run" -mindepth 1 -maxdepth 1 ! -type l -exec rm -rf {} + ;;
    *)
      page=${line%%: *} sentence=${line#*: }
      pages+=("$page")
      sentences "$source/$page" >"$work/sentences"
      grep -qF -- "$sentence" "$work/sentences" || complain "$page no longer says: $sentence"
      printf '%s\t%s\n' "$page" "$sentence" >>"$work/rows" ;;
  esac
done <"$source/tests/promises.txt"

for page in "$source"/README.md "$source"/docs/*.md "$source"/docs/{questions,output}/*.md; do
  name=${page#"$source"/}
  case $name in docs/models* | docs/accuracy* | docs/architecture.md) continue ;; esac   # of models, figures and tests
  sentences "$page" | grep -E "$promise" | sed 's/^LIMIT //' | while IFS= read -r sentence; do
    cut -f 2 <(grep "^$name	" "$work/rows") | awk -v text="$sentence" 'index(text, $0) { found = 1 } END { exit !found }' ||
      printf '%s: no row of tests/promises.txt shows: %s\n' "$name" "$sentence"
  done
done >"$work/without"
while IFS= read -r line; do complain "$line"; done <"$work/without"
[[ ${#pages[@]} -gt 40 && $problems -eq 0 ]]
