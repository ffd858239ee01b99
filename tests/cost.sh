#!/usr/bin/env bash
# What commands cost: the instructions that each executes, as valgrind counts them, against those of tests/cost.tsv.
# A count does not depend on what else the machine does, nor on its processor, since every command sees the same
# environment and functions of the C library that any x86-64 has.
# usage: tests/cost.sh BINARY [--write]    exit status 1: one costs more than 5 % above its row; --write: the table anew
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
binary=$1
table=tests/cost.tsv
work=build/cost
most=1.05 # times what the table says
rm -rf "$work"
mkdir -p "$work"

# Series of five points for `scale`: square roots under a ripple of 1 %.
series() {
  awk 'BEGIN {
    print "PARAMETER p\nPOINTS (4) (8) (16) (32) (64)"
    for (path = 0; path < 1000; ++path) {
      printf "\nREGION main->kernel%d\nMETRIC time\n", path
      for (x = 4; x <= 64; x *= 2) printf "DATA %.6g\n", 2 + sqrt(x) * (1 + 0.01 * sin(x + path))
    }
  }'
}

# A trace of one step in the format of Kineto: operators, each with its launch and its kernel.
trace() {
  awk 'function event(category, name, at, length_us, thread, args) {
    printf "{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": %d, \"dur\": %d, \"args\": {%s}},\n",
      category, name, thread == 8 ? 7 : 0, thread, at, length_us, args
  }
  BEGIN {
    print "{\"distributedInfo\": {\"rank\": 0, \"world_size\": 1}, \"traceEvents\": ["
    event("user_annotation", "ProfilerStep#1", 0, 12 * 5000 + 20, 8, "")
    for (i = 0; i < 5000; ++i) {
      event("cpu_op", "aten::op_" i % 300, 12 * i, 9, 8, "\"External id\": " i)
      event("cuda_runtime", "cudaLaunchKernel", 12 * i + 1, 5, 8, "\"correlation\": " i)
      event("kernel", "void vectorized_kernel_" i % 300, 12 * i + 3, 8, 17, "\"device\": 0, \"stream\": 17, \"correlation\": " i)
    }
    print "{\"ph\": \"i\", \"name\": \"end\", \"ts\": 1}]}"
  }'
}

# Prints the millions of instructions of a command, or what it says where it fails.
count() {
  local log
  log=$(mktemp -p "$work")
  set -f # a command is words without blanks, some of them in brackets
  # shellcheck disable=SC2086
  if ! env -i GLIBC_TUNABLES="$tunables" "$valgrind" --tool=callgrind --callgrind-out-file=/dev/null --log-file="$log" \
    "$binary" $1 </dev/null >"$log.out" 2>&1; then
    printf 'failed\t%s: %s\n' "$1" "$(tail -n 1 "$log.out")"
    return
  fi
  awk -v command="$1" '/ Collected : / { printf "%.2f\t%s\n", $4 / 1e6, command }' "$log"
}

series >"$work/series.txt"
trace >"$work/trace.json"
valgrind=$(command -v valgrind)
# Functions that a processor would pick by what it can (memcpy, exp ...) are those of the least.
tunables=glibc.cpu.hwcaps=-AVX,-AVX2,-AVX_Fast_Unaligned_Load,-AVX512F,-FMA,-FMA4,-ERMS,-FSRM,-BMI1,-BMI2,-LZCNT,-MOVBE,-POPCNT,-RTM,-XSAVE,-XSAVEC,-SSSE3,-SSE4_1,-SSE4_2
export -f count
export binary work valgrind tunables
sort -rn "$table" | cut -f 2 | xargs -d '\n' -P "$(nproc)" -n 1 bash -c 'count "$1"' _ >"$work/counts"

if [[ ${2:-} == --write ]]; then
  ! grep '^failed' "$work/counts" || exit 1
  awk -F '\t' 'NR == FNR { count[$2] = $1; next } { print count[$2] "\t" $2 }' "$work/counts" "$table" >"$work/table"
  cp "$work/table" "$table"
  cat "$table"
  exit
fi

awk -F '\t' -v most="$most" '
  NR == FNR { if ($1 == "failed") print "failed: " $2; else count[$2] = $1; next }
  FNR == 1 { printf "%9s %9s %8s  %s\n", "million", "table", "change", "trainplan ..." }
  !($2 in count) { ++failed; next }
  {
    above = count[$2] > $1 * most
    failed += above
    printf "%9.1f %9.1f %+7.1f %%  %s%s\n", count[$2], $1, (count[$2] / $1 - 1) * 100, $2, above ? "  TOO MUCH" : ""
  }
  END {
    if (failed) print "a commit that means to cost more writes the table anew (./dev cost --write) and says why"
    printf "%d passed, %d failed\n", FNR - failed, failed
    exit failed > 0
  }' "$work/counts" "$table"
