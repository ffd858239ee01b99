# The configurations of models of its test.
set -euo pipefail
for folder in tests/planner/import/hf/*/; do cp "$folder/config.json" "$1/$(basename "$folder").json"; done
sed -nE 's/^ *"([a-z0-9_]+)":.*/"\\"\1\\": "/p' tests/planner/import/hf/*/config.json | sort -u >"$2"
