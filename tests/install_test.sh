#!/usr/bin/env bash
# `cmake --install` gives one file, a binary that plans from any directory with no catalogue beside it.
# usage: tests/install_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source=$1 build=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

cmake --install "$build" --prefix "$root/prefix" >/dev/null
files=$(cd "$root/prefix" && find . ! -type d)
[[ $files == ./bin/trainplan ]] || { printf 'installed, expected ./bin/trainplan alone:\n%s\n' "$files"; exit 1; }

mkdir "$root/elsewhere"
cp "$source/scenarios/gpt3-175b.yaml" "$root/elsewhere/my.yaml"
cd "$root/elsewhere"
env -i PATH=/usr/bin:/bin "$root/prefix/bin/trainplan" plan my.yaml >plan.txt
[[ -s plan.txt ]] || { echo 'the installed binary printed no plan'; exit 1; }
