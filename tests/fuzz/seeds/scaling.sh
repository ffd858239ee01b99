# The samples of its tests, a byte for the name before each.
set -euo pipefail
cat tests/planner/scaling/scaling_{text,read,json,lines}_test.cc | awk -v dir="$1" -v RS='R"[(]|[)]"' '
  NR % 2 == 0 { file = dir "/" NR; printf "%c%s", 48 + NR / 2 % 6, $0 > file; close(file) }'
