#!/usr/bin/env bash
# The operator figures of docs/accuracy.md as Markdown, each with the command that prints it.
# usage: tests/accuracy/figures.sh TRAINPLAN DATA    (DATA: the folder that holds operators/)
set -euo pipefail
trainplan=$1
cd "$2"

percent() { awk -v x="$1" 'BEGIN { if (x == "null") print "-"; else printf "%.1f %%", 100 * x }'; }

# Geomean error over everything that was left out, weighted by rows; a fold of `holdout` is one left-out group.
left_out() { jq -r '[.holdout[] | select(.rows > 0)] | if length == 0 then "null" else
  (([.[] | .rows * ((1 + .geomean_error) | log)] | add) / ([.[].rows] | add) | exp - 1) end'; }

row() { # WHAT LIMIT COMMAND...
  local what=$1 limit=$2
  shift 2
  local json
  json=$("$trainplan" calibrate "$@" --format json --quiet)
  printf '| %s | %s | %s | %s | `calibrate %s` |\n' "$what" "$(jq -r .rows <<<"$json")" \
    "$(percent "$(left_out <<<"$json")")" "$limit" "$(quoted "$@")"
}
score() { # WHAT LIMIT COMMAND...
  local what=$1 limit=$2
  shift 2
  local json
  json=$("$trainplan" calibrate "$@" --format json --quiet)
  printf '| %s | %s | %s | %s | `calibrate %s` |\n' "$what" "$(jq -r .rows <<<"$json")" \
    "$(percent "$(jq -r .geomean_error <<<"$json")")" "$limit" "$(quoted "$@")"
}
# The arguments as one would type them.
quoted() {
  local word out=''
  for word in "$@"; do
    [[ $word =~ [[:space:]\"] ]] && word="'$word'"
    out+="${out:+ }${word#operators/}"
  done
  printf '%s' "$out"
}

head_row() { printf '| what | rows | error | limit | command |\n| --- | --- | --- | --- | --- |\n'; }
