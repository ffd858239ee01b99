# The launch scripts of its test.
set -euo pipefail
cp tests/planner/import/megatron/*.sh "$1/"
sed -nE 's/.*"(--[a-z0-9_-]+)".*/"\1 "/p' planner/import/megatron_*.cc | sort -u >"$2"
