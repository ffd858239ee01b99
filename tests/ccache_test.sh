#!/usr/bin/env bash
# A precompiled header that is made anew has what its headers say by now, whatever of it was made before: also from the
# same old one, with other changes, as after a change of branches, and where only a comment or a blank changed.
# usage: tests/ccache_test.sh SOURCE_DIR COMPILER
set -euo pipefail
source_dir=$1 compiler=$2
command -v ccache >/dev/null || { echo "there is no ccache"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export CCACHE_DIR=$work/cache
printf '#pragma once\n#include "a.h"\n' >p.hxx
: >p.hxx.cxx

# Makes the header with a function of this name, and a comment.
make() {
  printf '#pragma once\ninline int %s() { return 0; }  // %s\n' "$1" "${2:-}" >a.h
  touch -d "$((++made)) seconds ago" a.h  # ccache trusts no file that is as new as its cache
  "$source_dir/cmake/ccache.sh" "$work" "$compiler" -std=c++20 -x c++-header -include "$work/p.hxx" -MD -MT p.hxx.gch \
    -MF p.hxx.gch.d -o p.hxx.gch -c p.hxx.cxx
}
# Whether the header has a function of this name.
has() {
  printf '#include "a.h"\nint main() { return %s(); }\n' "$1" >main.cc
  "$compiler" -std=c++20 -include "$work/p.hxx" -fsyntax-only -Winvalid-pch -Werror main.cc
}

made=10
make first && has first
cp p.hxx.gch old.gch
make second && has second
cp old.gch p.hxx.gch
make third && has third
make third again && has third
make third 'again, with blanks  ' && has third
echo "passed"
