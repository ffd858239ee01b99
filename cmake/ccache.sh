#!/bin/sh
# Compiles through ccache if it is installed. The command is the same without it: files built before ccache was
# installed are not built again.
# usage: cmake/ccache.sh SOURCE_DIR COMPILER ARGUMENTS...
export CCACHE_BASEDIR="$1"
shift
# Definitions in a precompiled header must not cause a miss: its content is hashed, or its .sum if there is one.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
# A recompiled header is not among its own inputs: ccache would take the old result for its users, whatever the header
# now contains. It is looked up by the text of its inputs, comments and blanks too: g++ identifies a file with one in a
# precompiled header only if all bytes are equal, and reads it a second time otherwise.
for argument; do
  case $argument in *.gch) rm -f "$argument" && export CCACHE_DEPEND=1 ;; esac
done
if command -v ccache >/dev/null; then exec ccache "$@"; fi
exec "$@"
