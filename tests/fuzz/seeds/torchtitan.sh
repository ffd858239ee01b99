# The configurations of its test, one with its launch script.
set -euo pipefail
cp tests/planner/import/torchtitan/*.toml "$1/"
{ cat tests/planner/import/torchtitan/llama3-405b.toml; printf '\0'; cat tests/planner/import/torchtitan/run.sh; } >"$1/launched"
for key in $(sed -nE 's/.*\{?"([a-z0-9_]+\.[a-z0-9_.]+)".*/\1/p' planner/import/torchtitan_table.cc | sort -u); do
  printf '"[%s]\\x0a%s = "\n"--%s "\n' "${key%.*}" "${key##*.}" "$key"
done >"$2"
