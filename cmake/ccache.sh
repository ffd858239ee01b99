#!/bin/sh
# Compiles through ccache where it is installed. The command is the same without: what was built before ccache came is not
# built again.
# usage: cmake/ccache.sh SOURCE_DIR COMPILER ARGUMENTS...
export CCACHE_BASEDIR="$1"
shift
# What a precompiled header defines is no reason to miss: its content is hashed, or its .sum where it has one.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1
# A header that is compiled anew is not one of its own inputs: ccache would take the old result for them, whatever the
# header says by now. It is looked for by what its inputs say, comments and blanks too: g++ takes a file for one that a
# precompiled header holds where all its bytes are the same, and reads it a second time otherwise.
for argument; do
  case $argument in *.gch) rm -f "$argument" && export CCACHE_DEPEND=1 ;; esac
done
if command -v ccache >/dev/null; then exec ccache "$@"; fi
exec "$@"
