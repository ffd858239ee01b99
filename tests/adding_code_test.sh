#!/usr/bin/env bash
# Executes "A degree and an operator" of docs/adding.md with the text of the page, on copies of the sources: the compiler
# must report each omitted part, and the additions must run. Only sources that the degree changes are compiled; the rest
# comes from the libraries of the build directory.
# usage: tests/adding_code_test.sh SOURCE_DIR BUILD_DIR TRAINPLAN [COMPILER]
set -euo pipefail
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
trainplan=$3
compiler=${4:-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'docs/adding.md: %s\n' "$1"; exit 1; }
flags=(-std=c++20 -O0 -w -DFMT_SHARED)

section() { awk '/^## / { inside = $0 == "## A degree and an operator" } inside' "$source/docs/adding.md"; }

# Of the page: a patch for each file that it changes, and each file that it adds (a ```cpp block below a line `PATH`:).
split_page() {
  mkdir -p "$work/patches" "$work/added"
  section | awk -v to="$work/patches" '
    /^```/ { inside = $0 == "```diff"; next }
    inside && /^--- / { name = $2; gsub("/", "@", name); name = to "/" name }
    inside { print > name }'
  section | awk -v to="$work/added" '
    /^`[^`]+\.cc`:$/ { file = substr($0, 2, length($0) - 3); gsub("/", "@", file) }
    /^```/ { inside = $0 == "```cpp" && file; if (!inside && $0 == "```") file = ""; next }
    inside { print > to "/" file }'
}

# tree NAME: a copy of the sources.
tree() {
  mkdir -p "$work/$1"
  (cd "$source" && find dsl hw_profiles operator_models planner \( -name '*.h' -o -name '*.cc' \) -print0 |
    xargs -0 cp --parents -t "$work/$1")
}

# change TREE PATH...: what the page says of these files.
change() {
  local tree=$work/$1 path name
  shift
  for path in "$@"; do
    name=${path//\//@}
    [[ -f $work/patches/$name || -f $work/added/$name ]] || fail "it says nothing of $path"
    [[ ! -f $work/added/$name ]] || cp "$work/added/$name" "$tree/$path"
    [[ ! -f $work/patches/$name ]] || (cd "$tree" && patch -s -p0 -F0 <"$work/patches/$name") >"$work/why" ||
      fail "its change of $path does not fit: $(<"$work/why")"
  done
}

# compiles TREE PATH, refuses TREE PATH WHY: the compiler takes the file, or says this.
compiles() {
  (cd "$work/$1" && "$compiler" "${flags[@]}" -I. -fsyntax-only "$2") >"$work/why" 2>&1 ||
    fail "$2 does not compile: $(<"$work/why")"
}
refuses() {
  if (cd "$work/$1" && LC_ALL=C "$compiler" "${flags[@]}" -I. -fsyntax-only "$2") >"$work/why" 2>&1; then
    fail "$2 compiles though something is left out"
  fi
  grep -qE "$3" "$work/why" || fail "$2 is refused for another reason: $(<"$work/why")"
}

archives() { printf '%s\n' "$build"/planner/libtrainplan_{schedule,scenario}.a "$build"/operator_models/*.a "$build"/hw_profiles/*.a "$build"/dsl/*.a; }

# Rooms that know the degrees, up to the workload; a precompiled header keeps it quick.
build_degree() {
  local objects=$work/objects
  mkdir -p "$objects"
  cp "$source/tests/adding/workload.cc" "$work/degree/adding_workload.cc"
  printf '#include "%s"\n' planner/scenario/scenario.h planner/workload/cost.h planner/workload/passes/passes.h fmt/format.h >"$work/degree/all.h"
  cd "$work/degree"
  "$compiler" "${flags[@]}" -I. -x c++-header all.h -o all.h.gch
  # In few translation units, as the build has them.
  { find planner/scenario planner/workload -name '*.cc' | sort; echo adding_workload.cc; } | sed 's/^/units 12 /' |
    awk -f "$source/cmake/unity.awk" | awk '{ unit = "unit_" $2 ".cc"; for (i = 3; i <= NF; ++i) print "#include \"" $i "\"" > unit; print unit }' |
    xargs -P "$(nproc)" -I{} bash -c '"$0" "${@:3}" -I. -include all.h -c "$1" -o "$2/$1.o"' \
      "$compiler" {} "$objects" "${flags[@]}" >"$work/why" 2>&1 || fail "$(<"$work/why")"
  mapfile -t libraries < <(archives)
  "$compiler" "$objects"/*.o -Wl,--start-group "${libraries[@]}" -Wl,--end-group -lyaml-cpp -lfmt -o "$work/workload"
}

# value NAME: a figure of the last run.
value() { awk -v name="$1" '$1 == name { print $2 }' "$work/printed"; }
run_degree() { "$work/workload" "$work/resolved.json" "$@" >"$work/printed" 2>"$work/why" || fail "$(<"$work/why")"; }

check_degree() {
  tree degree
  change degree planner/scenario/degrees.h
  refuses degree planner/scenario/degrees.cc 'each member of Degrees has a row'
  change degree planner/scenario/{degrees,divisions}.cc planner/workload/passes/{vocabulary.cc,passes.h} planner/workload/build.cc
  "$trainplan" plan "$source/scenarios/gpt3-175b.yaml" --format json | jq '.scenario | del(.where, .goal, .software.errors)' >"$work/resolved.json"
  build_degree
  local order=parallelism.order=tp-vp-cp-ep-dp-pp one two
  run_degree "$order"
  one=$(value head.parameters)
  [[ -z $(value head.vp) ]] || fail 'a degree of 1 communicates'
  run_degree "$order" parallelism.vp=3
  two=$(value head.parameters)
  # The matrix of 51200 x 12288 is divided, beside 8 tensor ranks; the norm before it is not.
  local matrix=$((51200 * 12288 / 8))
  [[ $((one - two)) -eq $((matrix - matrix / 3)) ]] || fail "a head of $one parameters among 3 ranks has $two"
  awk -v seconds="$(value head.vp)" 'BEGIN { exit !(seconds > 0) }' || fail 'its ranks sum nothing'
  grep -q ' x vp 3$' "$work/printed" || fail 'a layout does not show it'
}

check_operator() {
  tree operator
  change operator operator_models/operators.h
  refuses operator operator_models/kinds.h 'each alternative of Operator has its row'
  change operator operator_models/kinds.h
  refuses operator operator_models/registry.cc 'has a name and a row'
  refuses operator planner/plan/ops.cc 'error: .*(visit|invoke|call)'
  refuses operator planner/workload/dimensions.cc 'error: .*(visit|invoke|call)'
  change operator operator_models/{barrier.cc,models.h,registry.cc} planner/plan/ops.cc planner/workload/dimensions.cc
  compiles operator planner/plan/ops.cc
  compiles operator planner/workload/dimensions.cc
  cd "$work/operator"
  mapfile -t libraries < <(archives)
  # A library's object may hold one of these files beside others: what comes first counts.
  "$compiler" "${flags[@]}" -I. "$source/tests/adding/operator.cc" operator_models/{barrier,registry,fitted,features}.cc \
    -Wl,--allow-multiple-definition -Wl,--start-group "${libraries[@]}" -Wl,--end-group -lyaml-cpp -lfmt -o "$work/operator_run" >"$work/why" 2>&1 || fail "$(<"$work/why")"
  [[ $("$work/operator_run") == 'barrier tree 1.2e-05' ]] || fail "a barrier costs $("$work/operator_run")"
}

# The page's count of files for a degree is that of its own example, a test included.
check_count() {
  local touched said
  touched=$(find "$work/patches" "$work/added" -name 'planner@*' ! -name 'planner@plan@ops.cc' ! -name 'planner@workload@dimensions.cc' -printf '%f\n' | sort -u | wc -l)
  said=$(section | awk -F'|' '$2 ~ /^ degree / { print $4 + 0 }')
  [[ $((touched + 1)) -eq $said && $said -le 7 ]] || fail "a degree touches $((touched + 1)) files, the table says $said"
}

split_page
check_count
check_operator
check_degree
