#!/usr/bin/env bash
# limits_test.sh TRAINPLAN: where the system gives no more memory, or no more of a file, the program says so and ends with
# its own status; inputs that are made to take much take little.
set -euo pipefail
trainplan=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

{ printf '[1' && head -c 3000000 /dev/zero | sed 's/\x00/,1/g' && printf ']'; } >"$work/large.json"
status=0
(ulimit -v 200000 && "$trainplan" scale "$work/large.json") >"$work/out" 2>"$work/err" || status=$?
if [[ $status -ne 6 ]] || ! grep -q '^trainplan: out of memory' "$work/err" || [[ -s $work/out ]]; then
  echo "status $status:" && cat "$work/err" && exit 1
fi

# A process substitution and a pipe are inputs like files.
printf 'model: {use: gpt3-1.3b}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-a100-80gb, gpus: 8}\n' >"$work/a.yaml"
"$trainplan" plan "$work/a.yaml" >"$work/file"
"$trainplan" plan <(cat "$work/a.yaml") | cmp - "$work/file"
cat "$work/a.yaml" | "$trainplan" plan - | cmp - "$work/file"

# A file that may not grow is an error like any other, and no signal ends the program.
for to in '--output file' ''; do
  status=0
  # shellcheck disable=SC2086
  (cd "$work" && ulimit -f 1 && "$trainplan" schema scenario $to >stdout) 2>"$work/err" || status=$?
  if [[ $status -ne 1 ]] || ! grep -q '^trainplan: cannot write' "$work/err"; then
    echo "a small file, '$to': status $status:" && cat "$work/err" && exit 1
  fi
done

# within SECONDS COMMAND...: it ends with 0 or 1, within that processor time and 2 GiB.
within() {
  local status=0
  (ulimit -t "$1" -v $((2 << 20)) && "${@:2}" >"$work/out" 2>"$work/err") || status=$?
  [[ $status -le 1 ]] || { echo "${*:2}: status $status:" && head -c 1000 "$work/err" && exit 1; }
}
# Bytes that are not a trace, packed and not, and messages of three bytes each.
head -c 50000000 /dev/zero >"$work/zeros"
gzip -c "$work/zeros" >"$work/zeros.gz"
{ printf '\0' && awk 'BEGIN { for (i = 0; i < 4500000; ++i) printf "\002\010\001" }'; } >"$work/messages"
for file in zeros zeros.gz messages; do within 10 "$trainplan" replay "$work/$file"; done
grep -q 'more than 4000000 nodes' "$work/err"
# Kernels that overlap, each in a stream of its own: a multiple of their number, not its square.
awk 'BEGIN {
  for (i = 1; i <= 80000; ++i) {
    printf "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}}", (i > 1 ? "," : "["), 2 * i, i
    printf ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":%d,\"ts\":%d,\"dur\":999999,\"args\":{\"correlation\":%d,\"stream\":%d}}", i, 2 * i + 1, i, i
  }
  print "]"
}' >"$work/streams.json"
within 5 "$trainplan" replay "$work/streams.json" --format json
within 5 "$trainplan" replay "$work/streams.json" --move k=9
# Figures at the ends of what a double holds have a picture.
for figure in 4.9e-324 1e-310 0 1e100; do
  printf 'PARAMETER p\nPOINTS (4) (8) (16) (32) (64)\nREGION main\nMETRIC time\nDATA %s\nDATA 1\nDATA 2\nDATA 3\nDATA 4\n' "$figure" >"$work/times.txt"
  within 5 "$trainplan" scale "$work/times.txt" --format svg
  grep -q '</svg>' "$work/out"
  if grep -qE '[" ]-?(nan|inf)' "$work/out"; then echo "$figure: no figures in the picture" && exit 1; fi
done
