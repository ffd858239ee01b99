#!/usr/bin/env bash
# limits_test.sh TRAINPLAN: where the system gives no more memory, the program says so and ends with its own status.
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
