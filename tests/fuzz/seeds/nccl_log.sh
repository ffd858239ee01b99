# The logs of its test, one beside the other, and each line of them.
set -euo pipefail
sed -nE 's/^ *"(.*)\\n".*$/\1/p' tests/operator_models/nccl_log_test.cc >"$1/lines.log"
