# Results of the program that the same build has made: whole, one of two, interrupted.
set -euo pipefail
program=$3
search() { "$program" search tests/fuzz/shards.yaml --format json --quiet --top 1 "$@"; }
search --shard 1/1 >"$1/whole"
search --shard 1/2 >"$1/half"
search --shard 1/1 --pareto usd,step --set parallelism.microbatch=1 >"$1/front"
sed 's/"unfinished": null/"unfinished": {"base": 0.0, "next_part": 1, "begun": [{"part": 0, "index": 0}]}/' \
  "$1/whole" >"$1/interrupted"
search --shard 1/1 --set 'where=[step < 1 ms]' >"$1/nothing" || [[ $? -eq 3 ]]
