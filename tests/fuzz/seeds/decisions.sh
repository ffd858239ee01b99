# Decisions of two buckets, one with an unreduced gradient, one with a gradient twice; keys of the reader as a dictionary.
set -euo pipefail
file() { # UNREDUCED LAST
  cat <<END
{"format": "trainplan.decisions/1", "strategy": "best", "measured_seconds": 1, "replayed_seconds": 1,
"gradients": 4, "unreduced": [$1],
"reduction": {"collective": "all-reduce", "ranks": 2, "seconds_per_partition": 5e-6, "seconds_per_byte": 1e-9},
"buckets": [{"gradients": [1, 2], "bytes": 32000, "partitions": 1, "wait_seconds": 0},
{"gradients": [$2], "bytes": 32000, "partitions": 2, "wait_seconds": 0.5}],
"decisions": [{"pass": "tensor-fusion", "target": "bucket 1", "replayed_gain_seconds": -1e-6}]}
END
}
file '' '3, 4' >"$1/all"
file 4 3 >"$1/unreduced"
file '' '2, 4' >"$1/twice"
grep -oE '"[a-z_/.0-9-]+"' "$1/all" | tr -d '"' | sort -u | sed 's/.*/"&"/' >"$2"
