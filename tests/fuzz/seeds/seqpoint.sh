# Its tests' logs, one text of each, behind a byte for name and batches; a list of lengths, packed and not.
set -euo pipefail
{
  sed -nE 's/^.*"(([a-z_]+,)*(length|seconds)[^"]*\\n)".*$/\1/p' tests/planner/seqpoint/seqpoint_read_test.cc
  printf '5\\n64\\n7\\n12\\n900\\n8\\n\n'
} | while IFS= read -r text; do
  count=$((${count:-0} + 1))
  printf "%x$text" "$((count % 16))" >"$1/$count"
done
{ printf 'a'; seq 3 60 | gzip -n; } >"$1/packed"
