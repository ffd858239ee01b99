#!/usr/bin/env bash
# Whether two binaries say the same, byte by byte: every shipped scenario through the commands that take it, every study,
# the catalogue, and tables of measured runs. For changes that move code and no figure.
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
    for target in megatron deepspeed accelerate nemo nemo2 torchtitan megatron-bridge; do echo "export --pick first --to $target $file"; done
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

export old new work
export -f compare
commands >"$work/list"
nl -n rz "$work/list" | xargs -P "$(nproc)" -L 1 bash -c 'compare "$@"' _ >"$work/differences" || true
cat "$work/differences"
printf '%s commands, %s differ\n' "$(wc -l <"$work/list")" "$(grep -c '^differs' "$work/differences" || true)"
! grep -q '^differs' "$work/differences"
