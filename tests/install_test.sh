#!/usr/bin/env bash
# `cmake --install` gives a binary that plans from any directory with no catalogue beside it, and what the binary makes
# of its commands: completions of shells and manual pages.
# usage: tests/install_test.sh SOURCE_DIR BUILD_DIR
set -euo pipefail
source=$1 build=$2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

cmake --install "$build" --prefix "$root/prefix" >/dev/null
files=$(cd "$root/prefix" && find . ! -type d | LC_ALL=C sort)
pages=$("$root/prefix/bin/trainplan" __complete | sed 's|.*|./share/man/man1/trainplan-&.1|')
expected=$(printf '%s\n' ./bin/trainplan ./share/bash-completion/completions/trainplan \
  ./share/fish/vendor_completions.d/trainplan.fish ./share/zsh/site-functions/_trainplan \
  ./share/man/man1/trainplan.1 $pages | LC_ALL=C sort)
[[ $files == "$expected" ]] || { printf 'installed, expected:\n%s\n\ngot:\n%s\n' "$expected" "$files"; exit 1; }
"$source/tests/completions_load.sh" "$root/prefix" site-functions

mkdir "$root/elsewhere"
cp "$source/scenarios/gpt3-175b.yaml" "$root/elsewhere/my.yaml"
cd "$root/elsewhere"
env -i PATH=/usr/bin:/bin "$root/prefix/bin/trainplan" plan my.yaml >plan.txt
[[ -s plan.txt ]] || { echo 'the installed binary printed no plan'; exit 1; }
