#!/usr/bin/env bash
# Files that one translation unit must not hold stay apart, others meet (cmake/unity.awk).
# usage: tests/unity_test.sh SOURCE_DIR
set -euo pipefail
script=$(cd "$1" && pwd)/cmake/unity.awk
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# file NAME OWN REST: what it keeps for itself, and what else it says.
file() { printf 'namespace room {\nnamespace {\n\n%s\n\n}  // namespace\n\n%s\n\n}  // namespace room\n' "$2" "$3" >"$1"; }
# expect WHY GROUPS FILE...: one line a group, its files with spaces between.
expect() {
  local why=$1 groups=$2 got
  shift 2
  got=$(printf 'it 3 %s\n' "$@" | awk -f "$script" | cut -d ' ' -f 3- | paste -sd '|')
  [[ $got == "$groups" ]] || { printf '%s: groups %s, expected %s\n' "$why" "$got" "$groups"; exit 1; }
}

file a.cc 'int rows(const std::map<int, int>& of) { return 1; }' 'int a() { return rows({}); }'
file b.cc 'constexpr double kOne = 1, kTwo = 2;' 'int b(int rows) { return rows * kOne; }'
file c.cc 'int rows() { return 2; }' 'int c() { return rows(); }'
file d.cc 'struct Slot : Base {' 'int d() { return other.rows() + kTwo; }'
file e.cc 'struct Slot {' '// kOne, rows()'
expect 'a local variable is no function, a member no name of its own' 'a.cc b.cc' a.cc b.cc
expect 'the same function' 'a.cc|c.cc' a.cc c.cc
expect 'the second constant of a line' 'b.cc|d.cc' b.cc d.cc
expect 'the same struct; a comment says nothing' 'a.cc b.cc e.cc|c.cc d.cc' a.cc b.cc c.cc d.cc e.cc
file f.cc '' ''
file g.cc '' ''
expect 'at most three' 'b.cc e.cc f.cc|g.cc' b.cc e.cc {f,g}.cc

printf 'namespace room {\n\ntemplate <class T> int rows(T x);\n\n}  // namespace room\n' >rows.h
printf '#include "rows.h"\n' >over.h
{ printf '#include "over.h"\n'; cat e.cc; } >includes.cc
{ printf '#include "over.h"\n'; cat a.cc; } >knows.cc
expect 'a header that declares the name beside it' 'a.cc|includes.cc' a.cc includes.cc
expect 'unless both include it' 'knows.cc includes.cc' knows.cc includes.cc
sed 's/namespace room/namespace elsewhere/' rows.h >moved && mv moved rows.h
expect 'of another namespace' 'a.cc includes.cc' a.cc includes.cc

file h.cc 'using other::Shape;' 'Shape h();'
file i.cc 'using other::Shape;' 'Shape i();'
file j.cc 'using third::Shape;' 'Shape j();'
file k.cc 'using namespace other;' ''
expect 'the same name of another namespace' 'h.cc i.cc|j.cc' {h,i,j}.cc
expect 'whole namespaces' 'a.cc b.cc e.cc|k.cc' a.cc k.cc b.cc e.cc
