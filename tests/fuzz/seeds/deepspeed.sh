# The configurations of its test, and one inside of a script.
set -euo pipefail
cp tests/planner/import/deepspeed/*.json "$1/"
{ echo "cat > a <<EOF"; cat tests/planner/import/deepspeed/zero3.json; echo EOF; tail -n 5 tests/planner/import/deepspeed/trainer.sh; } >"$1/script"
sed -nE 's/.*"([a-z0-9_.-]+)".*/"\1"/p' planner/import/deepspeed_*.cc | sort -u >"$2"
