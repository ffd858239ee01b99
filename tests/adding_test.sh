#!/usr/bin/env bash
# Executes "A worked example" of docs/adding.md with the text of the page: writes its files, runs its commands, and
# compares their output. Then the build must embed the same files from the catalogue's folders.
# usage: tests/adding_test.sh SOURCE_DIR TRAINPLAN
set -euo pipefail
source=$(cd "$1" && pwd)
PATH=$(cd "$(dirname "$2")" && pwd):$PATH
export PATH
source "$source/tests/console.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{example/{accelerators,layers,models,software},commands,tree}
fail() { printf 'docs/adding.md: %s\n' "$1"; exit 1; }

section() { awk '/^## / { inside = $0 == "## A worked example" } inside' "$source/docs/adding.md"; }

# A file is a ```yaml block below a line `PATH`:.
write_files() {
  section | awk '
    /^`[^`]+\.yaml`:$/ { file = substr($0, 2, length($0) - 3) }
    /^```/ { inside = $0 == "```yaml" && file; if (!inside) file = ""; next }
    inside { print > file }'
}

run_commands() {
  local verb
  run_shown "$work/commands" >"$work/why" || fail "$(cat "$work/why")"
  for verb in check list show plan; do
    grep -q "^trainplan $verb " "$work"/commands/*.command || fail "no trainplan $verb in the example"
  done
}

# The folders of the catalogue alone, embedded by the project's own rules; no compiler is needed for that.
start_tree() {
  local folder
  for folder in cmake hw_profiles/accelerators scenarios/layers scenarios/models scenarios/software; do
    mkdir -p "$work/tree/$folder"
    cp "$source/$folder"/* "$work/tree/$folder"
  done
  cat >"$work/tree/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(tree NONE)
include(cmake/catalog.cmake)
add_custom_target(catalogue ALL)
trainplan_embed_catalog(catalogue)
CMAKE
  cmake -G Ninja -S "$work/tree" -B "$work/tree/build" >/dev/null
}

# embeds COUNT: that many entries of the example are in what the build writes.
embeds() {
  local found
  cmake --build "$work/tree/build" >"$work/now" 2>&1 || fail "$(cat "$work/now")"
  found=$(grep -cE '^ +\{"(accelerator", "acme-a1|model", "acme-moe|layer", "acme-linear|software", "acme-megatron)",' "$work/tree/build/catalog_data.cc" || true)
  [[ $found -eq $1 ]] || fail "the build embeds $found of the example's entries, expected $1"
}

section | split_commands "$work/commands"
cd "$work/example"
write_files
run_commands

start_tree
embeds 0
cp accelerators/* "$work/tree/hw_profiles/accelerators"
cp layers/* "$work/tree/scenarios/layers"
cp models/* "$work/tree/scenarios/models"
cp software/* "$work/tree/scenarios/software"
embeds 4
rm "$work"/tree/*/*/acme-*.yaml
embeds 0
