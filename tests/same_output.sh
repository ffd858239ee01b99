#!/usr/bin/env bash
# Whether two binaries say the same, byte by byte: every shipped scenario through the commands that take it, every study,
# the catalogue, tables of measured runs, and each command of the documentation and of the help, in all formats. For
# changes that move code and no figure.
# usage: tests/same_output.sh OLD NEW [RUNS.csv...]        exit status 1: something differs (listed)
set -euo pipefail
old=$(realpath "$1") new=$(realpath "$2")
shift 2
tables=()
for table in "$@"; do tables+=("$(realpath "$table")"); done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

commands() {
  local file format target
  for file in scenarios/*.yaml; do
    for format in table json csv; do
      echo "plan --pick first --format $format $file"
      echo "ops --pick first --format $format $file"
      echo "comm --pick first --format $format $file"
    done
    for target in megatron deepspeed accelerate nemo nemo2 torchtitan torchtitan-toml megatron-bridge; do echo "export --pick first --to $target $file"; done
    for format in table json; do echo "search --limit 1e5 --threads 2 --format $format $file"; done
    echo "check $file"
    ! grep -q '^roadmap:' "$file" || echo "roadmap --format json $file"
  done
  for file in scenarios/studies/*.yaml; do echo "validate --format json $file"; done
  for file in ${tables[@]+"${tables[@]}"}; do
    for format in table json md; do echo "validate --format $format $file"; done
  done
  for file in scenarios/models/*.yaml; do echo "show model/$(basename "$file" .yaml)"; done
  for file in scenarios/software/*.yaml; do echo "show software/$(basename "$file" .yaml)"; done
  for file in hw_profiles/clusters/*.yaml; do echo "show cluster/$(basename "$file" .yaml)"; done
  echo "schema"
  echo "list"
}

compare() {
  local name=$1 binary
  shift
  for binary in old new; do
    { "${!binary}" "$@" 2>&1 </dev/null; echo "exit status $?"; } >"$work/$name.$binary" || true
  done
  cmp -s "$work/$name.old" "$work/$name.new" && return
  echo "differs: trainplan $*"
  diff "$work/$name.old" "$work/$name.new" | head -n 6 | cut -c 1-160 || true
}

# Lines of a shell: those that the pages and the help show, and the same in other formats where the line says none.
shown() {
  local command line
  for command in $("$new" __complete); do "$new" help "$command" | sed -n '/^examples:$/,$s/^    //p'; done
  awk 'FNR == 1 { inside = 0 } /^```/ { inside = $0 == "```sh" || $0 == "```console"; next }
    inside && sub(/^(\$ )?trainplan /, "") { sub(/ +# .*/, ""); print "trainplan " $0 }' README.md docs/*.md docs/*/*.md
}
in_formats() {
  local line format
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line != *[\|\>\;]* && $line != *--format* && $line == *trainplan\ * ]] || continue
    for format in json csv md html svg; do printf '%s --format %s\n' "$line" "$format"; done
  done
}

# Each in a folder of its own that has the names of the root: what a command writes is thrown away.
compare_line() {
  local name=line.$1 binary at
  for binary in old new; do
    at=$work/$name.$binary.folder
    mkdir -p "$at" && ln -s "$PWD"/* "$at"
    { (cd "$at" && PATH=$work/$binary:$PATH bash -c "$2") 2>&1 </dev/null; echo "exit status $?"; } >"$work/$name.$binary" || true
    rm -r "$at"
  done
  cmp -s "$work/$name.old" "$work/$name.new" || { echo "differs: $2" && diff "$work/$name.old" "$work/$name.new" | head -n 6 | cut -c 1-160; } || true
}

export old new work
export -f compare compare_line
mkdir "$work/old" "$work/new" && ln -s "$old" "$work/old/trainplan" && ln -s "$new" "$work/new/trainplan"
{ [[ -n ${ONLY_LINES-} ]] || commands; } >"$work/list"  # of the pages and the help alone
shown | sort -u | in_formats >"$work/lines"
nl -n rz "$work/list" | xargs -P "$(nproc)" -L 1 bash -c 'compare "$@"' _ >"$work/differences" || true
nl -n rz -s $'\n' "$work/lines" | tr '\n' '\0' | xargs -0 -P "$(nproc)" -n 2 bash -c 'compare_line "$@"' _ >>"$work/differences" || true
cat "$work/differences"
printf '%s commands, %s differ\n' "$(cat "$work/list" "$work/lines" | wc -l)" "$(grep -c '^differs' "$work/differences" || true)"
! grep -q '^differs' "$work/differences"
