#!/bin/sh
# Compiles by another compiler than CMake's own.
# usage: cmake/compile_by.sh COMPILER OTHER COMMAND...    COMMAND: COMPILER somewhere in it, which OTHER takes the place of
compiler=$1 other=$2
shift 2
for argument; do
  shift
  [ "$argument" != "$compiler" ] || argument=$other
  set -- "$@" "$argument"
done
exec "$@"
