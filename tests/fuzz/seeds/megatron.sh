# The launch scripts and the YAML of its test.
set -euo pipefail
cp tests/planner/import/megatron/*.sh tests/planner/import/megatron/*.yaml "$1/"
sed -nE 's/.*"(--[a-z0-9_-]+)".*/"\1 "/p' planner/import/megatron_*.cc | sort -u >"$2"
sed -nE 's/^ *\{"([a-zA-Z0-9_]+)",.*/"\\x0a\1: "/p' planner/import/megatron_yaml.cc >>"$2"
